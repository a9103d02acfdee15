package assemble

import (
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// registers knows which registers and masks of a frame are in use.
type registers struct {
	pos  parser.Pos               // of what is being written
	size int32                    // bytes of the frame so far
	mask int32                    // the next mask, unless it is the start of a line
	free [program.Classes][]int32 // to be used again
	// window are the registers of the routine that is being written, in use or not.
	window    []program.OwnedRegister
	inRoutine bool
}

// allocate returns a register or a mask that is free.
func (regs *registers) allocate(c program.Class) int32 {
	if n := len(regs.free[c]); n > 0 {
		r := regs.free[c][n-1]
		regs.free[c] = regs.free[c][:n-1]
		return r
	}
	return regs.fresh(c)
}

// giveBack frees a register.
func (regs *registers) giveBack(c program.Class, r int32) { regs.free[c] = append(regs.free[c], r) }

// fresh returns a register or a mask that nothing has used yet.
func (regs *registers) fresh(c program.Class) int32 {
	r := regs.extend(c, 1)
	if regs.inRoutine {
		regs.window = append(regs.window, program.OwnedRegister{Class: c, At: r})
	}
	return r
}

// beginWindow makes the registers that are allocated from here on those of a routine: no
// other has them.
func (regs *registers) beginWindow() {
	regs.free, regs.window, regs.inRoutine = [program.Classes][]int32{}, nil, true
}

// live returns the registers of the routine that are in use.
func (regs *registers) live() program.Saved {
	free := map[int32]bool{}
	for _, list := range regs.free {
		for _, r := range list {
			free[r] = true
		}
	}
	var live program.Saved
	for _, r := range regs.window {
		if !free[r.At] {
			live.Registers = append(live.Registers, r)
			live.Words += int(program.ClassBytes[r.Class]) / 8
		}
	}
	return live
}

// extend returns the first of n registers side by side, or a mask, that nothing has used yet.
// Registers begin at cache lines, and masks share them.
func (regs *registers) extend(c program.Class, n int) int32 {
	if c == program.MaskClass {
		if regs.mask%program.LineSize == 0 {
			regs.mask = regs.lines(program.LineSize)
		}
		regs.mask += program.ClassBytes[program.MaskClass]
		return regs.mask - program.ClassBytes[program.MaskClass]
	}
	return regs.lines(n * int(program.ClassBytes[c]))
}

// lines returns so many bytes, from the start of a cache line on.
func (regs *registers) lines(bytes int) int32 {
	if bytes > program.MaxFrame-int(regs.size) {
		fail(regs.pos, "the values that the kernel holds at once take more than the %d bytes that the CPU device has "+
			"for them", program.MaxFrame)
	}
	r := regs.size
	regs.size += int32(bytes+program.LineSize-1) &^ (program.LineSize - 1)
	return r
}
