package invoke

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
)

func TestEval(t *testing.T) {
	p, x, absent := &binding.Arg{Name: "p"}, &binding.Arg{Name: "x"}, &binding.Arg{Name: "absent"}
	bytes := binary.LittleEndian.AppendUint32(nil, 1000)
	bytes = binary.LittleEndian.AppendUint64(bytes, math.MaxUint64)
	bytes = append(bytes, 0xff, 0xff)
	n := &numbers{
		values: map[*binding.Arg][]byte{p: bytes}, sizes: map[size]int{{x, "Len"}: 77},
		grid: &runtime.Grid{Threads: [3]int{8, 4, 2}},
	}
	leaf := func(goType binding.GoType, offset int) binding.Expr {
		return &binding.Leaf{Arg: p, Offset: offset, GoType: goType}
	}
	dim, huge, negative := leaf(binding.Uint32, 0), leaf(binding.Uint64, 4), leaf(binding.Int16, 12)
	lit := func(n int64) binding.Expr { return binding.Lit(n) }
	op := func(x binding.Expr, op byte, y binding.Expr) binding.Expr { return &binding.Binary{Op: op, X: x, Y: y} }
	call := func(name string, args ...binding.Expr) binding.Expr { return &binding.Call{Func: name, Args: args} }
	for _, test := range []struct {
		expr binding.Expr
		want int
	}{
		{lit(3), 3},
		{dim, 1000},
		{huge, math.MaxInt},
		{negative, -1},
		{leaf(binding.Uint16, 12), 65535},
		{leaf(binding.Int8, 12), -1},
		{leaf(binding.Uint8, 12), 255},
		{&binding.Leaf{Arg: x, Method: "Len"}, 77},
		{binding.TGSize{}, 64},
		{op(dim, '+', lit(255)), 1255},
		{op(dim, '-', lit(1001)), -1},
		{op(dim, '*', dim), 1000000},
		{op(dim, '/', lit(7)), 142},
		{op(dim, '%', lit(7)), 6},
		{op(huge, '*', dim), math.MaxInt},
		{op(op(huge, '*', dim), '/', dim), math.MaxInt},
		{op(dim, '/', op(dim, '-', dim)), math.MaxInt},
		{op(op(dim, '-', dim), '*', huge), 0},
		{call("min", dim, lit(256)), 256},
		{call("max", dim, lit(256)), 1000},
		{call("ceil_div", dim, lit(256)), 4},
		{call("next_pow2", dim), 1024},
		{call("min", lit(256), call("next_pow2", op(dim, '/', lit(8)))), 128},
	} {
		if got, ok := n.eval(test.expr); !ok || got != test.want {
			t.Errorf("%s: got %d, %v, want %d", binding.Text(test.expr), got, ok, test.want)
		}
	}
	for _, e := range []binding.Expr{
		&binding.Leaf{Arg: absent, GoType: binding.Uint32},
		&binding.Leaf{Arg: absent, Method: "Len"},
		op(&binding.Leaf{Arg: absent, Method: "Len"}, '+', dim),
		call("next_pow2", &binding.Leaf{Arg: absent, Method: "Len"}),
	} {
		if got, ok := n.eval(e); ok {
			t.Errorf("%s: got %d of what is missing", binding.Text(e), got)
		}
	}
	n.grid = nil
	if got, ok := n.eval(binding.TGSize{}); ok {
		t.Errorf("tg_size: got %d of what is missing", got)
	}
}
