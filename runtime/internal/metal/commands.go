package metal

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// A batch that is kept is sent again and again. Where the messages of a piece are such that the GPU has commands for
// them, they are made into an MTLIndirectCommandBuffer once, and a run is one message. Where they are not, because a
// call takes textures or samplers, or a grid from a buffer, writes messages, or has a debug group, a run replays the
// tape.

var (
	selSetCommandTypes    = objc.Selector("setCommandTypes:", "vQ")
	selSetInheritBuffers  = objc.Selector("setInheritBuffers:", "vB")
	selSetInheritPipeline = objc.Selector("setInheritPipelineState:", "vB")
	selSetMaxBuffers      = objc.Selector("setMaxKernelBufferBindCount:", "vQ")
	selNewCommands        = objc.Selector("newIndirectCommandBufferWithDescriptor:maxCommandCount:options:", "@@QQ")
	selCommandAt          = objc.Selector("indirectComputeCommandAtIndex:", "@Q")
	selSetKernelBuffer    = objc.Selector("setKernelBuffer:offset:atIndex:", "v@QQ")
	selSetBarrier         = objc.Selector("setBarrier", "v")
	selCommandThreads     = objc.Selector("concurrentDispatchThreads:threadsPerThreadgroup:", "v{?=QQQ}{?=QQQ}")
	selExecuteCommands    = objc.Selector("executeCommandsInBuffer:withRange:", "v@{_NSRange=QQ}")
	selSetInCommands      = objc.Selector("setSupportIndirectCommandBuffers:", "vB")
)

// commandThreads is MTLIndirectCommandTypeConcurrentDispatchThreads. A grid of threadgroups is one of threads too, and
// so there is one type. Apple: MTLIndirectCommandBuffer.h.
const commandThreads = 1 << 6

// commands are the messages of a piece as commands of the GPU.
type commands struct {
	id      objc.ID   // an MTLIndirectCommandBuffer, or 0
	count   int       // dispatches that were looked at
	reached residency // what they use: Metal knows nothing of it
}

// reset releases the commands.
func (c *commands) reset() {
	if c.id != 0 {
		objc.WithPool(c.id.Release)
	}
	c.id, c.count = 0, 0
	c.reached.reset()
}

// makeCommands makes commands of what was recorded since the last time. Where it cannot, the tape is replayed.
func (r *recorder) makeCommands() {
	if !r.device.can.apple {
		return // barriers of other GPUs are not to be relied on
	}
	for _, p := range r.pieces[:r.count] {
		if p.commands.count == len(p.kernels) {
			continue
		}
		p.commands.reset()
		objc.WithPool(func() { _ = p.makeCommands(r.device) })
		p.commands.count = len(p.kernels)
		if p.commands.id != 0 && !r.inClose {
			r.inClose = true
			r.device.keep(r)
		}
	}
}

// Free releases the commands of a batch that is kept when the device is closed.
func (r *recorder) Free() {
	for _, p := range r.pieces {
		p.commands.reset()
	}
}

// command is what one dispatch of a tape comes to.
type command struct {
	state         objc.ID
	ids, offsets  []uintptr // of the table of buffers
	memory        [maxThreadgroupArgs]uintptr
	barrier       bool
	size, threads [3]uintptr
}

var errNoCommand = errors.New("the GPU has no command for it")

// makeCommands is called within a pool.
func (p *piece) makeCommands(d *Device) error {
	list, err := p.list(d)
	if err != nil {
		return err
	}
	buffers := 0
	for i := range list {
		buffers = max(buffers, len(list[i].ids))
	}
	id, err := d.newCommands(len(list), buffers)
	if err != nil {
		return err
	}
	s := objc.NewSender()
	defer s.Free()
	for i := range list {
		list[i].encode(s, objc.ID(s.Send(id, selCommandAt, uintptr(i))))
		p.use(i, list[i].ids)
	}
	for _, one := range p.reached.list {
		p.commands.reached.use(one.id, one.writes)
	}
	p.commands.id = id
	return nil
}

// use adds what a dispatch binds.
func (p *piece) use(dispatch int, ids []uintptr) {
	for index, id := range ids {
		written := func(a *driver.Arg) bool { return a.Index == index && a.Writes }
		p.commands.reached.use(objc.ID(id), slices.ContainsFunc(p.kernels[dispatch].Buffers, written))
	}
}

// list reads the tape.
func (p *piece) list(d *Device) ([]command, error) {
	list := make([]command, 0, len(p.kernels))
	var next command
	for i := range p.tape.Len() {
		switch sel, words := p.tape.At(i); sel {
		case selSetPipeline.Word(): // states has it
		case selSetBuffers.Word():
			next.ids, next.offsets = wordsAt(words[0], words[3]), wordsAt(words[1], words[3])
		case selSetThreadgroupMemory.Word():
			next.memory[words[1]] = words[0]
		case selMemoryBarrier.Word():
			next.barrier = true
		case selDispatchThreads.Word(), selDispatchThreadgroups.Word():
			next.size, next.threads = [3]uintptr(words[:3]), [3]uintptr(words[3:])
			if sel == selDispatchThreadgroups.Word() {
				for k := range next.size {
					next.size[k] *= next.threads[k]
				}
			}
			var err error
			if next.state, err = p.states[len(list)].inCommandsOf(d, next.threads); err != nil {
				return nil, err
			}
			list = append(list, next)
			next.barrier = false
		default:
			return nil, errNoCommand
		}
	}
	if len(list) == 0 {
		return nil, errNoCommand
	}
	return list, nil
}

// wordsAt returns words that a message of a tape points to.
func wordsAt(address, n uintptr) []uintptr { return unsafe.Slice((*uintptr)(pointerTo(address)), n) }

// newCommands makes an empty MTLIndirectCommandBuffer. A system without the class and one that returns nil are alike.
func (d *Device) newCommands(count, buffers int) (objc.ID, error) {
	descriptor, err := objc.New("MTLIndirectCommandBufferDescriptor")
	if err != nil {
		return 0, err
	}
	defer descriptor.Release()
	descriptor.Send(selSetCommandTypes, commandThreads)
	descriptor.Send(selSetInheritBuffers, 0)
	descriptor.Send(selSetInheritPipeline, 0)
	descriptor.Send(selSetMaxBuffers, uintptr(buffers))
	id := objc.ID(d.id.Send(selNewCommands, uintptr(descriptor), uintptr(count), storageShared))
	if id == 0 {
		return 0, errNoCommand
	}
	return id, nil
}

// encode sets a command of the GPU.
func (c *command) encode(s *objc.Sender, to objc.ID) {
	s.Send(to, selSetPipeline, uintptr(c.state))
	for i, id := range c.ids {
		s.Send(to, selSetKernelBuffer, id, c.offsets[i], uintptr(i))
	}
	for i, n := range c.memory {
		if n > 0 {
			s.Send(to, selSetThreadgroupMemory, n, uintptr(i))
		}
	}
	if c.barrier {
		s.Send(to, selSetBarrier)
	}
	s.SendSizes(to, selCommandThreads, c.size, c.threads)
}

// inCommands is a pipeline once more, for commands. Metal refuses some kernels.
type inCommands struct {
	once       sync.Once
	id         objc.ID
	maxThreads uintptr
	err        error
}

// inCommandsOf returns the pipeline for commands of threadgroups of so many threads. It is called within a pool.
func (p *pipeline) inCommandsOf(d *Device, threads [3]uintptr) (objc.ID, error) {
	c := &p.inCommands
	c.once.Do(func() { c.err = p.makeInCommands(d) })
	switch {
	case c.err != nil:
		return 0, c.err
	case threads[0]*threads[1]*threads[2] > c.maxThreads:
		return 0, fmt.Errorf("%w: %d threads per threadgroup", errNoCommand, c.maxThreads)
	}
	return c.id, nil
}

func (p *pipeline) makeInCommands(d *Device) error {
	if p.logs {
		return errNoCommand
	}
	descriptor, err := objc.New("MTLComputePipelineDescriptor")
	if err != nil {
		return err
	}
	defer descriptor.Release()
	descriptor.Send(selSetComputeFunction, uintptr(p.from))
	descriptor.Send(selSetInCommands, 1)
	state, _, err := d.makePipeline(descriptor, 0)
	if err != nil {
		return err
	}
	p.inCommands.id, p.inCommands.maxThreads = state, state.Send(selMaxTotalThreads)
	return nil
}
