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
}

// Step is an instruction with the operation that it stands for.
type Step struct {
	program.Instruction
	run  Operation
	both *[2]Step // of the instructions in masked
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
	return &Code{Program: p, Steps: actionsOf(p.Code, run), First: actionsOf(p.Prologue, run), Setters: settersOf(p)}
}

func actionsOf(list []program.Instruction, run []Operation) []Step {
	actions := make([]Step, len(list))
	for i, in := range list {
		actions[i] = Step{Instruction: in, run: run[in.Op]}
		if m := in.Masked; m != nil {
			actions[i].both = &[2]Step{{Instruction: m[0], run: run[m[0].Op]}, {Instruction: m[1], run: run[m[1].Op]}}
		}
	}
	return actions
}
