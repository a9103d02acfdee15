package templates

import (
	"go/format"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/binding"
)

// Leaves of every range, and what they are called.
var (
	dim   = &binding.Leaf{Go: "dim", GoType: u32}
	rows  = &binding.Leaf{Go: "rows", GoType: u32}
	small = &binding.Leaf{Go: "small", GoType: binding.GoType{Name: "uint16"}}
	wide  = &binding.Leaf{Go: "wide", GoType: u64}
	sign  = &binding.Leaf{Go: "sign", GoType: i32}
	long  = &binding.Leaf{Go: "long", GoType: binding.GoType{Name: "int64"}}
	size  = &binding.Leaf{Go: "size", Len: true, GoType: binding.GoType{Name: "int"}}

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

		// Parentheses, and the spaces of gofmt.
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
		if got := leafScope.expr(test.expr).String(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

// TestExprGofmt has gofmt agree with the spaces in random expressions.
func TestExprGofmt(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var b strings.Builder
	b.WriteString("package p\n\nfunc _() {\n")
	for range 1000 {
		e := leafScope.expr(randomExpr(r, 4))
		b.WriteString("\tx = " + e.String() + "\n")
		b.WriteString("\tc.Buffer(0, v, " + e.argument() + ")\n")
		b.WriteString("\tg = [3]int{" + e.String() + ", 1, 1}\n")
	}
	b.WriteString("}\n")
	formatted, err := format.Source([]byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(b.String(), "\n"), strings.Split(string(formatted), "\n")
	for i, line := range got {
		if line != want[i] {
			t.Fatalf("got  %s\nwant %s", line, want[i])
		}
	}
}

// TestExprRanges computes random expressions for extreme leaves: no operator that
// was left to Go may overflow or divide by zero, and every value must be in the
// range that was foreseen.
func TestExprRanges(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 5000 {
		e := leafScope.expr(randomExpr(r, 4))
		values := map[string]int64{"g.Threads()": pick(r, anyInt)}
		for _, l := range allLeaves {
			values[leafScope.leaf[l]] = pick(r, rangeOf(l))
		}
		if err := check(e, values); err != "" {
			t.Fatalf("%s in %v with %v", err, e, values)
		}
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

// check computes e exactly, and says what is wrong with it. The clamping functions
// are those of package runtime, in arbitrary precision.
func check(e *goExpr, values map[string]int64) string {
	problem := ""
	var eval func(e *goExpr) *big.Int
	eval = func(e *goExpr) *big.Int {
		var v *big.Int
		switch {
		case e.op != 0:
			x, y := eval(e.x), eval(e.y)
			if strings.IndexByte("/%", e.op) >= 0 && y.Sign() == 0 {
				problem = "division by zero"
				return new(big.Int)
			}
			if v = arithmetic(e.op, x, y); !v.IsInt64() {
				problem = "overflow"
			}
		case e.args != nil:
			var args []*big.Int
			for _, arg := range e.args {
				args = append(args, eval(arg))
			}
			v = clamp(invoke(e.text, args))
		default:
			v = new(big.Int)
			if n, ok := values[e.text]; ok {
				v.SetInt64(n)
			} else {
				v.SetString(e.text, 10)
			}
		}
		if !v.IsInt64() || !e.values.has(v.Int64()) {
			problem += " not in range"
		}
		return v
	}
	eval(e)
	return problem
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
	if y.Sign() == 0 {
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
