package templates

import (
	"fmt"
	"go/token"
	"math"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
)

// scope says what the leaves of expressions are in the generated function.
type scope struct {
	leaf   map[*binding.Leaf]string // an int, written without operators
	tgSize string                   // the same for TGSize
}

// goExpr is an int expression of Go.
type goExpr struct {
	text   string // without the spaces of gofmt
	prec   int    // of its operator, as in go/token
	values interval
}

// operators say, for + - * / %, what Go's own operator makes of ranges, and which function takes its place where
// that is not exact.
var operators = map[byte]struct {
	prec    int
	values  func(x, y interval) (_ interval, exact bool)
	clamped string
}{
	'+': {token.ADD.Precedence(), interval.add, "bind.Add"},
	'-': {token.SUB.Precedence(), interval.sub, "bind.Sub"},
	'*': {token.MUL.Precedence(), interval.mul, "bind.Mul"},
	'/': {token.QUO.Precedence(), interval.div, "bind.Div"},
	'%': {token.REM.Precedence(), interval.mod, "bind.Mod"},
}

// expr translates e: to plain Go where that is exact whatever the leaves are, to
// the clamping functions of the runtime elsewhere.
func (s scope) expr(e binding.Expr) goExpr {
	switch e := e.(type) {
	case binding.Lit:
		return lit(int64(e))
	case *binding.Named:
		n := lit(e.Value)
		if e.Go != "" {
			n.text, n.prec = e.Go, token.HighestPrec
		}
		return n
	case *binding.Leaf:
		text, ok := s.leaf[e]
		if !ok {
			panic("templates: " + e.Text + " is not among the leaves")
		}
		return operand(text, rangeOf(e))
	case binding.TGSize:
		return operand(s.tgSize, anyInt)
	case *binding.Binary:
		return operation(e.Op, s.expr(e.X), s.expr(e.Y))
	case *binding.Call:
		args := make([]goExpr, len(e.Args))
		for i, arg := range e.Args {
			args[i] = s.expr(arg)
		}
		return invocation(e.Func, args)
	}
	panic(fmt.Sprintf("templates: unknown expression %T", e))
}

// lit returns a number. A negative one stands in parentheses beside an operator.
func lit(n int64) goExpr {
	e := operand(strconv.FormatInt(n, 10), constant(n))
	if n < 0 {
		e.prec = token.LowestPrec
	}
	return e
}

// operand returns text that binds tighter than any operator.
func operand(text string, values interval) goExpr {
	return goExpr{text: text, prec: token.HighestPrec, values: values}
}

// calling returns fun(args).
func calling(fun string, values interval, args ...goExpr) goExpr {
	texts := make([]string, len(args))
	for i, arg := range args {
		texts[i] = arg.text
	}
	return operand(fun+"("+strings.Join(texts, ", ")+")", values)
}

// operation returns x op y, or what stands in for it.
func operation(op byte, x, y goExpr) goExpr {
	o := operators[op]
	values, exact := o.values(x.values, y.values)
	if !x.values.bounded() || !y.values.bounded() {
		values, exact = values.widened(), false
	}
	if !exact {
		return calling(o.clamped, values, x, y)
	}
	return goExpr{text: x.within(o.prec) + " " + string(op) + " " + y.within(o.prec+1), prec: o.prec, values: values}
}

// within returns e as an operand of an operation of precedence outer.
func (e goExpr) within(outer int) string { return binding.Parens(e.text, e.prec, outer) }

// invocation returns a call of one of the functions that expressions know.
func invocation(name string, args []goExpr) goExpr {
	switch name {
	case "min", "max":
		values := args[0].values
		for _, arg := range args[1:] {
			if name == "min" {
				values = interval{min(values.min, arg.values.min), min(values.max, arg.values.max)}
			} else {
				values = interval{max(values.min, arg.values.min), max(values.max, arg.values.max)}
			}
		}
		return calling(name, values, args...)
	case "ceil_div":
		return ceilDiv(args[0], args[1])
	case "next_pow2":
		return calling("bind.NextPow2", args[0].values.nextPow2(), args[0])
	}
	panic("templates: unknown function " + name)
}

// ceilDiv returns (x + 255) / 256 for a constant 256 and an x that is neither negative nor so large that the sum
// overflows.
func ceilDiv(x, y goExpr) goExpr {
	n := y.values.min
	if n > 1 && x.values.min >= 0 && x.values.max <= math.MaxInt64-n {
		switch {
		case y == lit(n):
			return operation('/', operation('+', x, lit(n-1)), y)
		case y.values == constant(n) && token.IsIdentifier(y.text):
			return operation('/', operation('-', operation('+', x, y), lit(1)), y)
		}
	}
	return calling("bind.CeilDiv", x.values.ceilDiv(y.values), x, y)
}
