//go:build unix

package metal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"syscall"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// What a batch can consist of beside plain dispatches, in tests that run both on
// the fake and on a Mac.

var (
	planSource = `#include <metal_stdlib>
using namespace metal;
kernel void plan(device uint* grid [[buffer(0)]], constant uint& n [[buffer(1)]], uint i [[thread_position_in_grid]]) {
	grid[i] = i == 0 ? n : 1;
}
kernel void raise(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] += 1; }
`
	planLibrary = driver.Library{File: "plan.metal", Source: &planSource}
	planKernel  = driver.Kernel{
		Name: "plan", Library: &planLibrary,
		Buffers: []*driver.Arg{{Index: 0, Name: "grid", Type: "uint", Size: 4, Writes: true}},
		Values:  []*driver.Arg{{Index: 1, Name: "n", Type: "uint", Size: 4}},
	}
	raiseKernel = driver.Kernel{
		Name: "raise", Library: &planLibrary,
		Buffers: []*driver.Arg{{Index: 0, Name: "x", Type: "uint", Size: 4, Reads: true, Writes: true}},
	}
)

// planned writes a grid of n threadgroups to a buffer.
func planned(grid driver.Buffer, n uint32) *driver.Dispatch {
	grid.Arg, grid.Length = planKernel.Buffers[0], 12
	return &driver.Dispatch{
		Kernel: &planKernel, Buffers: []driver.Buffer{grid},
		Values: []driver.Value{{Arg: planKernel.Values[0], Bytes: binary.LittleEndian.AppendUint32(nil, n)}},
		Grid:   driver.Grid{Threads: [3]int{3, 1, 1}, Size: [3]int{3, 1, 1}},
	}
}

// raised adds 1 to the elements of x: to all of them, or to as many times 4 as a
// buffer says.
func raised(x driver.Buffer, by driver.Buffer) *driver.Dispatch {
	x.Arg = raiseKernel.Buffers[0]
	d := &driver.Dispatch{Kernel: &raiseKernel, Buffers: []driver.Buffer{x}, Grid: driver.Grid{Threads: [3]int{4, 1, 1}}}
	if by.Memory != nil {
		by.Length = 12
		d.Grid.Indirect = by
	} else {
		d.Grid.Size = [3]int{x.Length / 4, 1, 1}
	}
	return d
}

// pages returns whole pages of memory, which a device can wrap. Those of Go's heap it could not.
func pages(t testing.TB, n int) []byte {
	t.Helper()
	b, err := syscall.Mmap(-1, 0, n*os.Getpagesize(), syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Munmap(b); err != nil {
			t.Error(err)
		}
	})
	return b
}

func memoryOf(t testing.TB, d driver.Device, size int, storage driver.Storage) driver.Memory {
	t.Helper()
	m, err := d.NewMemory(size, storage)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Free)
	return m
}

func whole(m driver.Memory, length int) driver.Buffer {
	return driver.Buffer{Memory: m, Length: length}
}

// batch records on a new recorder, and waits for the end.
func batch(t testing.TB, d driver.Device, record func(r driver.Recorder) error) error {
	t.Helper()
	r, err := d.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	return batchOn(t, r, record)
}

func batchOn(t testing.TB, r driver.Recorder, record func(r driver.Recorder) error) error {
	t.Helper()
	_, err := jobOn(t, r, record)
	r.Reset()
	return err
}

// jobOn leaves the recorder as it is, for what its job has to tell.
func jobOn(t testing.TB, r driver.Recorder, record func(r driver.Recorder) error) (driver.Job, error) {
	t.Helper()
	if err := record(r); err != nil {
		return nil, err
	}
	job, err := r.Submit()
	if err != nil {
		return nil, err
	}
	done, err := job.Wait(t.Context())
	if !done {
		t.Fatal(err)
	}
	return job, err
}

// all records one thing after the other.
func all(r driver.Recorder, steps ...any) error {
	for _, s := range steps {
		var err error
		switch s := s.(type) {
		case *driver.Dispatch:
			err = r.Record(s)
		case [2]driver.Buffer:
			err = r.Copy(s[0], s[1])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// wrappedOr returns memory of the program's own, or memory of the device with the same bytes where it cannot wrap any.
func wrappedOr(t testing.TB, d driver.Device, bytes []byte) driver.Memory {
	t.Helper()
	m, err := d.WrapMemory(bytes, false)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Log(err)
		m = memoryOf(t, d, len(bytes), driver.StorageShared)
		copy(m.Bytes(), bytes)
		return m
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Free)
	return m
}

// checkExecution sends numbers through every kind of memory, copies and grids.
func checkExecution(t *testing.T, d driver.Device) {
	t.Helper()
	const n = 16
	file := pages(t, 2)[:5000]
	for i := range n {
		binary.LittleEndian.PutUint32(file[4*i:], uint32(i))
	}
	wrapped := wrappedOr(t, d, file)
	private := memoryOf(t, d, 4*n+3, driver.StoragePrivate)
	if private.Bytes() != nil {
		t.Error("private memory has bytes")
	}
	grid := memoryOf(t, d, 64, driver.StoragePrivate)
	out := memoryOf(t, d, 4*n+3, driver.StorageShared)
	zeros := memoryOf(t, d, 4*n+3, driver.StorageShared)
	copy(zeros.Bytes(), bytes.Repeat([]byte{7}, 4*n+3))

	r, err := d.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	at := driver.Buffer{Memory: grid, Offset: 16}
	for _, groups := range []uint32{0, 1, 3} {
		began := d.Clock()
		job, err := jobOn(t, r, func(r driver.Recorder) error {
			return all(r,
				[2]driver.Buffer{whole(zeros, 4*n+3), whole(private, 4*n+3)},
				planned(at, groups),
				[2]driver.Buffer{whole(private, 4*n), whole(wrapped, 4*n)},
				raised(whole(private, 4*n), at),
				raised(whole(private, 4*n), driver.Buffer{}),
				[2]driver.Buffer{whole(out, 4*n), whole(private, 4*n)},
			)
		})
		if err != nil {
			t.Fatal(err)
		}
		if times := job.Times(); times.Start < began || times.End < times.Start || d.Clock() < times.End {
			t.Errorf("the GPU worked from %v to %v, the host from %v to %v", times.Start, times.End, began, d.Clock())
		}
		r.Reset()
		for i := range uint32(n) {
			want := i + 1
			if i < 4*groups {
				want++
			}
			if got := binary.LittleEndian.Uint32(out.Bytes()[4*i:]); got != want {
				t.Errorf("%d threadgroups: out[%d] = %d, want %d", groups, i, got, want)
			}
		}
		if groups == 0 && !bytes.Equal(zeros.Bytes(), make([]byte, 4*n+3)) {
			t.Errorf("private memory began as %v", zeros.Bytes())
		}
	}
	// the host sees what the device writes
	if err := batch(t, d,
		func(r driver.Recorder) error { return r.Record(raised(whole(wrapped, 4*n), driver.Buffer{})) }); err != nil {
		t.Fatal(err)
	}
	if got := binary.LittleEndian.Uint32(wrapped.Bytes()[4*5:]); got != 6 {
		t.Errorf("wrapped[5] = %d, want 6", got)
	}
}
