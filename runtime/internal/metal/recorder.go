package metal

import (
	"errors"
	"fmt"

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
	kernels []string // in the order of their dispatches

	// What the encoder will hold by then, so that it is not told again.
	pipeline *pipeline
	shared   [maxArguments]int

	job job
}

// maxArguments is the size of Metal's tables of buffers and of threadgroup memory.
const maxArguments = 31

const barrierScopeBuffers = 1 // MTLBarrierScopeBuffers

// Record puts the messages of a dispatch on the tape: the pipeline where it is
// another one, all buffers and values at once, threadgroup memory where it
// changed, and the dispatch.
func (r *recorder) Record(d *driver.Dispatch) error {
	p, err := r.device.pipeline(d)
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
	if err := r.bind(d); err != nil {
		return err
	}
	for i := range d.Shared {
		s := &d.Shared[i]
		if r.shared[s.Arg.Index] != s.Length {
			r.shared[s.Arg.Index] = s.Length
			r.tape.Message(0, selSetThreadgroupMemory, uintptr(s.Length), uintptr(s.Arg.Index))
		}
	}
	if d.Grid.Size != [3]int{} {
		r.tape.MessageSizes(0, selDispatchThreads, size(d.Grid.Size), size(d.Grid.Threads))
	} else {
		r.tape.MessageSizes(0, selDispatchThreadgroups, size(d.Grid.Threadgroups), size(d.Grid.Threads))
	}
	r.kernels = append(r.kernels, d.Kernel.Name)
	return nil
}

// Copy is not there yet.
func (r *recorder) Copy(to, from driver.Buffer) error { return errors.ErrUnsupported }

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
		return fmt.Errorf("the kernel needs %d bytes of threadgroup memory, with its own variables, and the device has %d", shared, limit)
	}
	return nil
}

// barrier puts one before a dispatch that must wait for earlier ones.
func (r *recorder) barrier(d *driver.Dispatch) {
	if !r.device.unified {
		return // its encoder is serial
	}
	wait := false
	for i := range d.Buffers {
		s := spanOf(&d.Buffers[i])
		wait = wait || r.hazards.conflicts(&s)
	}
	if wait {
		r.tape.Message(0, selMemoryBarrier, barrierScopeBuffers)
		r.hazards.clear()
	}
	for i := range d.Buffers {
		r.hazards.add(spanOf(&d.Buffers[i]))
	}
}

func spanOf(b *driver.Buffer) span {
	return span{memory: uintptr(b.Memory.(*memory).id), start: b.Offset, end: b.Offset + b.Length, writes: b.Arg.Writes}
}

// bind sets all buffers and values, and a placeholder for what is left out.
func (r *recorder) bind(d *driver.Dispatch) error {
	n := 0
	for _, a := range d.Kernel.Buffers {
		n = max(n, a.Index+1)
	}
	for _, a := range d.Kernel.Values {
		n = max(n, a.Index+1)
	}
	if n == 0 {
		return nil
	}
	words, address := r.tape.Words(2 * n)
	ids, offsets := words[:n], words[n:]
	for i := range ids {
		ids[i], offsets[i] = uintptr(r.device.placeholder.id), 0
	}
	for i := range d.Buffers {
		b := &d.Buffers[i]
		ids[b.Arg.Index], offsets[b.Arg.Index] = uintptr(b.Memory.(*memory).id), uintptr(b.Offset)
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
	r.kernels = r.kernels[:0]
	r.pipeline, r.shared = nil, [maxArguments]int{}
}
