//go:build linux && (amd64 || arm64)

package metal

import (
	"bytes"
	"errors"
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
	made, fills := 0, 0
	for _, m := range metaltest.Log() {
		switch {
		case m.Selector == "fillBuffer:range:value:":
			fills++
		case strings.HasSuffix(m.String(), "options: 32"): // MTLResourceStorageModePrivate
			made++
		}
	}
	if made != 4 || fills != 4 {
		t.Errorf("%d of 4 are private, and %d were filled", made, fills)
	}
}

func TestWrappedMemoryIsNotCopied(t *testing.T) {
	d := start(t, metaltest.Options{})
	page := os.Getpagesize()
	for _, c := range []struct{ size, length int }{{1, page}, {page, page}, {page + 1, 2 * page}} {
		t.Run(fmt.Sprintf("%d bytes", c.size), func(t *testing.T) {
			metaltest.ResetLog()
			file := pages(t, 2)[:c.size]
			m, err := d.WrapMemory(file, false)
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

// isFenced runs a batch and reports whether it waits for the fence and updates it.
func isFenced(t *testing.T, d *Device) bool {
	t.Helper()
	x := memoryOf(t, d, 64, driver.StorageShared)
	metaltest.ResetLog()
	if err := batch(t, d, func(r driver.Recorder) error { return r.Record(raised(whole(x, 64), driver.Buffer{})) }); err !=
		nil {
		t.Fatal(err)
	}
	sent := encoded()
	first, last := strings.HasPrefix(sent[0], "waitForFence:"), strings.HasPrefix(sent[len(sent)-2], "updateFence:")
	if first != last {
		t.Errorf("half a fence: %q", sent)
	}
	return first
}

// Metal does not know that two MTLBuffers are views of the same bytes, and would
// run batches that use them at the same time.
func TestBatchesWaitForEachOtherAsLongAsTheirMemoryIsWrappedTwice(t *testing.T) {
	d := start(t, metaltest.Options{})
	two := pages(t, 2)
	half := len(two) / 2
	type wrap struct {
		bytes    []byte
		readOnly bool
	}
	low, high, both := two[:half], two[half:], two
	for _, c := range []struct {
		name   string
		wraps  []wrap
		fenced bool
		freed  int // the one that is freed then
		still  bool
	}{
		{"one", []wrap{{low, false}}, false, 0, false},
		{"two side by side", []wrap{{low, false}, {high, false}}, false, 0, false},
		{"one across two", []wrap{{low, false}, {high, false}, {both, false}}, true, 0, true},
		{"one across two, and gone", []wrap{{low, false}, {high, false}, {both, false}}, true, 2, false},
		{"read only", []wrap{{low, true}, {both, true}, {both, true}}, false, 0, false},
		{"read and written", []wrap{{low, true}, {both, false}}, true, 0, false},
		{"written and read", []wrap{{low, false}, {both, true}, {high, true}}, true, 2, true},
		{"written beside what is read twice", []wrap{{high, false}, {low, true}, {low, true}}, false, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var list []driver.Memory
			for _, w := range c.wraps {
				m, err := d.WrapMemory(w.bytes, w.readOnly)
				if err != nil {
					t.Fatal(err)
				}
				list = append(list, m)
			}
			if got := isFenced(t, d); got != c.fenced {
				t.Errorf("a fence: %v", got)
			}
			list[c.freed].Free()
			if got := isFenced(t, d); got != c.still {
				t.Errorf("a fence after one is gone: %v", got)
			}
			for _, m := range slices.Delete(list, c.freed, c.freed+1) {
				m.Free()
			}
			if isFenced(t, d) {
				t.Error("a fence for ever")
			}
		})
	}
}

// A batch that is on its way when its memory is wrapped once more has no fence that
// the next could wait for.
func TestAWrapWaitsForBatchesOnTheirWayWhereItOverlaps(t *testing.T) {
	d := start(t, metaltest.Options{})
	two := pages(t, 2)
	half := len(two) / 2
	wrap := func(bytes []byte) driver.Memory {
		m, err := d.WrapMemory(bytes, false)
		if err != nil {
			t.Error(err)
		}
		return m
	}
	low := wrap(two[:half])
	defer low.Free()
	jobs := hanging(t, d, low, 3)
	defer wrap(two[half:]).Free() // which waits for nothing
	wrapped := make(chan struct{})
	var both driver.Memory
	go func() {
		defer close(wrapped)
		both = wrap(two)
	}()
	if !isBlocked(wrapped) {
		t.Error("wrapped while a batch runs")
	}
	metaltest.Resume()
	<-wrapped
	defer both.Free()
	if !isFenced(t, d) {
		t.Error("no fence")
	}
	for _, job := range jobs {
		if done, err := job.Wait(t.Context()); !done || err != nil {
			t.Fatal(done, err)
		}
	}
	if got := two[0]; got != 3 {
		t.Errorf("%d after 3 batches", got)
	}
}

func TestMemoryThatCannotBeHadIsAnErrorAndNothingLeaks(t *testing.T) {
	shared := func(d *Device) (driver.Memory, error) { return d.NewMemory(64, driver.StorageShared) }
	private := func(d *Device) (driver.Memory, error) { return d.NewMemory(64, driver.StoragePrivate) }
	file := pages(t, 1)
	wrap := func(d *Device) (driver.Memory, error) { return d.WrapMemory(file, false) }
	for _, c := range []struct {
		name  string
		kind  metaltest.FaultKind
		fault metaltest.Fault
		make  func(*Device) (driver.Memory, error)
		want  string
	}{
		{"shared", metaltest.OutOfMemory, metaltest.Fault{}, shared, "Fake GPU has no memory for a buffer of 64 bytes: "},
		{"private", metaltest.OutOfMemory, metaltest.Fault{}, private, "Fake GPU has no memory for a buffer of 64 bytes: "},
		{"wrapped", metaltest.OutOfMemory, metaltest.Fault{}, wrap,
			fmt.Sprintf("Fake GPU cannot wrap memory here: need a buffer of %d bytes, have one of 0", len(file))},
		{"wrapped, on a virtual Mac", metaltest.NoWrap, metaltest.Fault{}, wrap,
			fmt.Sprintf("Fake GPU cannot wrap memory here: need a buffer of %d bytes, have one of 0", len(file))},
		{"private, no command buffer", metaltest.NoCommandBuffer, metaltest.Fault{}, private,
			"the Metal device gives no command buffer"},
		{"private, no encoder", metaltest.NoEncoder, metaltest.Fault{}, private, "the Metal device gives no command encoder"},
		{"private, no zeros", metaltest.CommandError, metaltest.Fault{Code: metaltest.ErrorOutOfMemory, Text: "none left"},
			private, "out of GPU memory: none left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{})
			use := d.Memory()
			metaltest.Fail(c.kind, c.fault)
			m, err := c.make(d)
			if m != nil || !strings.HasPrefix(fmt.Sprint(err), c.want) {
				t.Errorf("got %v, %v", m, err)
			}
			if e := (*driver.MemoryError)(nil); errors.As(err, &e) && (e.Use != use || use.Allocated == 0) {
				t.Errorf("the error says %+v, the device %+v", e.Use, use)
			}
			m, err = c.make(d)
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

// valued returns a dispatch with a value of so many bytes, which nobody will submit.
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
			bytes += len(m.(*memory).bytes)
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
			r := d.newRecorder()
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
	if err := batchOn(t, r, step); err == nil ||
		!strings.Contains(err.Error(), "has no memory for a buffer of 65536 bytes") {
		t.Errorf("got %v", err)
	}
	if err := batchOn(t, r, step); err != nil || floatAt(y, 3) != 10 {
		t.Errorf("got %v, y[3] = %v", err, floatAt(y, 3))
	}
}
