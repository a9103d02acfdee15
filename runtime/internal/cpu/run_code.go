package cpu

import "slices"

// code is a program with what carries it out: what its threadgroups share while they execute.
type code struct {
	*program
	actions []opStep
	first   []opStep // the prologue
	setters []setter
}

// opStep is an instruction with the operation that it stands for.
type opStep struct {
	instruction
	run  operation
	both *[2]opStep // of the instructions in masked
}

// load returns a program as the interpreter executes it. Beside its own operations it takes others by their numbers,
// those of the sanitizer; nil for none.
func load(p *program, others []operation) *code {
	run := operationsOf()
	if others != nil {
		run = slices.Clone(run)
		for op, other := range others {
			if other != nil {
				run[op] = other
			}
		}
	}
	return &code{program: p, actions: actionsOf(p.code, run), first: actionsOf(p.prologue, run), setters: settersOf(p)}
}

func actionsOf(list []instruction, run []operation) []opStep {
	actions := make([]opStep, len(list))
	for i, in := range list {
		actions[i] = opStep{instruction: in, run: run[in.op]}
		if m := in.masked; m != nil {
			actions[i].both = &[2]opStep{{instruction: m[0], run: run[m[0].op]}, {instruction: m[1], run: run[m[1].op]}}
		}
	}
	return actions
}
