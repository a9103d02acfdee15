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
	objects []object
	program *program
	stop    *atomic.Bool // set to make the frame stop
	group   *threadgroup

	backing []uint64
	private []uint64      // of variables in thread memory
	scratch [width]uint64 // addresses of the access at hand
}

// execute runs the frame until its next barrier or its end. It reports false
// where it was stopped.
func (f *frame) execute() bool {
	code := f.program.code
	pc := f.pc
	for {
		in := &code[pc]
		pc++
		switch in.flow {
		case flowNone:
			if in.masked != nil && f.mask != *maskAt(f, in.scope) {
				in.masked[0].run(f, &in.masked[0])
				in.masked[1].run(f, &in.masked[1])
				continue
			}
			in.run(f, in)
		case flowLoop:
			if f.stop.Load() {
				f.pc = pc - 1
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
		case flowBarrier:
			if f.mask != *maskAt(f, f.program.alive) {
				f.faultAt(in, errDivergentBarrier)
			}
			f.pc = pc
			return true
		case flowStop:
			f.pc, f.done = pc-1, true
			return true
		}
	}
}
