package interp

import (
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Frame is a simd-group while it executes: its registers and masks, which of
// its lanes are active, and where it is in the program.
type Frame struct {
	Memory  unsafe.Pointer // of registers and masks
	Mask    uint32         // the active lanes
	PC      int32
	Done    bool
	Paused  bool // in the middle of a loop, where others have their turn
	waiting bool // at a barrier, where a schedule runs it
	Index   int  // of the simd-group in its threadgroup
	Objects []Object
	Code    *Code
	Steps   []Step       // of the program, with the places where native code may go on
	Stop    *atomic.Bool // set to make the frame stop
	Handoff handoff
	Row     *uint32 // of the threadgroup's rows, which says what differs from the first simd-group
	Group   *Threadgroup

	calls   []*activation // of routines, the innermost last
	stacked int           // bytes that they take
	places  places
	backing []uint64
	private []uint64      // of variables in thread memory
	unset   []uint64      // what is unset of that, where the program wants to know
	scratch [width]uint64 // of addresses
	bits    [width]uint32 // of floats that are stored with fewer, or lanes that a shuffle reads
}

// Execute runs the frame until its next barrier or its end. It reports false
// where it was stopped.
func (f *Frame) Execute() bool {
	code := f.Steps
	pc := f.PC
	for {
		in := &code[pc]
		pc++
	again:
		switch in.Flow {
		case program.FlowNone:
			if both := in.Masked; both != nil && f.Mask != *MaskAt(f, in.Scope) {
				f.Code.run[both[0].Op](f, &both[0])
				f.Code.run[both[1].Op](f, &both[1])
				continue
			}
			in.run(f, &in.Instruction)
		case program.FlowLoop:
			if f.Stop.Load() {
				f.PC, f.Group.Failed = in.Target, f.Index
				return false
			}
			pc = in.Target
		case program.FlowIf:
			*MaskAt(f, in.D) = f.Mask
			m := *MaskAt(f, in.A) & f.Mask
			if m == 0 {
				*MaskAt(f, in.B) = f.Mask
				pc = in.Target
				continue
			}
			*MaskAt(f, in.B) = m
			f.Mask = m
		case program.FlowElse:
			m := *MaskAt(f, in.D) &^ *MaskAt(f, in.A)
			*MaskAt(f, in.B) = m
			if m == 0 {
				pc = in.Target
				continue
			}
			f.Mask = m
		case program.FlowEnd:
			f.Mask = *MaskAt(f, in.D)
			if f.Mask == 0 {
				pc = in.Target
			}
		case program.FlowEnter:
			*MaskAt(f, in.D) = f.Mask
			*MaskAt(f, in.B) = f.Mask
		case program.FlowTest:
			m := *MaskAt(f, in.B) & *MaskAt(f, in.A)
			*MaskAt(f, in.B) = m
			if m == 0 {
				pc = in.Target
				continue
			}
			f.Mask = m
		case program.FlowNext:
			f.Mask = *MaskAt(f, in.B)
			if f.Mask == 0 {
				pc = in.Target
			}
		case program.FlowSwitch:
			*MaskAt(f, in.D) = f.Mask
			*MaskAt(f, in.B) = 0
		case program.FlowCase:
			m := *MaskAt(f, in.B) | *MaskAt(f, in.D)&*MaskAt(f, in.A)
			*MaskAt(f, in.B) = m
			if m == 0 {
				pc = in.Target
				continue
			}
			f.Mask = m
		case program.FlowLeave:
			for _, slot := range f.Code.Leaves[in.Imm] {
				*MaskAt(f, slot) &^= f.Mask
			}
			f.Mask = 0
			pc = in.Target
		case program.FlowCall:
			if f.Stop.Load() {
				f.PC, f.Group.Failed = pc-1, f.Index
				return false
			}
			f.call(&in.Instruction, pc)
			pc = in.Target
		case program.FlowReturn:
			pc = f.back()
		case program.FlowBarrier:
			f.PC = pc
			return true
		case program.FlowPause:
			if s := f.Group.Turns; s.stops() {
				f.PC, f.waiting = pc, false
				return true
			}
		case program.FlowStop:
			f.PC, f.Done = pc-1, true
			return true
		case program.FlowNative:
			if f.Group.machine.Offers(f, pc-1) {
				return true
			}
			in = &f.Code.Steps[pc-1]
			goto again
		}
	}
}

// Apply executes one instruction, which is an operation.
func (f *Frame) Apply(pc int32) {
	in := &f.Code.Steps[pc]
	if both := in.Masked; both != nil && f.Mask != *MaskAt(f, in.Scope) {
		f.Code.run[both[0].Op](f, &both[0])
		f.Code.run[both[1].Op](f, &both[1])
		return
	}
	in.run(f, &in.Instruction)
}

// At returns the register at an offset of a frame.
func At[T word](f *Frame, offset int32) *Register[T] {
	return (*Register[T])(unsafe.Add(f.Memory, offset))
}

// MaskAt returns the mask at an offset of a frame.
func MaskAt(f *Frame, offset int32) *uint32 {
	return (*uint32)(unsafe.Add(f.Memory, offset))
}

// setConstant makes a register, or a mask, of a frame a constant.
func setConstant(f *Frame, c *program.Constant) {
	to := c.At
	switch c.Class {
	case program.MaskClass:
		*MaskAt(f, to) = uint32(c.Bits)
	case program.WordClass:
		At[uint32](f, to).Set(uint32(c.Bits))
	default:
		At[uint64](f, to).Set(c.Bits)
	}
}

// prepare makes a frame ready for a dispatch. Objects, constants and the results of the
// prologue are the same for all its threadgroups.
func (f *Frame) prepare(g *Threadgroup) {
	d := g.Dispatch
	p := d.Code
	f.Group, f.Stop = g, d.Stop
	if f.Code != p {
		f.Code = p
		if words := int(p.Size+program.LineSize) / 8; words > len(f.backing) {
			f.backing = make([]uint64, words)
		}
		start := unsafe.Pointer(&f.backing[0])
		f.Memory = unsafe.Add(start, -uintptr(start)&(program.LineSize-1))
		if words := p.Private * width / 8; words > len(f.private) {
			f.private = make([]uint64, words)
		}
		for i := range p.Constants {
			setConstant(f, &p.Constants[i])
		}
	}
	if p.Tracks {
		f.unset = sized(f.unset, p.Private*width/8)
		clear(f.unset)
	}
	if p.Forging { // it may read a variable before its life, and find what an earlier dispatch left
		clear(f.private)
	}
	f.Steps = p.Steps
	f.Objects = append(f.Objects[:0], d.Objects...)
	f.calls, f.stacked = f.calls[:0], 0
	for i := range f.Objects {
		o := &f.Objects[i]
		if prepare := preparers[o.Info.Source.Kind]; prepare != nil {
			prepare(f, o)
		}
		o.Near = min(o.Size, MaxNear)
	}
	for i := range p.Setters {
		if v := &p.Setters[i]; v.kept {
			v.Set(f, v.Regs, f.Index)
		}
	}
	f.Mask = full
	for i := range p.First {
		in := &p.First[i]
		in.run(f, &in.Instruction)
	}
}

// enter puts the frame of a simd-group at the start of the program.
func (f *Frame) enter(index int) {
	g := f.Group
	first := index * width
	f.PC, f.Done, f.Paused, f.waiting, f.Mask = 0, false, false, false, full
	if n := g.count - first; n < width {
		f.Mask = 1<<n - 1
	}
	f.Handoff = handoff{}
	p := f.Code
	*MaskAt(f, p.Alive) = f.Mask
	for i := range p.Setters {
		if v := &p.Setters[i]; !v.kept {
			v.Set(f, v.Regs, index)
		}
	}
}
