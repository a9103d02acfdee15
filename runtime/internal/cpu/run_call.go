package cpu

import (
	"fmt"
	"math/bits"
	"unsafe"
)

// activation is a call of a routine while it lasts. All lanes that make the call share
// it, and those that do not make it find their registers as they were.
type activation struct {
	back    int32           // the instruction behind the call
	objects int             // of the frame before the call
	stacked int             // bytes on the call stack before it
	saves   []ownedRegister // of the caller, with what they held in saved
	saved   []uint64
	memory  []uint64 // of the variables of the routine
	unset   []uint64 // what is unset of them, where the program wants to know
}

// call enters a routine. back is the instruction behind the call.
func (f *frame) call(in *instruction, back int32) {
	r := f.program.routines[in.d]
	a := f.group.activation()
	var saves saved
	if in.imm >= 0 {
		saves = f.program.saves[in.imm]
	}
	a.back, a.objects, a.stacked, a.saves = back, len(f.objects), f.stacked, saves.registers
	f.calls = append(f.calls, a)
	f.stacked += 8*saves.words + r.memory*width
	if len(f.calls) > maxCalls || f.stacked > maxStacked || len(f.objects)+len(r.locals) > maxObjects {
		f.faultLane(in, bits.TrailingZeros32(f.mask), nil, fmt.Sprintf(
			"the call of %s is number %d in a row, with which the call stack is full", r.name, len(f.calls)))
	}
	a.saved, a.memory = sized(a.saved, saves.words), sized(a.memory, r.memory*width/8)
	to := a.saved
	for _, s := range saves.registers {
		to = to[copy(to, f.words(s)):]
	}
	if f.program.forging {
		clear(a.memory)
	}
	if f.program.tracks {
		a.unset = sized(a.unset, len(a.memory))
		clear(a.unset)
	}
	for i := range r.locals {
		l := &r.locals[i]
		at[uint64](f, l.pointer).set(pointerTo(len(f.objects)))
		o := object{
			base: unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.memory)), l.info.source.offset*width),
			size: int64(l.info.source.size), striped: true, info: &l.info,
		}
		if f.program.tracks {
			o.unset = unsafe.Add(unsafe.Pointer(unsafe.SliceData(a.unset)), l.info.source.offset*width)
		}
		f.objects = append(f.objects, o)
	}
}

// back leaves a routine. It returns the instruction behind the call.
func (f *frame) back() int32 {
	last := len(f.calls) - 1
	a := f.calls[last]
	f.calls = f.calls[:last]
	f.objects, f.stacked = f.objects[:a.objects], a.stacked
	from := a.saved
	for _, s := range a.saves {
		from = from[copy(f.words(s), from):]
	}
	f.group.spare = append(f.group.spare, a)
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
func (f *frame) words(r ownedRegister) []uint64 {
	return unsafe.Slice((*uint64)(unsafe.Add(f.memory, r.at)), classSizes[r.class]/8)
}

// activation returns one that is not in use.
func (g *threadgroup) activation() *activation {
	n := len(g.spare) - 1
	if n < 0 {
		return &activation{}
	}
	a := g.spare[n]
	g.spare = g.spare[:n]
	return a
}
