package interp

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// activation is a call of a routine while it lasts. All lanes that make the call share
// it, and those that do not make it find their registers as they were.
type activation struct {
	back    int32                   // the instruction after the call
	objects int                     // of the frame before the call
	stacked int                     // bytes on the call stack before it
	saves   []program.OwnedRegister // of the caller, with what they held in saved
	saved   []uint64
	memory  []uint64 // of the variables of the routine
	unset   []uint64 // what is unset of them, where the program wants to know
}

// call enters a routine. back is the instruction after the call.
func (f *Frame) call(in *program.Instruction, back int32) {
	r := f.Code.Routines[in.D]
	a := f.Group.activation()
	var saves program.Saved
	if in.Imm >= 0 {
		saves = f.Code.Saves[in.Imm]
	}
	a.back, a.objects, a.stacked, a.saves = back, len(f.Objects), f.stacked, saves.Registers
	f.calls = append(f.calls, a)
	f.stacked += 8*saves.Words + r.Memory*width
	if len(f.calls) > maxCalls || f.stacked > maxStacked || len(f.Objects)+len(r.Locals) > program.MaxObjects {
		f.faultLane(in, bits.TrailingZeros32(f.Mask), nil, fmt.Sprintf(
			"the call of %s is number %d in a row, with which the call stack is full", r.Name, len(f.calls)))
	}
	a.saved, a.memory = sized(a.saved, saves.Words), sized(a.memory, r.Memory*width/8)
	to := a.saved
	for _, s := range saves.Registers {
		to = to[copy(to, f.words(s)):]
	}
	if f.Code.Forging {
		clear(a.memory)
	}
	if f.Code.Tracks {
		a.unset = sized(a.unset, len(a.memory))
		clear(a.unset)
	}
	for i := range r.Locals {
		l := &r.Locals[i]
		At[uint64](f, l.Pointer).Set(program.PointerTo(len(f.Objects)))
		o := Object{
			Base: unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.memory)), l.Info.Source.Offset*width),
			Size: int64(l.Info.Source.Size), Striped: true, Info: &l.Info,
		}
		if f.Code.Tracks {
			o.Unset = unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.unset)), l.Info.Source.Offset*width)
		}
		f.Objects = append(f.Objects, o)
	}
}

// back leaves a routine. It returns the instruction after the call.
func (f *Frame) back() int32 {
	last := len(f.calls) - 1
	a := f.calls[last]
	f.calls = f.calls[:last]
	f.Objects, f.stacked = f.Objects[:a.objects], a.stacked
	from := a.saved
	for _, s := range a.saves {
		from = from[copy(f.words(s), from):]
	}
	f.Group.spare = append(f.Group.spare, a)
	return a.back
}

// sized returns a slice of so many words: words, unless that is too short or keeps too much.
func sized(words []uint64, n int) []uint64 {
	if c := cap(words); c < n || c > 2*n+64 {
		return make([]uint64, n)
	}
	return words[:n]
}

// words returns the memory of a register or a mask.
func (f *Frame) words(r program.OwnedRegister) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Add(f.Memory, r.At)), program.ClassBytes[r.Class]/8)
}

// activation returns one that is not in use.
func (g *Threadgroup) activation() *activation {
	n := len(g.spare) - 1
	if n < 0 {
		return &activation{}
	}
	a := g.spare[n]
	g.spare = g.spare[:n]
	return a
}
