package resolve

import "github.com/metalgen/metalgen/parser"

// Limits on what a source may ask for. What a source writes out is limited by the
// parser, so these are about what multiplies: templates, constants, functions and types
// that lead to others. The kernels in use stay far below all of them.
const (
	// maxChain bounds the functions, constants and types that each need the next. Each
	// waits on the stack, with up to 20 KB.
	maxChain = 1000
	// MaxDepth bounds the statements and expressions within one another, with those of
	// all that waits. Each takes up to 5 KB of stack, and Go ends a process whose stack
	// comes to 1 GB.
	MaxDepth = 1 << 14
	// maxWork bounds the steps of analysing a source, and again of checking a body. They
	// take some seconds. Those in use take up to 50,000, a hundred thousand enumerators 700,000.
	maxWork = 1 << 21
	// InstanceSteps is what an instance of a template counts for: it takes as long to make,
	// and some kilobytes.
	InstanceSteps = 40
	// MaxUsed bounds the namespaces that names are looked for in because of `using`.
	MaxUsed = 1 << 8
	// maxPack bounds the elements of a pack that is expanded. Each is in the names of
	// all that is made of them.
	maxPack = 1 << 10
	// maxName bounds the bytes of the name of an instance. Its arguments are in it, which may be
	// instances too, so that of `P<T, T>` is twice as long as that of T.
	maxName = 1 << 15
	// nameBytes is how much of a name is looked up, or made, in one step.
	nameBytes = 1 << 8
	// maxAliasDepth bounds how many alias templates lead to a type.
	maxAliasDepth = 32
	// MaxShared bounds the nodes of default values in a function. They are checked once
	// and are one node wherever they stand, so a tree of few nodes may stand for an
	// expression of any length: each may use the next one twice.
	MaxShared = 1 << 16
	// MaxDefaults bounds the size of a value whose fields get their initial values one
	// by one.
	MaxDefaults = 1 << 16
	// MaxSteps bounds the work on one call in a constant expression, and maxCalls how
	// deep such calls nest.
	MaxSteps = 1 << 16
	MaxCalls = 64
	// MaxExpansion bounds the tokens that a macro comes to in a formula.
	MaxExpansion = 1 << 12
	// maxTypeSize bounds the size of a type. No buffer binding is larger.
	maxTypeSize = 1 << 40
	// maxParts bounds the fields of a struct, with those of the structs within it, each
	// time it is in there. Whoever walks a type visits all of them.
	maxParts = 1 << 16
	// maxEmptyParts bounds how many empty structs are kept apart.
	maxEmptyParts = 64
)

const tooLongChain = "%s needs more than %d other functions, constants or types that each need the next"

// Work counts what is being done for a program, against the limits.
type Work struct {
	chain int // functions, constants and types that wait for another
	depth int // statements and expressions within one another
	Steps int
	Stop  func() bool // asked now and then whether the result is of no use any more; or nil
	// Over is the error of the limit that was exceeded, or of the stop. Then nothing
	// succeeds any more, so that nobody takes what was not worked out for what is not
	// so, and the work soon ends.
	Over error
}

// Step notes a step. It reports false where there is no more time for it.
func (w *Work) Step(pos parser.Pos) bool { return w.Spend(1, pos) }

// Spend notes n steps.
func (w *Work) Spend(n int, pos parser.Pos) bool {
	if w.Steps += n; w.Steps > maxWork {
		w.end(pos, "what the source asks for takes more than %d steps to work out", maxWork)
	} else if w.Steps>>8 != (w.Steps-n)>>8 && w.Stop != nil && w.Stop() {
		w.end(pos, "stopped")
	}
	return w.Over == nil
}

// end ends the work with an error, unless there is one.
func (w *Work) end(pos parser.Pos, format string, args ...any) {
	if w.Over == nil {
		w.Over = Errorf(pos, format, args...)
	}
}

// named notes that the name of an instance was made. It reports false where that is too long.
func (w *Work) named(own []string, pos parser.Pos) bool {
	size := sizeOf(own)
	if size > maxName {
		w.end(pos, "the name of an instance, with its arguments, takes more than %d bytes", maxName)
	}
	return w.Spend(size/nameBytes, pos)
}

// sizeOf returns the bytes of a namespace's name.
func sizeOf(namespace []string) int {
	size := 0
	for _, name := range namespace {
		size += len(name)
	}
	return size
}

// Descend begins a statement or an expression. It reports false where that is too much;
// else ascend ends it.
func (w *Work) Descend(pos parser.Pos) bool {
	if w.depth >= MaxDepth {
		w.end(pos, "statements and expressions nest deeper than %d here, with those of the functions and constants around",
			MaxDepth)
	}
	if !w.Step(pos) {
		return false
	}
	w.depth++
	return true
}

// Ascend ends what Descend began.
func (w *Work) Ascend() { w.depth-- }

// Wait notes that a function, constant or type is worked out while what needs it
// waits, until resumes. It returns an error where too many wait.
func (w *Work) Wait(name string, pos parser.Pos) error { return w.waitWithin(maxChain, name, pos) }

func (w *Work) waitWithin(limit int, name string, pos parser.Pos) error {
	if w.chain >= limit {
		return Errorf(pos, tooLongChain, name, maxChain)
	}
	if !w.Step(pos) {
		return ErrReported
	}
	w.chain++
	return nil
}

// Resumes ends what wait began.
func (w *Work) Resumes() { w.chain-- }
