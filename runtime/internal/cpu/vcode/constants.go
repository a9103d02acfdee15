package vcode

import "slices"

// Constants of the first block, which all simd-groups go through, keep registers that no unit has, on a machine with
// many. They are made where the code is entered, and not by each simd-group. If there are too many none is kept: what
// takes many constants takes many registers.

// leftToBlocks are vectors that stay free of such constants.
const leftToBlocks = 15

// constants are those that keep a register.
type constants struct {
	free   []Reg   // units with registers for them
	made   []Instr // what makes them
	chosen bool
}

// spareFor makes units of registers that no unit has taken.
func (c *constants) spareFor(a *Allocator, taken *[maxRegisters][]Span) {
	for r := leftToBlocks + 1; r <= a.t.Registers[V]; r++ {
		if len(taken[r]) == 0 {
			u := a.Unit(V, Home{})
			a.fixed[u] = Reg(r)
			c.free = append(c.free, u)
		}
	}
}

// choose finds the constants of the first block.
func (c *constants) choose(a *Allocator, code []Instr) {
	c.chosen = true
	for i := range code {
		if in := &code[i]; isConstant(a, in) && c.find(in) < 0 {
			if len(c.made) == len(c.free) {
				c.made = nil
				return
			}
			c.made = append(c.made, Instr{Op: in.Op, Imm: in.Imm, Words: in.Words, D: a.fixed[c.free[len(c.made)]]})
		}
	}
}

// isConstant reports whether an instruction makes a constant in a block.
func isConstant(a *Allocator, in *Instr) bool {
	return (in.Op == VConst32 || in.Op == VConst64 || in.Op == VWords) && int(in.D) >= a.units
}

// find returns which of them an instruction makes, or -1.
func (c *constants) find(in *Instr) int {
	return slices.IndexFunc(c.made, func(m Instr) bool {
		return m.Op == in.Op && m.Imm == in.Imm && slices.Equal(m.Words, in.Words)
	})
}

// use has registers of a block be those of the same constants.
func (c *constants) use(a *Allocator, code []Instr) {
	if !c.chosen {
		c.choose(a, code)
	}
	if len(c.made) == 0 {
		return
	}
	for i := range code {
		if in := &code[i]; isConstant(a, in) {
			if n := c.find(in); n >= 0 {
				a.fixed[in.D] = c.made[n].D
				*in = Instr{}
			}
		}
	}
	for _, u := range c.free[:len(c.made)] {
		a.owner[V][a.fixed[u]] = u
	}
}

// MakeConstants writes what makes the constants that keep registers, when all blocks have been made.
func MakeConstants(a *Allocator) {
	for _, in := range a.constants.made {
		a.put(in)
	}
}
