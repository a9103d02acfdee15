package templates

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/internal/binding"
)

// Leaves of every range, and what they are called.
var (
	dim   = &binding.Leaf{Go: "dim", GoType: u32}
	rows  = &binding.Leaf{Go: "rows", GoType: u32}
	small = &binding.Leaf{Go: "small", GoType: binding.Uint16}
	wide  = &binding.Leaf{Go: "wide", GoType: u64}
	sign  = &binding.Leaf{Go: "sign", GoType: i32}
	long  = &binding.Leaf{Go: "long", GoType: binding.Int64}
	size  = &binding.Leaf{Go: "size", Method: "Len", GoType: binding.Int}

	allLeaves = []*binding.Leaf{dim, rows, small, wide, sign, long, size}
	leafScope = scope{leaf: localNames(allLeaves), tgSize: "g.Threads()"}
)

func TestExpr(t *testing.T) {
	n := func(n int64) binding.Expr { return binding.Lit(n) }
	for _, test := range []struct {
		expr binding.Expr
		want string
	}{
		{n(64), "64"},
		{dim, "dim"},
		{binding.TGSize{}, "g.Threads()"},

		// Plain where it is exact.
		{op(dim, '+', rows), "dim + rows"},
		{op(dim, '-', n(1)), "dim - 1"},
		{op(dim, '*', n(1<<31)), "dim * 2147483648"},
		{op(small, '*', dim), "small * dim"},
		{op(dim, '/', n(8)), "dim / 8"},
		{op(size, '%', n(32)), "size % 32"},
		{op(sign, '/', n(-1)), "sign / (-1)"},
		{op(op(dim, '+', n(255)), '/', n(256)), "(dim + 255) / 256"},
		{op(long, '%', n(-8)), "bind.Mod(long, -8)"},

		// Clamped where it might not be.
		{op(rows, '*', dim), "bind.Mul(rows, dim)"},
		{op(dim, '*', n(1<<32)), "bind.Mul(dim, 4294967296)"},
		{op(wide, '+', n(255)), "bind.Add(wide, 255)"},
		{op(long, '-', n(1)), "bind.Sub(long, 1)"},
		{op(long, '/', n(-1)), "bind.Div(long, -1)"},
		{op(rows, '/', dim), "bind.Div(rows, dim)"},
		{op(rows, '%', sign), "bind.Mod(rows, sign)"},
		{op(rows, '/', n(0)), "bind.Div(rows, 0)"},
		{op(binding.TGSize{}, '*', n(2)), "bind.Mul(g.Threads(), 2)"},
		{op(op(rows, '*', dim), '/', n(2)), "bind.Div(bind.Mul(rows, dim), 2)"},
		{op(n(2), '*', op(rows, '*', dim)), "bind.Mul(2, bind.Mul(rows, dim))"},

		// Functions, and the ranges of their results.
		{fun("min", n(256), fun("next_pow2", dim)), "min(256, bind.NextPow2(dim))"},
		{op(fun("min", wide, n(1024)), '*', dim), "min(wide, 1024) * dim"},
		{op(rows, '/', fun("max", dim, n(1))), "rows / max(dim, 1)"},
		{op(rows, '/', fun("next_pow2", dim)), "rows / bind.NextPow2(dim)"},
		{op(fun("ceil_div", rows, n(4)), '*', n(1<<32)), "(rows + 3) / 4 * 4294967296"},
		{fun("ceil_div", dim, n(256)), "(dim + 255) / 256"},
		{fun("ceil_div", op(dim, '*', n(3)), n(256)), "(dim*3 + 255) / 256"},
		{fun("ceil_div", wide, n(256)), "bind.CeilDiv(wide, 256)"},
		{fun("ceil_div", sign, n(256)), "bind.CeilDiv(sign, 256)"},
		{fun("ceil_div", dim, n(1)), "bind.CeilDiv(dim, 1)"},
		{fun("ceil_div", dim, rows), "bind.CeilDiv(dim, rows)"},
		{fun("ceil_div", dim, fun("max", n(8), n(8))), "bind.CeilDiv(dim, max(8, 8))"},

		// Parentheses.
		{op(op(dim, '-', rows), '-', n(1)), "dim - rows - 1"},
		{op(dim, '-', op(rows, '-', n(1))), "dim - (rows - 1)"},
		{op(dim, '+', op(rows, '*', n(2))), "dim + rows*2"},
		{op(op(dim, '+', n(1)), '*', n(2)), "(dim + 1) * 2"},
		{op(op(dim, '/', n(4)), '*', n(2)), "dim / 4 * 2"},
		{op(dim, '/', op(n(4), '*', n(2))), "dim / (4 * 2)"},
		{op(dim, '-', n(-1)), "dim - (-1)"},
		{op(n(-1), '*', dim), "(-1) * dim"},
		{fun("min", op(dim, '+', n(1)), op(op(rows, '*', n(2)), '-', n(1))), "min(dim+1, rows*2-1)"},
		{op(wide, '*', op(dim, '+', op(rows, '/', n(2)))), "bind.Mul(wide, dim+rows/2)"},
	} {
		got, err := format.Source([]byte(leafScope.expr(test.expr).text))
		if err != nil || string(got) != test.want {
			t.Errorf("got %s, want %s; %v", got, test.want, err)
		}
	}
}

// TestExprRanges computes random expressions for extreme leaves: no operator that
// was left to Go may overflow or divide by zero, and every value must be in the
// range that was foreseen.
func TestExprRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		values := map[string]int64{"g.Threads()": pick(r, anyInt)}
		for _, l := range allLeaves {
			values[leafScope.leaf[l]] = pick(r, rangeOf(l))
		}
		binding.Walk(randomExpr(r, 4), func(x binding.Expr) {
			e := leafScope.expr(x)
			v, problem := evaluate(e.text, values)
			if problem == "" && !e.values.has(v) {
				problem = "not in range"
			}
			if problem != "" {
				t.Fatalf("%s: %s with %v", problem, e.text, values)
			}
		})
	}
}

// pick is a value in a range, often one at its ends.
func pick(r *rand.Rand, in interval) int64 {
	candidates := []int64{in.min, in.max, in.max - 1, 0, 1, -1, 2, 255, 256, math.MaxInt32, 1 << 62, int64(r.Uint64())}
	for {
		if n := candidates[r.IntN(len(candidates))]; in.has(n) {
			return n
		}
	}
}

func randomExpr(r *rand.Rand, depth int) binding.Expr {
	if depth == 0 || r.IntN(5) == 0 {
		switch r.IntN(4) {
		case 0:
			return binding.Lit(pick(r, interval{-3, 256}))
		case 1:
			return binding.TGSize{}
		default:
			return allLeaves[r.IntN(len(allLeaves))]
		}
	}
	x, y := randomExpr(r, depth-1), randomExpr(r, depth-1)
	switch n := r.IntN(12); n {
	case 0:
		return fun("min", x, y)
	case 1:
		return fun("max", x, binding.Lit(1))
	case 2:
		return fun("ceil_div", x, y)
	case 3:
		return fun("next_pow2", x)
	case 4:
		return op(fun("min", x, binding.Lit(1024)), '*', fun("max", y, binding.Lit(-8)))
	default:
		return op(x, "+-*/%"[n%5], y)
	}
}

// evaluate computes a Go expression exactly, and says what is wrong with it. The clamping functions are those of
// package bind, in arbitrary precision.
func evaluate(text string, values map[string]int64) (result int64, problem string) {
	var eval func(ast.Expr) *big.Int
	eval = func(e ast.Expr) *big.Int {
		v := new(big.Int)
		switch e := e.(type) {
		case *ast.ParenExpr:
			return eval(e.X)
		case *ast.UnaryExpr: // of a negative number
			return v.Neg(eval(e.X))
		case *ast.BasicLit:
			v.SetString(e.Value, 10)
			return v
		case *ast.Ident:
			return v.SetInt64(values[e.Name])
		case *ast.BinaryExpr:
			x, y := eval(e.X), eval(e.Y)
			if (e.Op == token.QUO || e.Op == token.REM) && y.Sign() == 0 {
				problem = "division by zero"
				return v
			}
			if v = arithmetic(e.Op.String()[0], x, y); !v.IsInt64() {
				problem = "overflow"
			}
			return v
		}
		call := e.(*ast.CallExpr)
		name := text[call.Fun.Pos()-1 : call.Fun.End()-1]
		if n, ok := values[name+"()"]; ok {
			return v.SetInt64(n)
		}
		var args []*big.Int
		for _, arg := range call.Args {
			args = append(args, eval(arg))
		}
		return clamp(invoke(name, args))
	}
	e, err := parser.ParseExpr(text)
	if err != nil {
		return 0, err.Error()
	}
	return eval(e).Int64(), problem
}

func arithmetic(op byte, x, y *big.Int) *big.Int {
	v := new(big.Int)
	switch op {
	case '+':
		return v.Add(x, y)
	case '-':
		return v.Sub(x, y)
	case '*':
		return v.Mul(x, y)
	case '/':
		return v.Quo(x, y)
	default:
		return v.Rem(x, y)
	}
}

func invoke(name string, args []*big.Int) *big.Int {
	x, y := args[0], args[len(args)-1]
	switch name {
	case "min", "max":
		if (x.Cmp(y) < 0) == (name == "min") {
			return x
		}
		return y
	case "bind.NextPow2":
		v := big.NewInt(1)
		for v.Cmp(x) < 0 {
			v.Lsh(v, 1)
		}
		return v
	case "bind.Add", "bind.Sub", "bind.Mul":
		return arithmetic(map[string]byte{"bind.Add": '+', "bind.Sub": '-', "bind.Mul": '*'}[name], x, y)
	}
	switch {
	case name == "bind.CeilDiv" && x.Sign() == 0 && y.Sign() == 0:
		return x
	case y.Sign() == 0:
		return big.NewInt(math.MaxInt64)
	}
	switch name {
	case "bind.Div":
		return arithmetic('/', x, y)
	case "bind.Mod":
		return arithmetic('%', x, y)
	default: // bind.CeilDiv
		q, rest := new(big.Int).QuoRem(x, y, new(big.Int))
		if rest.Sign() != 0 && rest.Sign() == y.Sign() {
			q.Add(q, big.NewInt(1))
		}
		return q
	}
}

func clamp(v *big.Int) *big.Int {
	switch {
	case v.IsInt64():
		return v
	case v.Sign() < 0:
		return big.NewInt(math.MinInt64)
	default:
		return big.NewInt(math.MaxInt64)
	}
}
