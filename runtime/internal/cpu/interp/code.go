package interp

import (
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Code is a program with what carries it out: what its threadgroups share while they execute.
type Code struct {
	*program.Program
	Steps   []Step
	First   []Step // the prologue
	Setters []setter
	run     []Operation // by opcode
}

// Step is an instruction with the operation that it stands for. What long programs have of these should stay in the
// cache, so what few instructions need is not here.
type Step struct {
	program.Instruction
	run Operation
}

// Load returns a program as the interpreter executes it. Beside its own operations it takes others by their numbers,
// those of the sanitizer; nil for none.
func Load(p *program.Program, others []Operation) *Code {
	run := Operations()
	if others != nil {
		run = slices.Clone(run)
		for op, other := range others {
			if other != nil {
				run[op] = other
			}
		}
	}
	c := &Code{Program: p, Setters: settersOf(p), run: run}
	c.Steps, c.First = c.stepsOf(p.Code), c.stepsOf(p.Prologue)
	return c
}

func (c *Code) stepsOf(list []program.Instruction) []Step {
	steps := make([]Step, len(list))
	for i, in := range list {
		steps[i] = Step{Instruction: in, run: c.run[in.Op]}
	}
	return steps
}
