package interp

// Machine executes the simd-groups of a threadgroup in the place of the interpreter, where it has code for them.
type Machine interface {
	// Prepare makes ready for the dispatch of the threadgroup.
	Prepare()
	// Begin is told of a threadgroup at its start, and how many may follow. It reports whether it enters the simd-groups
	// itself.
	Begin(more int64) bool
	// Entered is told that the interpreter has entered the simd-groups.
	Entered()
	// Active reports whether there is code for the threadgroup.
	Active() bool
	// Run executes simd-groups in the order in which they run, each until its next barrier or its end, and on from there
	// where it knows that all have met, also those of threadgroups that follow. It reports false where one was stopped.
	Run(frames []Frame) bool
	// IsFresh reports whether a simd-group has yet to begin.
	IsFresh(f *Frame) bool
	// Offers reports whether the interpreter stops at an instruction for code to go on.
	Offers(f *Frame, pc int32) bool
}

// handoff is how a simd-group stands between the interpreter and a machine.
type handoff struct {
	Holds   bool  // the registers are as the machine holds them at pc
	Offered bool  // the interpreter has stopped at pc, where the machine may go on
	Refused int32 // an instruction at which it does not go on, plus one
}

// hasCode reports whether there is code for the threadgroup.
func (g *Threadgroup) hasCode() bool { return g.machine != nil && g.machine.Active() }

// isFresh reports whether a machine has yet to begin a simd-group.
func (g *Threadgroup) isFresh(f *Frame) bool { return g.machine != nil && g.machine.IsFresh(f) }
