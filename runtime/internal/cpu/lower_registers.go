package cpu

import "github.com/metalgen/metalgen/parser"

// registers knows which registers and masks of a frame are in use.
type registers struct {
	pos   parser.Pos       // of what is being lowered
	size  int32            // bytes of the frame so far
	mask  int32            // the next mask, unless it is the start of a line
	free  [classes][]int32 // to be used again
	temp  map[int32]class  // that only the value being computed uses
	temps []int32          // those of temp, in the order of their allocation, with some that have left it
	// fixed are those that do not change while a variable has them; permanent those
	// that never change and are never freed, which are fixed too.
	fixed, permanent map[int32]bool
	// window are the registers of the routine that is being lowered, in use or not.
	window    []ownedRegister
	inRoutine bool
	unsets
}

func newRegisters() registers {
	return registers{temp: map[int32]class{}, fixed: map[int32]bool{}, permanent: map[int32]bool{}}
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

// permanently returns a register that holds the same value from before the first
// instruction to the end.
func (regs *registers) permanently(c class) int32 {
	r := regs.extend(c, 1)
	regs.fixed[r], regs.permanent[r] = true, true
	return r
}

// newTemp returns a register until the end of the statement.
func (regs *registers) newTemp(c class) int32 {
	r := regs.allocate(c)
	regs.temp[r] = c
	regs.temps = append(regs.temps, r)
	return r
}

func (regs *registers) isTemp(r int32) bool {
	_, ok := regs.temp[r]
	return ok
}

// claim makes a temporary register one that lives until it is given back.
func (regs *registers) claim(r int32) { delete(regs.temp, r) }

// mark returns what release takes.
func (regs *registers) mark() int { return len(regs.temps) }

// release frees the temporary registers that were allocated since mark.
func (regs *registers) release(mark int) {
	for _, r := range regs.temps[mark:] {
		if c, ok := regs.temp[r]; ok {
			regs.giveBack(c, r)
			delete(regs.temp, r)
		}
	}
	regs.temps = regs.temps[:mark]
}

// giveBack frees a register.
func (regs *registers) giveBack(c class, r int32) {
	if u, ok := regs.of[r]; ok {
		delete(regs.of, r)
		regs.giveBack(unsetClass, u)
	}
	delete(regs.joins, r)
	regs.free[c] = append(regs.free[c], r)
}
