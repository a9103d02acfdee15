package cpu

import "github.com/metalgen/metalgen/parser"

// registers knows which registers and masks of a frame are in use.
type registers struct {
	pos   parser.Pos       // of what is being lowered
	size  int32            // bytes of the frame so far
	free  [classes][]int32 // to be used again
	temp  map[int32]class  // that only the value being computed uses
	temps []int32          // those of temp, in the order of their allocation, with some that have left it
	// fixed are those that do not change while a variable has them; permanent those
	// that never change and are never freed, which are fixed too.
	fixed, permanent map[int32]bool
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
	return regs.extend(c, 1)
}

// extend returns the first of n registers side by side that nothing has used yet.
func (regs *registers) extend(c class, n int) int32 {
	if n > int(maxFrame-regs.size)/int(classSizes[c]) {
		fail(regs.pos, "the values that the kernel holds at once take more than the %d bytes that the CPU device has "+
			"for them", maxFrame)
	}
	r := regs.size
	regs.size += int32(n) * classSizes[c]
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
	regs.free[c] = append(regs.free[c], r)
}
