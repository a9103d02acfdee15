package cpu

import (
	"sync/atomic"
	"unsafe"
)

// frame is a simd-group while it executes: its registers and masks, which of
// its lanes are active, and where it is in the program.
type frame struct {
	memory  unsafe.Pointer // of registers and masks
	mask    uint32         // the active lanes
	pc      int32
	done    bool
	waiting bool // at a barrier, where a schedule runs it
	index   int  // of the simd-group in its threadgroup
	objects []object
	program *code
	code    []opStep     // of the program, with the places where native code may go on
	stop    *atomic.Bool // set to make the frame stop
	handoff handoff
	row     *uint32 // of the threadgroup's rows, which says what differs from the first simd-group
	group   *threadgroup

	calls   []*activation // of routines, the innermost last
	stacked int           // bytes that they take
	backing []uint64
	private []uint64      // of variables in thread memory
	unset   []uint64      // what is unset of that, where the program wants to know
	scratch [width]uint64 // of addresses
	bits    [width]uint32 // of floats that are stored with fewer, or lanes that a shuffle reads
}

// execute runs the frame until its next barrier or its end. It reports false
// where it was stopped.
func (f *frame) execute() bool {
	code := f.code
	pc := f.pc
	for {
		in := &code[pc]
		pc++
	again:
		switch in.flow {
		case flowNone:
			if in.both != nil && f.mask != *maskAt(f, in.scope) {
				in.both[0].run(f, &in.both[0].instruction)
				in.both[1].run(f, &in.both[1].instruction)
				continue
			}
			in.run(f, &in.instruction)
		case flowLoop:
			if f.stop.Load() {
				f.pc, f.group.failed = in.target, f.index
				return false
			}
			pc = in.target
		case flowIf:
			*maskAt(f, in.d) = f.mask
			m := *maskAt(f, in.a) & f.mask
			*maskAt(f, in.b) = m
			if m == 0 {
				pc = in.target
				continue
			}
			f.mask = m
		case flowElse:
			m := *maskAt(f, in.d) &^ *maskAt(f, in.a)
			*maskAt(f, in.b) = m
			if m == 0 {
				pc = in.target
				continue
			}
			f.mask = m
		case flowEnd:
			f.mask = *maskAt(f, in.d)
			if f.mask == 0 {
				pc = in.target
			}
		case flowEnter:
			*maskAt(f, in.d) = f.mask
			*maskAt(f, in.b) = f.mask
		case flowTest:
			m := *maskAt(f, in.b) & *maskAt(f, in.a)
			*maskAt(f, in.b) = m
			if m == 0 {
				pc = in.target
				continue
			}
			f.mask = m
		case flowNext:
			f.mask = *maskAt(f, in.b)
			if f.mask == 0 {
				pc = in.target
			}
		case flowSwitch:
			*maskAt(f, in.d) = f.mask
			*maskAt(f, in.b) = 0
		case flowCase:
			m := *maskAt(f, in.b) | *maskAt(f, in.d)&*maskAt(f, in.a)
			*maskAt(f, in.b) = m
			if m == 0 {
				pc = in.target
				continue
			}
			f.mask = m
		case flowLeave:
			for _, slot := range f.program.leaves[in.imm] {
				*maskAt(f, slot) &^= f.mask
			}
			f.mask = 0
			pc = in.target
		case flowCall:
			if f.stop.Load() {
				f.pc, f.group.failed = pc-1, f.index
				return false
			}
			f.call(&in.instruction, pc)
			pc = in.target
		case flowReturn:
			pc = f.back()
		case flowBarrier:
			f.pc = pc
			return true
		case flowPause:
			if s := f.group.turns; s.stops() {
				f.pc, f.waiting = pc, false
				return true
			}
		case flowStop:
			f.pc, f.done = pc-1, true
			return true
		case flowNative:
			if f.group.machine.Offers(f, pc-1) {
				return true
			}
			in = &f.program.actions[pc-1]
			goto again
		}
	}
}

func at[T word](f *frame, offset int32) *register[T] {
	return (*register[T])(unsafe.Add(f.memory, offset))
}

func maskAt(f *frame, offset int32) *uint32 {
	return (*uint32)(unsafe.Add(f.memory, offset))
}

// setConstant makes a register, or a mask, of a frame a constant.
func setConstant(f *frame, c *constant) {
	to := c.at
	switch c.class {
	case maskClass:
		*maskAt(f, to) = uint32(c.bits)
	case wordClass:
		at[uint32](f, to).set(uint32(c.bits))
	default:
		at[uint64](f, to).set(c.bits)
	}
}

// prepare makes a frame ready for a dispatch. Objects, constants and the results of the
// prologue are the same for all its threadgroups.
func (f *frame) prepare(g *threadgroup) {
	d := g.dispatch
	p := d.program
	f.group, f.stop = g, d.stop
	if f.program != p {
		f.program = p
		if words := int(p.size+lineSize) / 8; words > len(f.backing) {
			f.backing = make([]uint64, words)
		}
		start := unsafe.Pointer(&f.backing[0])
		f.memory = unsafe.Add(start, -uintptr(start)&(lineSize-1))
		if words := p.private * width / 8; words > len(f.private) {
			f.private = make([]uint64, words)
		}
		for i := range p.constants {
			setConstant(f, &p.constants[i])
		}
	}
	if p.tracks {
		f.unset = sized(f.unset, p.private*width/8)
		clear(f.unset)
	}
	if p.forging { // it may read a variable before its life, and find what an earlier dispatch left
		clear(f.private)
	}
	f.code = p.actions
	f.objects = append(f.objects[:0], d.objects...)
	f.calls, f.stacked = f.calls[:0], 0
	for i := range f.objects {
		o := &f.objects[i]
		if prepare := preparers[o.info.source.kind]; prepare != nil {
			prepare(f, o)
		}
	}
	for _, ptr := range p.pointers {
		at[uint64](f, ptr.at).set(pointerTo(ptr.object))
	}
	for i := range p.setters {
		if v := &p.setters[i]; v.kept {
			v.set(f, v.regs, f.index)
		}
	}
	f.mask = full
	for i := range p.first {
		in := &p.first[i]
		in.run(f, &in.instruction)
	}
}

// enter puts the frame of a simd-group at the start of the program.
func (f *frame) enter(index int) {
	g := f.group
	first := index * width
	f.pc, f.done, f.waiting, f.mask = 0, false, false, full
	if n := g.count - first; n < width {
		f.mask = 1<<n - 1
	}
	f.handoff = handoff{}
	p := f.program
	*maskAt(f, p.alive) = f.mask
	for i := range p.pointers {
		if ptr := &p.pointers[i]; ptr.changes {
			at[uint64](f, ptr.at).set(pointerTo(ptr.object))
		}
	}
	for i := range p.setters {
		if v := &p.setters[i]; !v.kept {
			v.set(f, v.regs, index)
		}
	}
}
