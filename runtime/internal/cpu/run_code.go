package cpu

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

// load returns a program as the interpreter executes it.
func load(p *program) *code {
	return &code{program: p, actions: actionsOf(p.code), first: actionsOf(p.prologue), setters: settersOf(p)}
}

func actionsOf(list []instruction) []opStep {
	run := operationsOf()
	actions := make([]opStep, len(list))
	for i, in := range list {
		actions[i] = opStep{instruction: in, run: run[in.op]}
		if m := in.masked; m != nil {
			actions[i].both = &[2]opStep{{instruction: m[0], run: run[m[0].op]}, {instruction: m[1], run: run[m[1].op]}}
		}
	}
	return actions
}
