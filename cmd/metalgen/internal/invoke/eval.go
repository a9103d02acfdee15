package invoke

import (
	"github.com/metalgen/metalgen/cmd/metalgen/internal/formula"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
)

// numbers are what the expressions of a kernel are computed from. What is not in
// them was not given, or is wrong and reported.
type numbers struct {
	values map[*binding.Arg][]byte
	sizes  map[size]int
	grid   *runtime.Grid // for tg_size; nil where it is not known
}

// size is what a method of an argument returns: Len of a buffer, Width of a texture.
type size struct {
	*binding.Arg
	method string
}

const lengthOfBuffer = "Len"

// TGSize returns the threads of a threadgroup.
func (n *numbers) TGSize() (int, bool) {
	if n.grid == nil {
		return 0, false
	}
	return n.grid.ThreadsPerThreadgroup(), true
}

// Leaf returns a number that arguments have.
func (n *numbers) Leaf(l *binding.Leaf) (int, bool) {
	if l.Method != "" {
		length, ok := n.sizes[size{l.Arg, l.Method}]
		return length, ok
	}
	bytes, ok := n.values[l.Arg]
	if !ok {
		return 0, false
	}
	return integer(l.GoType, bytes[l.Offset:])
}

// eval computes e, or reports false where a number is missing.
func (n *numbers) eval(e binding.Expr) (int, bool) { return formula.Eval(e, n) }

// triple computes three dimensions.
func (n *numbers) triple(e [3]binding.Expr) ([3]int, bool) { return formula.Triple(e, n) }
