package cpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

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
	resources resources
	kept      []uint64 // see keep; each of them begins at a multiple of 16 bytes
	shared    int      // bytes of threadgroup memory

	indirect []byte // three uint32, the numbers of threadgroups, or nil
	copying  copying

	stop   *atomic.Bool
	runner runner

	sanitizer *sanitizer // nil where the device has none

	messages messages // of os_log

	postponed *postponed // what is left to do before it runs, or nil
	event     eventStep  // of what is no call, but waits for an event or signals one
}

// bind makes the dispatch that of a kernel with the arguments of a driver.Dispatch.
func (d *dispatch) bind(k *kernel, from *driver.Dispatch, stop *atomic.Bool) error {
	d.kernel, d.grid, d.threads, d.stop = k, from.Grid, from.Grid.Threads, stop
	d.indirect = nil
	if from.Grid.Indirect.Memory != nil {
		d.indirect = bytesAt(&from.Grid.Indirect)
	}
	d.use(k.program, from)
	if !d.holdsHoisted() {
		careful, err := k.careful(stop)
		if err != nil {
			return err
		}
		d.use(careful, from)
	}
	if len(d.objects) > maxObjects {
		return fmt.Errorf("the arguments lead to more than the %d buffers, textures and samplers that the CPU device takes",
			maxObjects-len(d.program.objects))
	}
	if checks := k.device.sanitize; checks != 0 {
		d.sanitize(checks)
	}
	if limit := k.device.limits.ThreadgroupMemory; d.shared > limit {
		return driver.ThreadgroupMemoryError(d.shared, limit)
	}
	if d.frames() > maxFrames {
		return fmt.Errorf("the values of %d threads take %d bytes, and the CPU device has %d for a threadgroup",
			d.threads[0]*d.threads[1]*d.threads[2], d.frames(), maxFrames)
	}
	return nil
}

// name is what messages call the dispatch.
func (d *dispatch) name() string {
	switch {
	case d.kernel != nil:
		return d.program.name
	case d.copying.texture != nil:
		return "CopyTexels"
	default:
		return "Copy"
	}
}

// reset drops the references to the memory of buffers.
func (d *dispatch) reset() {
	clear(d.objects)
	d.resources.reset()
	d.sanitizer = nil
	d.indirect, d.event = nil, eventStep{}
	d.copying.reset()
	if d.postponed != nil {
		d.postponed.compilation.leave()
		d.postponed = nil
	}
}

// use finds the memory of all objects of a program.
func (d *dispatch) use(p *program, from *driver.Dispatch) {
	d.program, d.objects, d.kept, d.shared = p, d.objects[:0], d.kept[:0], 0
	for i := range p.objects {
		info := &p.objects[i]
		d.objects = append(d.objects, object{info: info, constant: info.constant})
		if info.source != nil {
			info.source.bind(d, &d.objects[i], from)
		}
	}
	if p.addresses {
		d.useResources(from)
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

// keep returns a copy of bytes that belong to the caller. It stays valid until the next
// use.
func (d *dispatch) keep(bytes []byte) []byte {
	words, at := (len(bytes)+15)/16*2, len(d.kept)
	if at+words > cap(d.kept) { // earlier copies stay where they are
		d.kept, at = make([]uint64, 0, max(words, 2*cap(d.kept), 64)), 0
	}
	d.kept = d.kept[:at+words]
	kept := bytesOf(d.kept[at:])[:len(bytes)]
	copy(kept, bytes)
	return kept
}

func bytesOf(words []uint64) []byte {
	if len(words) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), 8*len(words))
}

// size returns threads_per_grid.
func (d *dispatch) size() [3]int {
	size := d.grid.Size
	for i := range size {
		if size[i] == 0 {
			size[i] = d.grid.Threadgroups[i] * d.threads[i]
		}
	}
	return size
}

// frames returns the bytes that the frames of a threadgroup take.
func (d *dispatch) frames() int {
	each := int(d.program.size) + d.program.private*width
	if len(d.program.routines) > 0 {
		each += maxStacked
	}
	return d.simdgroups() * each
}

func (d *dispatch) simdgroups() int {
	return (d.threads[0]*d.threads[1]*d.threads[2] + width - 1) / width
}

// maxGroups bounds the number of threadgroups. Nobody waits for the last of so many.
const maxGroups = 1 << 62

// groups returns the number of threadgroups of a grid.
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
		return d.copy()
	}
	if d.program.addresses {
		d.useSamplers()
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
	if seed := d.kernel.device.schedule; seed != 0 {
		return d.runScheduled(seed, total)
	}
	return d.runner.run(d, total)
}

// runner has workers run the threadgroups of a dispatch.
type runner struct {
	dispatch *dispatch
	shares   shares
	workers  atomic.Int64 // that have begun
	wg       sync.WaitGroup
	help     func() // what all workers but one do, made once: to run again allocates nothing

	mu    sync.Mutex
	err   error
	first int64 // the threadgroup of err
}

// run runs all threadgroups of d.
func (r *runner) run(d *dispatch, total int64) error {
	r.dispatch, r.err = d, nil
	if r.help == nil {
		r.help = func() {
			defer r.wg.Done()
			r.work()
		}
	}
	workers := min(int64(runtime.GOMAXPROCS(0)), total, int64(maxFrames/d.frames()))
	r.shares.divide(total, workers)
	r.workers.Store(0)
	for range workers - 1 {
		r.wg.Add(1)
		d.kernel.device.crew.do(r.help)
	}
	r.work()
	r.wg.Wait()
	return r.err
}

// work runs threadgroups until there are no more.
func (r *runner) work() {
	d, worker := r.dispatch, r.workers.Add(1)-1
	pool := d.kernel.pool(d.program)
	g := pool.take()
	defer pool.release(g)
	if err := g.prepare(d); err != nil {
		r.fail(0, err)
		return
	}
	grid := d.grid.Threadgroups
	for {
		s := r.shares.take(worker)
		if s.size() == 0 {
			return
		}
		for i := s.from; i < s.to; i++ {
			x, rest := int(i%int64(grid[0])), i/int64(grid[0])
			y, z := int(rest%int64(grid[1])), int(rest/int64(grid[1]))
			if d.stop.Load() {
				r.fail(i, d.stoppedBefore([3]int{x, y, z}))
				return
			}
			if err := g.run([3]int{x, y, z}); err != nil {
				r.fail(i, err)
				return
			}
		}
	}
}

// fail keeps the error of the first threadgroup that made one, which is the same one in every run where the kernel is
// deterministic: those behind it need not run any more. To be stopped is no mistake, and counts where there is none.
func (r *runner) fail(at int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	stopped := errors.Is(err, errStopped)
	if stopped {
		r.shares.cut(0)
	}
	wasStopped := errors.Is(r.err, errStopped)
	if r.err == nil || wasStopped && !stopped || wasStopped == stopped && at < r.first {
		r.err, r.first = err, at
	}
	r.shares.cut(at)
}
