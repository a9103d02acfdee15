package cpu

import "github.com/metalgen/metalgen/parser"

// registers knows which registers and masks of a frame are in use.
type registers struct {
	pos  parser.Pos       // of what is being written
	size int32            // bytes of the frame so far
	mask int32            // the next mask, unless it is the start of a line
	free [classes][]int32 // to be used again
	// window are the registers of the routine that is being written, in use or not.
	window    []ownedRegister
	inRoutine bool
}

// allocate returns a register or a mask that is free.
func (regs *registers) allocate(c class) int32 {
	if n := len(regs.free[c]); n > 0 {
		r := regs.free[c][n-1]
		regs.free[c] = regs.free[c][:n-1]
		return r
	}
	return regs.fresh(c)
}

// giveBack frees a register.
func (regs *registers) giveBack(c class, r int32) { regs.free[c] = append(regs.free[c], r) }

// fresh returns a register or a mask that nothing has used yet.
func (regs *registers) fresh(c class) int32 {
	r := regs.extend(c, 1)
	if regs.inRoutine {
		regs.window = append(regs.window, ownedRegister{c, r})
	}
	return r
}

// beginWindow makes the registers that are allocated from here on those of a routine: no
// other has them.
func (regs *registers) beginWindow() {
	regs.free, regs.window, regs.inRoutine = [classes][]int32{}, nil, true
}

// live returns the registers of the routine that are in use.
func (regs *registers) live() saved {
	free := map[int32]bool{}
	for _, list := range regs.free {
		for _, r := range list {
			free[r] = true
		}
	}
	var live saved
	for _, r := range regs.window {
		if !free[r.at] {
			live.registers = append(live.registers, r)
			live.words += int(classSizes[r.class]) / 8
		}
	}
	return live
}

// extend returns the first of n registers side by side, or a mask, that nothing has used yet.
// Registers begin at cache lines, and masks share them.
func (regs *registers) extend(c class, n int) int32 {
	if c == maskClass {
		if regs.mask%lineSize == 0 {
			regs.mask = regs.lines(lineSize)
		}
		regs.mask += classSizes[maskClass]
		return regs.mask - classSizes[maskClass]
	}
	return regs.lines(n * int(classSizes[c]))
}

// lines returns so many bytes, from the start of a cache line on.
func (regs *registers) lines(bytes int) int32 {
	if bytes > maxFrame-int(regs.size) {
		fail(regs.pos, "the values that the kernel holds at once take more than the %d bytes that the CPU device has "+
			"for them", maxFrame)
	}
	r := regs.size
	regs.size += int32(bytes+lineSize-1) &^ (lineSize - 1)
	return r
}
