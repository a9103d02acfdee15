//go:build linux && (amd64 || arm64)

package metal

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

func TestPrivateMemoryIsZeroedOnTheDevice(t *testing.T) {
	d := start(t, metaltest.Options{})
	for _, size := range []int{1, 4, 63, 5000} {
		m := memoryOf(t, d, size, driver.StoragePrivate)
		if m.Bytes() != nil {
			t.Errorf("%d bytes: the host sees them", size)
		}
		if got := metaltest.Contents(m.(*memory).Object(), size); !bytes.Equal(got, make([]byte, size)) {
			t.Errorf("%d bytes: %v", size, got)
		}
	}
	fills := 0
	for _, m := range metaltest.Log() {
		if m.Selector == "fillBuffer:range:value:" {
			fills++
		}
	}
	if fills != 4 {
		t.Errorf("%d of 4 were filled", fills)
	}
}

func TestWrappedMemoryIsNotCopied(t *testing.T) {
	d := start(t, metaltest.Options{})
	page := os.Getpagesize()
	for _, c := range []struct{ size, length int }{{1, page}, {page, page}, {page + 1, 2 * page}} {
		t.Run(fmt.Sprintf("%d bytes", c.size), func(t *testing.T) {
			metaltest.ResetLog()
			file := pages(2)[:c.size]
			m, err := d.WrapMemory(file)
			if err != nil {
				t.Fatal(err)
			}
			defer m.Free()
			if got := m.Bytes(); len(got) != c.size || &got[0] != &file[0] {
				t.Errorf("%d bytes at %p, want %d at %p", len(got), &got[0], c.size, &file[0])
			}
			want := fmt.Sprintf("newBufferWithBytesNoCopy: pointer length: %d options: 0 deallocator: nil", c.length)
			if got := metaltest.Log()[0].String(); !strings.HasSuffix(got, want) {
				t.Errorf("got %q", got)
			}
		})
	}
	if n := len(d.wraps.all); n != 0 {
		t.Errorf("%d are wrapped still", n)
	}
}

// Metal does not know that two MTLBuffers are views of the same bytes, and would
// run batches that use them at the same time.
func TestBatchesWaitForEachOtherWhereTheirMemoryIsWrappedTwice(t *testing.T) {
	d := start(t, metaltest.Options{})
	two := pages(2)
	half := len(two) / 2
	for _, c := range []struct {
		name   string
		bytes  []byte
		fenced bool
	}{
		{"one", two[:half], false},
		{"one beside it", two[half:], false},
		{"one across both", two, true},
	} {
		m, err := d.WrapMemory(c.bytes)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Free()
		metaltest.ResetLog()
		if err := batch(t, d, func(r driver.Recorder) error { return r.Record(raised(whole(m, 64), driver.Buffer{})) }); err != nil {
			t.Fatal(err)
		}
		sent := encoded()
		last := len(sent) - 2
		if fenced := strings.HasPrefix(sent[0], "waitForFence:") && strings.HasPrefix(sent[last], "updateFence:"); fenced != c.fenced {
			t.Errorf("%s: %q", c.name, sent)
		}
	}
}

func TestMemoryThatCannotBeHadIsAnErrorAndNothingLeaks(t *testing.T) {
	shared := func(d *Device) (driver.Memory, error) { return d.NewMemory(64, driver.StorageShared) }
	private := func(d *Device) (driver.Memory, error) { return d.NewMemory(64, driver.StoragePrivate) }
	file := pages(1)
	wrap := func(d *Device) (driver.Memory, error) { return d.WrapMemory(file) }
	for _, c := range []struct {
		name  string
		kind  metaltest.FaultKind
		fault metaltest.Fault
		make  func(*Device) (driver.Memory, error)
		want  string
	}{
		{"shared", metaltest.OutOfMemory, metaltest.Fault{}, shared, "Fake GPU has no memory for a buffer of 64 bytes"},
		{"private", metaltest.OutOfMemory, metaltest.Fault{}, private, "Fake GPU has no memory for a buffer of 64 bytes"},
		{"wrapped", metaltest.OutOfMemory, metaltest.Fault{}, wrap, fmt.Sprintf("Fake GPU has no memory for a buffer of %d bytes", len(file))},
		{"private, no command buffer", metaltest.NoCommandBuffer, metaltest.Fault{}, private, "the Metal device gives no command buffer"},
		{"private, no encoder", metaltest.NoEncoder, metaltest.Fault{}, private, "the Metal device gives no command encoder"},
		{"private, no zeros", metaltest.CommandError, metaltest.Fault{Code: metaltest.ErrorOutOfMemory, Text: "none left"}, private, "out of GPU memory: none left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{})
			metaltest.Fail(c.kind, c.fault)
			if m, err := c.make(d); m != nil || fmt.Sprint(err) != c.want {
				t.Errorf("got %v, %v", m, err)
			}
			m, err := c.make(d)
			if err != nil {
				t.Fatal(err)
			}
			m.Free()
			if len(d.running) != 0 || len(d.wraps.all) != 0 {
				t.Errorf("%d jobs run, %d ranges are wrapped", len(d.running), len(d.wraps.all))
			}
		})
	}
}

// valued is a dispatch with a value of so many bytes, which nobody will submit.
func valued(size int) *driver.Dispatch {
	k := &planKernel
	return &driver.Dispatch{
		Kernel: k, Values: []driver.Value{{Arg: k.Values[0], Bytes: bytes.Repeat([]byte{byte(size)}, size)}},
		Grid: driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{1, 1, 1}},
	}
}

func TestValuesKeepTheirBytesAndPlaces(t *testing.T) {
	d := start(t, metaltest.Options{Quiet: true})
	var a arena
	for range 3 {
		type place struct {
			m        *memory
			at, size int
		}
		var places []place
		for _, size := range []int{1, 256, 257, 4096, arenaPage, 3, arenaPage + 1, 5, 300000, arenaPage - 1, 2, 70000} {
			m, at, err := a.put(d, bytes.Repeat([]byte{byte(size)}, size))
			if err != nil {
				t.Fatal(err)
			}
			if at%constantAlign != 0 {
				t.Errorf("%d bytes at %d", size, at)
			}
			places = append(places, place{m, at, size})
		}
		for _, p := range places {
			if !bytes.Equal(p.m.bytes[p.at:][:p.size], bytes.Repeat([]byte{byte(p.size)}, p.size)) {
				t.Errorf("%d bytes are others now", p.size)
			}
		}
		a.reset()
	}
	if len(a.pages) != 5 || len(a.large) != 3 {
		t.Errorf("%d pages, %d large ones", len(a.pages), len(a.large))
	}
}

func TestRecordersThatAreUsedAgainNeedNoMoreMemory(t *testing.T) {
	kept := func(d *Device) (bytes int) {
		for _, m := range d.kept {
			bytes += len(m.bytes)
		}
		return bytes
	}
	for _, c := range []struct {
		name  string
		batch func(round int) []int
		most  int
	}{
		{"many small ones", func(int) []int { return slices.Repeat([]int{100}, 1000) }, 1000*256 + arenaPage},
		{"others every time", func(i int) []int { return slices.Repeat([]int{1 + i*37%5000}, 50) }, 5 * arenaPage},
		{"small and large in turn", func(i int) []int { return slices.Repeat([]int{8, 100000}, 10) }, arenaPage + 10<<17},
		{"larger every time", func(i int) []int { return []int{arenaPage + 1 + i*1000} }, 1 << 20},
		{"as large as a page", func(int) []int { return []int{1, arenaPage, 1, arenaPage} }, 4 * arenaPage},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{Quiet: true})
			r := &recorder{device: d}
			before := kept(d) // placeholders
			for i := range 200 {
				for _, size := range c.batch(i) {
					if err := r.Record(valued(size)); err != nil {
						t.Fatal(err)
					}
				}
				r.Reset()
			}
			if n := kept(d) - before; n > c.most {
				t.Errorf("%d bytes, want %d at most", n, c.most)
			}
		})
	}
}

func TestARecorderWithoutMemoryForValuesGoesOnWhenThereIsSome(t *testing.T) {
	d := start(t, metaltest.Options{})
	watched := metaltest.Watch(d)
	x, y := newMemory(t, watched, 4*elements), newMemory(t, watched, 4*elements)
	setFloat(x, 3, 5)
	r, err := watched.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	step := func(r driver.Recorder) error { return r.Record(scaled(x, 0, y, 0, 2)) }
	metaltest.Fail(metaltest.OutOfMemory, metaltest.Fault{})
	if err := batchOn(t, r, step); err == nil || !strings.Contains(err.Error(), "has no memory for a buffer of 65536 bytes") {
		t.Errorf("got %v", err)
	}
	if err := batchOn(t, r, step); err != nil || floatAt(y, 3) != 10 {
		t.Errorf("got %v, y[3] = %v", err, floatAt(y, 3))
	}
}
