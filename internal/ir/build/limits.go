package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
)

// Limits on what a kernel may come to, so that none takes the memory of the machine or
// goes on being built. They are checked before anything is allocated. The largest
// kernels in use stay below a tenth of each.
const (
	// maxPrivate bounds the memory of the variables of one thread.
	maxPrivate = 1 << 18
	// maxTables bounds the bytes of the constant tables of a kernel.
	maxTables = 1 << 24
	// maxLeaves bounds the scalars of one value.
	maxLeaves = 1 << 10
	// maxObjects bounds the objects of a kernel.
	maxObjects = 1 << 15
	// maxCode bounds the instructions of a kernel: calls of calls of calls multiply.
	maxCode = 1 << 20

	// maxInline bounds calls within calls.
	maxInline = 200
	// maxDepth bounds the statements and expressions within one another, with those of
	// the inlined calls around. Each takes up to 2 KB of stack, and Go ends a process
	// whose stack comes to 1 GB.
	maxDepth = 1 << 15
	// maxWork bounds the statements and expressions that are built, also of those that
	// come to no instruction.
	maxWork = 1 << 22
)

// work counts what has been built, against the limits.
type work struct {
	steps, depth int
	stop         func() bool
}

// descend begins a statement or an expression, which ascend ends.
func (w *work) descend(pos parser.Pos) {
	if w.depth++; w.depth > maxDepth {
		fail(pos, "statements and expressions nest deeper than %d here, with those of the calls around", maxDepth)
	}
	w.step(pos)
}

func (w *work) ascend() { w.depth-- }

// step notes that an expression is built.
func (w *work) step(pos parser.Pos) {
	if w.steps++; w.steps > maxWork {
		fail(pos, "the kernel comes to more than %d expressions with its calls inlined", maxWork)
	}
	if w.steps&(1<<8-1) == 0 && w.stop != nil && w.stop() {
		panic(failure{ir.ErrStopped})
	}
}
