package cpu

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/runtime/internal/cpu/fmath"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// dispatch is a recorded kernel call: its program with the memory that it works
// on. It keeps its slices from one batch to the next.
type dispatch struct {
	kernel  *kernel
	program *program
	grid    driver.Grid
	threads [3]int

	objects   []object
	constants []boundConstant
	values    []uint64 // the bytes of values and constants
	valueAt   []int    // where those of each value begin
	shared    int      // bytes of threadgroup memory

	indirect []byte // three uint32, the numbers of threadgroups, or nil
	to, from []byte // of a copy, which has no kernel

	stop *atomic.Bool
}

// boundConstant is a function constant with the place of its bytes in values.
type boundConstant struct{ index, at, size int }

// bind takes over what a driver.Dispatch says.
func (d *dispatch) bind(k *kernel, from *driver.Dispatch, stop *atomic.Bool) error {
	d.kernel, d.grid, d.threads, d.stop = k, from.Grid, from.Grid.Threads, stop
	d.indirect = nil
	if from.Grid.Indirect.Memory != nil {
		d.indirect = bytesAt(&from.Grid.Indirect)
	}
	d.keepValues(from)
	d.use(k.program, from)
	if !d.holdsHoisted() {
		careful, err := k.careful()
		if err != nil {
			return err
		}
		d.use(careful, from)
	}
	if limit := k.device.limits.ThreadgroupMemory; d.shared > limit {
		return driver.ThreadgroupMemoryError(d.shared, limit)
	}
	return nil
}

// bindCopy makes the dispatch a copy.
func (d *dispatch) bindCopy(to, from *driver.Buffer) {
	d.kernel, d.program = nil, nil
	d.to, d.from = bytesAt(to), bytesAt(from)
}

// reset lets go of the memory of buffers.
func (d *dispatch) reset() {
	clear(d.objects)
	d.indirect, d.to, d.from = nil, nil, nil
}

// use finds the memory of all objects of a program.
func (d *dispatch) use(p *program, from *driver.Dispatch) {
	d.program, d.objects, d.shared = p, d.objects[:0], 0
	for i := range p.objects {
		d.objects = append(d.objects, object{info: &p.objects[i]})
		d.bindObject(&d.objects[i], from)
	}
}

// holdsHoisted reports whether everything is there that the prologue loads.
func (d *dispatch) holdsHoisted() bool {
	for _, h := range d.program.hoisted {
		if o := &d.objects[h.object]; o.missing || h.end > o.size {
			return false
		}
	}
	return true
}

// keepValues copies the bytes of values and constants, which objects then point
// to: each begins at a multiple of 16 bytes.
func (d *dispatch) keepValues(from *driver.Dispatch) {
	d.constants, d.valueAt = d.constants[:0], d.valueAt[:0]
	words := 0
	for i := range from.Values {
		d.valueAt = append(d.valueAt, words)
		words += wordsOf(from.Values[i].Bytes)
	}
	for i := range from.Constants {
		c := &from.Constants[i]
		d.constants = append(d.constants, boundConstant{index: c.Arg.Index, at: words, size: len(c.Bytes)})
		words += wordsOf(c.Bytes)
	}
	if words > cap(d.values) {
		d.values = make([]uint64, words)
	}
	d.values = d.values[:words]
	for i := range from.Values {
		copy(bytesOf(d.values[d.valueAt[i]:]), from.Values[i].Bytes)
	}
	for i := range from.Constants {
		copy(bytesOf(d.values[d.constants[i].at:]), from.Constants[i].Bytes)
	}
}

// wordsOf is the room for bytes, in 64-bit words.
func wordsOf(b []byte) int { return (len(b) + 15) / 16 * 2 }

func bytesOf(words []uint64) []byte {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
}

// bindObject finds the memory of an object.
func (d *dispatch) bindObject(o *object, from *driver.Dispatch) {
	info := o.info
	switch info.kind {
	case bufferObject:
		o.missing = !o.bindBuffer(from)
	case valueObject:
		o.missing = !o.bindBuffer(from) // a params struct may be bound as a buffer too
		for i := range from.Values {
			if v := &from.Values[i]; v.Arg.Index == info.arg {
				o.missing = false
				o.size = int64(len(v.Bytes))
				if len(v.Bytes) > 0 {
					o.base = unsafe.Pointer(&d.values[d.valueAt[i]])
				}
			}
		}
	case sharedObject:
		o.missing = true
		for i := range from.Shared {
			if s := &from.Shared[i]; s.Arg.Index == info.arg {
				o.missing = false
				d.shareMemory(o, s.Length)
			}
		}
	case groupObject:
		d.shareMemory(o, info.size)
	case threadObject:
		o.size = int64(info.size)
	case tableObject:
		o.base, o.size = unsafe.Pointer(unsafe.SliceData(info.bytes)), int64(len(info.bytes))
	}
}

// bindBuffer takes the memory of the buffer that is bound to an argument.
func (o *object) bindBuffer(from *driver.Dispatch) bool {
	for i := range from.Buffers {
		if b := &from.Buffers[i]; b.Arg.Index == o.info.arg {
			bytes := bytesAt(b)
			o.base, o.size = unsafe.Pointer(unsafe.SliceData(bytes)), int64(len(bytes))
			o.skew = int64(uintptr(o.base) & 7)
			return true
		}
	}
	return false
}

// shareMemory gives an object the next bytes of threadgroup memory.
func (d *dispatch) shareMemory(o *object, size int) {
	o.start, o.size = d.shared, int64(size)
	d.shared += (size + 15) &^ 15
}

// constant is the bytes of a function constant, and whether the dispatch has it.
func (d *dispatch) constant(index int) ([]byte, bool) {
	for _, c := range d.constants {
		if c.index == index {
			return bytesOf(d.values[c.at:])[:c.size], true
		}
	}
	return nil, false
}

// size is threads_per_grid.
func (d *dispatch) size() [3]int {
	size := d.grid.Size
	for i := range size {
		if size[i] == 0 {
			size[i] = d.grid.Threadgroups[i] * d.threads[i]
		}
	}
	return size
}

func (d *dispatch) simdgroups() int {
	return (d.threads[0]*d.threads[1]*d.threads[2] + width - 1) / width
}

// setLeaf sets a register from the bytes of a function constant; without any it
// is zero.
func setLeaf(f *frame, l leaf, r int32, bytes []byte) {
	var b [8]byte
	if l.offset < len(bytes) {
		copy(b[:sizes[l.kind]], bytes[l.offset:])
	}
	word := binary.LittleEndian.Uint64(b[:])
	switch l.kind {
	case msl.Bool:
		*maskAt(f, r) = 0
		if word != 0 {
			*maskAt(f, r) = full
		}
	case msl.Long, msl.ULong:
		at[uint64](f, r).set(word)
	case msl.Half:
		at[float32](f, r).set(fmath.HalfFromBits(uint16(word)))
	case msl.BFloat:
		at[float32](f, r).set(fmath.BFloatFromBits(uint16(word)))
	case msl.Char:
		at[int32](f, r).set(int32(int8(word)))
	case msl.Short:
		at[int32](f, r).set(int32(int16(word)))
	default:
		at[uint32](f, r).set(uint32(word))
	}
}

// maxGroups bounds the number of threadgroups, of which no more would ever be done.
const maxGroups = 1 << 62

// groups is the number of threadgroups of a grid.
func groups(g [3]int) int64 {
	n := int64(1)
	for _, dim := range g {
		if high, low := bits.Mul64(uint64(n), uint64(dim)); high != 0 || low > maxGroups {
			n = maxGroups
		} else {
			n = int64(low)
		}
	}
	return n
}

// run executes all threadgroups of the dispatch, on as many cores as the device
// has.
func (d *dispatch) run() error {
	if d.kernel == nil {
		copy(d.to, d.from)
		return nil
	}
	if d.indirect != nil {
		for i := range d.grid.Threadgroups {
			d.grid.Threadgroups[i] = int(binary.LittleEndian.Uint32(d.indirect[4*i:]))
		}
	}
	total := groups(d.grid.Threadgroups)
	if total == 0 {
		return nil
	}
	cores := int64(runtime.GOMAXPROCS(0))
	r := &runner{dispatch: d, total: total, chunk: max(1, min(total/(8*cores), 64))}
	workers := int(min(cores, total))
	if workers == 1 {
		r.work()
		return r.err
	}
	r.wg.Add(workers - 1)
	for range workers - 1 {
		go func() {
			defer r.wg.Done()
			r.work()
		}()
	}
	r.work()
	r.wg.Wait()
	return r.err
}

// runner hands the threadgroups of a dispatch out to workers.
type runner struct {
	dispatch *dispatch
	total    int64
	chunk    int64
	next     atomic.Int64
	wg       sync.WaitGroup

	mu    sync.Mutex
	err   error
	first int64 // the threadgroup of err
}

// work runs threadgroups until there are no more.
func (r *runner) work() {
	d := r.dispatch
	pool := d.kernel.pool(d.program)
	g := pool.take()
	defer pool.release(g)
	if err := g.prepare(d); err != nil {
		r.fail(0, err)
		return
	}
	grid := d.grid.Threadgroups
	for {
		from := r.next.Add(r.chunk) - r.chunk
		if from >= r.total {
			return
		}
		for i := from; i < min(from+r.chunk, r.total); i++ {
			if d.stop.Load() {
				r.fail(i, errStopped)
				return
			}
			x, rest := int(i%int64(grid[0])), i/int64(grid[0])
			y, z := int(rest%int64(grid[1])), int(rest/int64(grid[1]))
			if err := g.run([3]int{x, y, z}); err != nil {
				r.fail(i, err)
				return
			}
		}
	}
}

// fail keeps the error of the first threadgroup that made one, which is the same
// one in every run where the kernel is deterministic, and ends the dispatch.
func (r *runner) fail(at int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if errors.Is(err, errStopped) && r.err != nil {
		return
	}
	if r.err == nil || at < r.first || errors.Is(r.err, errStopped) {
		r.err, r.first = err, at
	}
	r.next.Store(r.total)
}
