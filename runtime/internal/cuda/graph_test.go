//go:build linux && (amd64 || arm64)

package cuda

import (
	"errors"
	"os"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// copies is a recorder for copies from one memory of 64 bytes to another.
type copies struct {
	*recorder
	to, from *memory
}

func newCopies(t *testing.T) *copies {
	t.Helper()
	path := ""
	if os.Getenv("METALGEN_CARD") == "" {
		path = cudatest.Start(t, cudatest.Options{})
	}
	d, err := Open(path, -1, driver.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	r, err := d.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	c := &copies{recorder: r.(*recorder)}
	for _, m := range []**memory{&c.to, &c.from} {
		made, err := d.NewMemory(64, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(made.Free)
		*m = made.(*memory)
	}
	return c
}

// copy records a copy of a byte.
func (c *copies) copy(t *testing.T, at int) {
	t.Helper()
	err := c.Copy(driver.Buffer{Memory: c.to, Offset: at}, driver.Buffer{Memory: c.from, Offset: at, Length: 1})
	if err != nil {
		t.Fatal(err)
	}
}

// TestCallsThatAreAddedBecomePartOfTheGraph: a batch that is kept is sent as it is once, and then as a graph.
func TestCallsThatAreAddedBecomePartOfTheGraph(t *testing.T) {
	c := newCopies(t)
	for run, isGraph := range []bool{false, true, true, false, true, true} {
		if run == 0 || run == 3 {
			c.copy(t, run)
		}
		c.Keep()
		c.from.Bytes()[0], c.from.Bytes()[3] = byte(run), byte(run)
		job, err := c.Submit()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := job.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		if (c.exec != 0) != isGraph {
			t.Errorf("run %d: a graph: %v", run, c.exec != 0)
		}
		if to := c.to.Bytes(); to[0] != byte(run) || run >= 3 && to[3] != byte(run) {
			t.Errorf("run %d: %v", run, to[:4])
		}
	}
}

// TestABatchThatHasFailedMayStillBeRecorded stops the device while a batch that is started is recorded.
func TestABatchThatHasFailedMayStillBeRecorded(t *testing.T) {
	c := newCopies(t)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for n := range 4000 {
		if n == 1000 {
			c.device.Stop()
		}
		c.copy(t, n%64)
	}
	<-c.Done()
	job, err := c.Submit()
	if err != nil {
		t.Fatal(err)
	}
	var stopped *driver.StoppedError
	if _, err := job.Wait(t.Context()); !errors.As(err, &stopped) {
		t.Errorf("got %v", err)
	}
	c.Reset()
}
