//go:build linux && (amd64 || arm64)

package metal

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// startReusing opens a device that keeps so many bytes.
func startReusing(t testing.TB, bytes int) *Device {
	return startWith(t, metaltest.Options{}, driver.Options{Reuse: bytes})
}

// buffersMade returns how many MTLBuffers were made since the last call.
func buffersMade() int {
	n := 0
	for _, m := range metaltest.Log() {
		if m.Selector == "newBufferWithLength:options:" {
			n++
		}
	}
	metaltest.ResetLog()
	return n
}

func dirty(t *testing.T, d *Device, m driver.Memory) {
	t.Helper()
	if b := m.Bytes(); b != nil {
		copy(b, bytes.Repeat([]byte{7}, len(b)))
		return
	}
	size := int(m.(*memory).block.length)
	from := newMemory(t, d, size)
	dirty(t, d, from)
	if err := batch(t, d, func(r driver.Recorder) error { return r.Copy(whole(m, size), whole(from, size)) }); err != nil {
		t.Fatal(err)
	}
}

// contents returns the bytes of memory, also of what is private.
func contents(m driver.Memory, size int) []byte {
	own := m.(*memory)
	return metaltest.Contents(uintptr(own.id), int(own.at)+size)[own.at:]
}

func TestFreedMemoryIsThatOfTheNextBufferOfItsLength(t *testing.T) {
	for _, storage := range []driver.Storage{driver.StorageShared, driver.StoragePrivate} {
		for _, size := range []int{1, 4, 256, 257, 32 << 10, 32<<10 + 1, 1 << 20} {
			d := startOrAgain(t, 64<<20)
			first, err := d.NewMemory(size, storage)
			if err != nil {
				t.Fatal(err)
			}
			dirty(t, d, first)
			first.Free()
			buffersMade()
			again, err := d.NewMemory(size, storage)
			if err != nil {
				t.Fatal(err)
			}
			if n := buffersMade(); n != 0 {
				t.Errorf("%d bytes, storage %d: %d new buffers", size, storage, n)
			}
			if got := contents(again, size); !bytes.Equal(got, make([]byte, size)) {
				t.Errorf("%d bytes, storage %d: begin as %v", size, storage, got[:min(size, 8)])
			}
			dirty(t, d, again)
			again.Free()
			left, err := d.NewMemory(size, storage|driver.StorageOverwritten)
			if err != nil {
				t.Fatal(err)
			}
			if got := contents(left, size); got[0] != 7 || got[size-1] != 7 {
				t.Errorf("%d bytes, storage %d: what is overwritten was cleared", size, storage)
			}
			left.Free()
			d.Close()
		}
	}
}

// Buffers that need as many pages are alike.
func TestFreedMemoryIsThatOfABufferOfAsManyPages(t *testing.T) {
	d := startReusing(t, 64<<20)
	first, err := d.NewMemory(1<<20, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	first.Free()
	buffersMade()
	for _, c := range []struct{ size, made int }{{1<<20 - 1000, 0}, {1<<20 - page, 1}} {
		m, err := d.NewMemory(c.size, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		if n := buffersMade(); n != c.made {
			t.Errorf("%d bytes: %d new buffers, want %d", c.size, n, c.made)
		}
		m.Free()
	}
}

// The program overwrites its own bytes. What is after them is cleared, as textures over the last row may show it.
func TestWhatIsAfterTheBytesOfABufferIsZero(t *testing.T) {
	d := startReusing(t, 64<<20)
	first, err := d.NewMemory(512, driver.StorageShared)
	if err != nil {
		t.Fatal(err)
	}
	dirty(t, d, first)
	first.Free()
	m, err := d.NewMemory(300, driver.StorageShared|driver.StorageOverwritten)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Free()
	if got := contents(m, 512); got[0] != 7 || !bytes.Equal(got[300:], make([]byte, 212)) {
		t.Errorf("%v", got)
	}
}

// startOrAgain opens a device on the fake that the test has, or starts that.
func startOrAgain(t *testing.T, reuse int) *Device {
	t.Helper()
	if !started[t] {
		started[t] = true
		metaltest.Start(t, metaltest.Options{Execute: metaltest.CPU(t)})
	}
	d, err := OpenLibrary(fakePath(t), nil, -1, driver.Options{Reuse: reuse})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var started = map[*testing.T]bool{}

func TestSmallBuffersAreInLargeOnes(t *testing.T) {
	d := startReusing(t, 64<<20)
	metaltest.ResetLog()
	var list []*memory
	for i := range 1000 {
		m, err := d.NewMemory(1+i%1000, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Free)
		list = append(list, m.(*memory))
	}
	if n := buffersMade(); n > 6 {
		t.Errorf("1000 buffers are in %d", n)
	}
	slices.SortFunc(list, func(a, b *memory) int { return int(a.start) - int(b.start) })
	for i, m := range list {
		if m.at%constantAlign != 0 {
			t.Errorf("one begins at %d", m.at)
		}
		if i > 0 && list[i-1].end > m.start {
			t.Errorf("%v and %v overlap", list[i-1], m)
		}
	}
	apart, err := d.NewMemory(64, driver.StorageApart)
	if err != nil {
		t.Fatal(err)
	}
	if n := buffersMade(); n != 1 || apart.(*memory).at != 0 {
		t.Errorf("%d buffers for what is to be apart, at %d", n, apart.(*memory).at)
	}
	apart.Free()
}

func TestNoMoreIsKeptThanTheLimit(t *testing.T) {
	const limit = 1 << 20
	d := startReusing(t, limit)
	var list []driver.Memory
	for i := range 30 {
		for _, size := range []int{100 << 10, 200, 64<<10 + i*page} {
			m, err := d.NewMemory(size, driver.StorageShared)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, m)
		}
	}
	for _, m := range list {
		m.Free()
		if n := d.Memory().Reusable; n > limit {
			t.Fatalf("%d bytes are kept", n)
		}
	}
	if n := d.Memory().Reusable; n < limit/2 {
		t.Errorf("%d bytes are kept", n)
	}
	before := d.Memory().Allocated
	d.Trim()
	if after := d.Memory(); after.Reusable != 0 || after.Allocated > before-limit/2 {
		t.Errorf("%+v after Trim, %d before", after, before)
	}
}

func TestWhatIsKeptGoesWhenThereIsNoMemory(t *testing.T) {
	d := startReusing(t, 64<<20)
	newMemoryOf := func(size int) driver.Memory {
		m, err := d.NewMemory(size, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	newMemoryOf(1 << 20).Free()
	metaltest.Fail(metaltest.OutOfMemory, metaltest.Fault{})
	newMemoryOf(2 << 20).Free()
	if n := d.Memory().Reusable; n != 2<<20 {
		t.Errorf("%d bytes are kept", n)
	}
}

// What code beside the driver has seen is nobody else's memory: it may have kept the object.
func TestMemoryThatWasShownIsNotReused(t *testing.T) {
	for _, size := range []int{64, 1 << 20} {
		d := startOrAgain(t, 64<<20)
		m, err := d.NewMemory(size, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		own := m.(*memory)
		id, at := d.Metal().Buffer(m), d.Metal().Offset(m)
		if id != uintptr(own.id) || at != int(own.at) {
			t.Errorf("it is %x at %d", id, at)
		}
		m.Free()
		again, err := d.NewMemory(size, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		if a := again.(*memory); a.start == own.start {
			t.Error("it is reused")
		}
		again.Free()
		d.Close()
	}
}

// Buffers come and go on many goroutines, and each holds what its batches have written.
func TestReusedMemoryIsNobodyElses(t *testing.T) {
	d := startWith(t, metaltest.Options{Quiet: true}, driver.Options{Reuse: 1 << 20})
	watched := metaltest.Watch(d)
	var group sync.WaitGroup
	for g := range 8 {
		random := rand.New(rand.NewPCG(2, uint64(g)))
		group.Go(func() {
			r, err := watched.NewRecorder()
			if err != nil {
				t.Error(err)
				return
			}
			for range 60 {
				n := 4 << random.IntN(14)
				m, err := d.NewMemory(n, driver.StorageShared)
				if err != nil {
					t.Error(err)
					return
				}
				times := random.IntN(3) + 1
				if err := batchOn(t, r, func(r driver.Recorder) error {
					return all(r, slices.Repeat([]any{raised(whole(m, n), driver.Buffer{})}, times)...)
				}); err != nil {
					t.Error(err)
				}
				want := bytes.Repeat([]byte{byte(times), 0, 0, 0}, n/4)
				if !bytes.Equal(m.Bytes(), want) {
					t.Errorf("%d bytes begin as %v", n, m.Bytes()[:4])
				}
				m.Free()
			}
		})
	}
	group.Wait()
}

func TestReuseAllocatesLittle(t *testing.T) {
	d := startWith(t, metaltest.Options{Bench: true}, driver.Options{Reuse: 64 << 20})
	for _, size := range []int{64, 1 << 20} {
		n := testing.AllocsPerRun(20, func() {
			m, err := d.NewMemory(size, driver.StorageShared|driver.StorageOverwritten)
			if err != nil {
				t.Fatal(err)
			}
			m.Free()
		})
		if n > 8 { // the memory itself, and closures
			t.Errorf("%d bytes: %v allocations", size, n)
		}
	}
}

// Files that are longer than a buffer may be are seen through several that overlap.
func TestLongFilesAreWrappedInViews(t *testing.T) {
	for _, readOnly := range []bool{true, false} {
		d := startOrAgain(t, 0)
		p := d.limits.PageSize
		d.limits.BufferLength = 4 * p
		file := pages(t, 11)[:11*p-100]
		m, err := d.WrapMemory(file, readOnly)
		if err != nil {
			t.Fatal(err)
		}
		if n := len(m.(*memory).views); n != 5 {
			t.Errorf("%d views", n)
		}
		if m.Address() != 0 {
			t.Error("there are pointers to what has no address")
		}
		out := newMemory(t, d, 64)
		for i := range file {
			file[i] = byte(i / 16)
		}
		watched := metaltest.Watch(d)
		for offset := 0; offset+64 <= len(file); offset += p / 2 {
			from := driver.Buffer{Memory: m, Offset: offset, Length: 64}
			if err := batch(t, watched, func(r driver.Recorder) error { return r.Copy(whole(out, 64), from) }); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Bytes(), file[offset:offset+64]) {
				t.Fatalf("at %d: %v, want %v", offset, out.Bytes(), file[offset:offset+64])
			}
		}
		all := newMemory(t, d, 4*p)
		long := driver.Buffer{Memory: m, Offset: p, Length: 4 * p}
		if err := batch(t, watched, func(r driver.Recorder) error { return r.Copy(whole(all, 4*p), long) }); err == nil {
			t.Error("a copy reaches beyond the end of a view")
		}
		if !readOnly {
			for _, c := range []struct {
				offset, length int
				fits           bool
			}{{0, 4 * p, true}, {0, 4*p + 4, false}, {p, 3 * p, true}, {p, 3*p + 4, false}, {2 * p, 4 * p, true},
				{9 * p, 2*p - 100, true}} {
				err := run(t, watched, raised(driver.Buffer{Memory: m, Offset: c.offset, Length: c.length}, driver.Buffer{}))
				if (err == nil) != c.fits {
					t.Errorf("%d bytes at %d: %v", c.length, c.offset, err)
				}
			}
			if d.wraps.pairs != 1 {
				t.Errorf("%d pairs of views that overlap, and may be written", d.wraps.pairs)
			}
		}
		m.Free()
		if d.wraps.pairs != 0 {
			t.Error("a fence for what is gone")
		}
		d.Close()
	}
}
