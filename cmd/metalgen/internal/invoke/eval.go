package invoke

import (
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
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

// operators are the functions that generated code calls wherever Go's own
// operators would not be exact; where they are, both compute the same.
var operators = map[byte]func(a, b int) int{
	'+': bind.Add, '-': bind.Sub, '*': bind.Mul, '/': bind.Div, '%': bind.Mod,
}

var functions = map[string]func(a ...int) int{
	"min":       func(a ...int) int { return min(a[0], a[1]) },
	"max":       func(a ...int) int { return max(a[0], a[1]) },
	"ceil_div":  func(a ...int) int { return bind.CeilDiv(a[0], a[1]) },
	"next_pow2": func(a ...int) int { return bind.NextPow2(a[0]) },
}

// eval computes e, or reports false where a number is missing.
func (n *numbers) eval(e binding.Expr) (int, bool) {
	switch e := e.(type) {
	case binding.Lit:
		return int(e), true
	case binding.TGSize:
		if n.grid == nil {
			return 0, false
		}
		return n.grid.ThreadsPerThreadgroup(), true
	case *binding.Leaf:
		if e.Method != "" {
			length, ok := n.sizes[size{e.Arg, e.Method}]
			return length, ok
		}
		bytes, ok := n.values[e.Arg]
		if !ok {
			return 0, false
		}
		return integer(e.GoType, bytes[e.Offset:])
	case *binding.Binary:
		x, ok := n.eval(e.X)
		y, also := n.eval(e.Y)
		if !ok || !also {
			return 0, false
		}
		return operators[e.Op](x, y), true
	case *binding.Call:
		args := make([]int, len(e.Args))
		for i, arg := range e.Args {
			var ok bool
			if args[i], ok = n.eval(arg); !ok {
				return 0, false
			}
		}
		return functions[e.Func](args...), true
	}
	return 0, false
}

// triple computes three dimensions.
func (n *numbers) triple(e [3]binding.Expr) (out [3]int, ok bool) {
	for i := range e {
		if out[i], ok = n.eval(e[i]); !ok {
			return out, false
		}
	}
	return out, true
}
