package metal

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// recorder puts a batch on tape. A message without a receiver is for the encoder,
// which is made when the batch is submitted.
type recorder struct {
	device  *Device
	tape    objc.Tape
	hazards hazards
	arena   arena
	kernels []*driver.Kernel // in the order of their dispatches
	copying copying

	pipelines map[*driver.Kernel]*pipeline

	// What the encoder will hold by then, so that it is not told again.
	pipeline  *pipeline
	shared    [maxArguments]int
	sharedSum int

	job job
}

// maxArguments is the size of Metal's tables of buffers and of threadgroup memory.
const maxArguments = 31

const barrierScopeBuffers = 1 // MTLBarrierScopeBuffers

// Record puts the messages of a dispatch on the tape: the pipeline where it is
// another one, all buffers and values at once, threadgroup memory where it
// changed, and the dispatch.
func (r *recorder) Record(d *driver.Dispatch) error {
	p, err := r.pipelineOf(d)
	if err != nil {
		return err
	}
	if err := r.check(d, p); err != nil {
		return err
	}
	r.barrier(d)
	if r.pipeline != p {
		r.pipeline = p
		r.tape.Message(0, selSetPipeline, uintptr(p.id))
	}
	if err := r.bind(d, p); err != nil {
		return err
	}
	r.share(d, p)
	label := objc.ID(0)
	if r.device.labels.Load() {
		label = p.label.of(p.kernel)
	}
	if label != 0 {
		r.tape.Message(0, selPushDebugGroup, uintptr(label))
	}
	r.dispatch(&d.Grid)
	if label != 0 {
		r.tape.Message(0, selPopDebugGroup)
	}
	r.kernels = append(r.kernels, d.Kernel)
	return nil
}

// pipelineOf is the pipeline of a dispatch. Kernels without function constants have
// one, which a recorder that has met it finds without a lock.
func (r *recorder) pipelineOf(d *driver.Dispatch) (*pipeline, error) {
	if p := r.pipelines[d.Kernel]; p != nil {
		return p, nil
	}
	p, err := r.device.pipeline(d)
	if err == nil && len(d.Kernel.Constants) == 0 {
		if r.pipelines == nil {
			r.pipelines = map[*driver.Kernel]*pipeline{}
		}
		r.pipelines[d.Kernel] = p
	}
	return p, err
}

// dispatch records the grid, in one of the three forms that Metal has.
func (r *recorder) dispatch(g *driver.Grid) {
	threads := size(g.Threads)
	switch {
	case g.Indirect.Memory != nil:
		r.tape.MessageMixed(0, selDispatchIndirect, idOf(&g.Indirect), uintptr(g.Indirect.Offset), threads)
	case g.Size != [3]int{}:
		r.tape.MessageSizes(0, selDispatchThreads, size(g.Size), threads)
	default:
		r.tape.MessageSizes(0, selDispatchThreadgroups, size(g.Threadgroups), threads)
	}
}

func size(n [3]int) [3]uintptr { return [3]uintptr{uintptr(n[0]), uintptr(n[1]), uintptr(n[2])} }

// check holds a dispatch against what only its pipeline knows: Metal would abort
// the process.
func (r *recorder) check(d *driver.Dispatch, p *pipeline) error {
	threads := d.Grid.Threads[0] * d.Grid.Threads[1] * d.Grid.Threads[2]
	if threads > p.maxThreads {
		return fmt.Errorf("the pipeline allows %d threads per threadgroup, the grid has %d", p.maxThreads, threads)
	}
	shared := p.staticMemory
	for i := range d.Shared {
		shared += d.Shared[i].Length
	}
	if limit := r.device.limits.ThreadgroupMemory; shared > limit {
		return driver.ThreadgroupMemoryError(shared, limit)
	}
	return nil
}

// share sets the lengths of threadgroup memory that changed. Those that an earlier
// kernel had stay, as long as there is room for them; then they shrink to the least
// that Apple documents, and to nothing only where that is too much still.
func (r *recorder) share(d *driver.Dispatch, p *pipeline) {
	for i := range d.Shared {
		r.setShared(d.Shared[i].Arg.Index, d.Shared[i].Length)
	}
	for _, least := range [...]int{minShared, 0} {
		if r.sharedSum+p.staticMemory <= r.device.limits.ThreadgroupMemory {
			return
		}
		for i, n := range r.shared {
			if n > least && !slices.ContainsFunc(d.Shared, func(s driver.Shared) bool { return s.Arg.Index == i }) {
				r.setShared(i, least)
			}
		}
	}
}

// minShared is the smallest length of threadgroup memory: all are a multiple of it.
// Apple: setThreadgroupMemoryLength:atIndex: of MTLComputeCommandEncoder.
const minShared = 16

func (r *recorder) setShared(index, length int) {
	if r.shared[index] != length {
		r.sharedSum += length - r.shared[index]
		r.shared[index] = length
		r.tape.Message(0, selSetThreadgroupMemory, uintptr(length), uintptr(index))
	}
}

// barrier puts one before a dispatch that must wait for earlier ones.
func (r *recorder) barrier(d *driver.Dispatch) {
	if !r.device.unified {
		return // its encoder is serial
	}
	wait := false
	for i := range d.Buffers {
		wait = wait || r.hazards.conflicts(spanOf(&d.Buffers[i]))
	}
	indirect := d.Grid.Indirect.Memory != nil
	if indirect {
		wait = wait || r.hazards.conflicts(spanOf(&d.Grid.Indirect))
	}
	if wait {
		r.tape.Message(0, selMemoryBarrier, barrierScopeBuffers)
		r.hazards.clear()
	}
	for i := range d.Buffers {
		r.hazards.add(spanOf(&d.Buffers[i]))
	}
	if indirect {
		r.hazards.add(spanOf(&d.Grid.Indirect))
	}
}

// spanOf is what a dispatch touches of a buffer. An indirect grid, which has no
// argument, is read.
func spanOf(b *driver.Buffer) span {
	start := b.Memory.(*memory).address + uintptr(b.Offset)
	return span{start: start, end: start + uintptr(b.Length), writes: b.Arg != nil && b.Arg.Writes}
}

// bind sets all buffers and values, and a placeholder for what is left out. A buffer
// of no bytes is left out too: it may lie at the end of its memory, where Metal lets
// nothing begin.
func (r *recorder) bind(d *driver.Dispatch, p *pipeline) error {
	n := p.table
	if n == 0 {
		return nil
	}
	words, address := r.tape.Words(2 * n)
	ids, offsets := words[:n], words[n:]
	for i := range ids {
		ids[i], offsets[i] = uintptr(p.placeholder.id), 0
	}
	for i := range d.Buffers {
		b := &d.Buffers[i]
		if b.Length == 0 {
			continue
		}
		ids[b.Arg.Index], offsets[b.Arg.Index] = idOf(b), uintptr(b.Offset)
	}
	for i := range d.Values {
		v := &d.Values[i]
		m, offset, err := r.arena.put(r.device, v.Bytes)
		if err != nil {
			return err
		}
		ids[v.Arg.Index], offsets[v.Arg.Index] = uintptr(m.id), uintptr(offset)
	}
	r.tape.Message(0, selSetBuffers, address, address+uintptr(n)*wordSize, 0, uintptr(n))
	return nil
}

const wordSize = 8

// Reset forgets the batch.
func (r *recorder) Reset() {
	r.tape.Reset()
	r.hazards.clear()
	r.arena.reset()
	clear(r.kernels)
	clear(r.copying.buffers[:])
	r.kernels = r.kernels[:0]
	r.pipeline, r.shared, r.sharedSum = nil, [maxArguments]int{}, 0
}
