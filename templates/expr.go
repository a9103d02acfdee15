package templates

import (
	"fmt"
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

// goExpr is an int expression of Go: an operand, a call or an operation.
type goExpr struct {
	text   string // the operand, or the function that is called
	args   []*goExpr
	op     byte // 0 unless it is an operation
	x, y   *goExpr
	values interval
}

// operators say, for + - * / %, what Go's own operator makes of ranges, and which
// function takes its place where that is not exact.
var operators = map[byte]struct {
	values  func(x, y interval) (_ interval, exact bool)
	clamped string
}{
	'+': {interval.add, "bind.Add"},
	'-': {interval.sub, "bind.Sub"},
	'*': {interval.mul, "bind.Mul"},
	'/': {interval.div, "bind.Div"},
	'%': {interval.mod, "bind.Mod"},
}

// expr translates e: to plain Go where that is exact whatever the leaves are, to
// the clamping functions of the runtime elsewhere.
func (s scope) expr(e binding.Expr) *goExpr {
	switch e := e.(type) {
	case binding.Lit:
		return lit(int64(e))
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
		args := make([]*goExpr, len(e.Args))
		for i, arg := range e.Args {
			args[i] = s.expr(arg)
		}
		return invocation(e.Func, args)
	}
	panic(fmt.Sprintf("templates: unknown expression %T", e))
}

func lit(n int64) *goExpr { return operand(strconv.FormatInt(n, 10), constant(n)) }

// operand is text that binds tighter than any operator, or a literal.
func operand(text string, values interval) *goExpr {
	return &goExpr{text: text, values: values}
}

// calling is fun(args).
func calling(fun string, values interval, args ...*goExpr) *goExpr {
	return &goExpr{text: fun, args: args, values: values}
}

// operation is x op y, or what stands in for it.
func operation(op byte, x, y *goExpr) *goExpr {
	values, exact := operators[op].values(x.values, y.values)
	if !x.values.bounded() || !y.values.bounded() {
		values, exact = values.widened(), false
	}
	if !exact {
		return calling(operators[op].clamped, values, x, y)
	}
	return &goExpr{op: op, x: x, y: y, values: values}
}

// invocation is a call of one of the functions that expressions know.
func invocation(name string, args []*goExpr) *goExpr {
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

// ceilDiv is (x + 255) / 256 for a literal 256 and an x that is neither negative
// nor so large that the sum overflows.
func ceilDiv(x, y *goExpr) *goExpr {
	n := y.values.min
	if y.op == 0 && y.args == nil && y.values == constant(n) && n > 1 && x.values.min >= 0 && x.values.max <= math.MaxInt64-(n-1) {
		return operation('/', operation('+', x, lit(n-1)), y)
	}
	return calling("bind.CeilDiv", x.values.ceilDiv(y.values), x, y)
}

// String is e with the parentheses it needs and the spaces that gofmt wants, as an
// element of a literal or the right side of an assignment.
func (e *goExpr) String() string {
	var b strings.Builder
	e.write(&b, 0, 1)
	return b.String()
}

// argument is e as one of several arguments of a call.
func (e *goExpr) argument() string {
	var b strings.Builder
	e.write(&b, 0, 2)
	return b.String()
}

// write writes e as part of an operation of precedence outer. gofmt leaves out the
// spaces around operators the deeper an operation is nested: depth and cutoff are
// those of go/printer.
func (e *goExpr) write(b *strings.Builder, outer, depth int) {
	switch {
	case e.op != 0:
		prec := precedence(e.op)
		if prec < outer {
			b.WriteByte('(')
			e.write(b, 0, max(depth-1, 1))
			b.WriteByte(')')
			return
		}
		left := depth
		if e.x.op == 0 || precedence(e.x.op) != prec {
			left++
		}
		e.x.write(b, prec, left)
		if prec < e.cutoff(depth) {
			b.WriteString(" " + string(e.op) + " ")
		} else {
			b.WriteByte(e.op)
		}
		e.y.write(b, prec+1, depth+1)
	case e.args != nil:
		if len(e.args) > 1 {
			depth++
		}
		b.WriteString(e.text + "(")
		for i, arg := range e.args {
			if i > 0 {
				b.WriteString(", ")
			}
			arg.write(b, 0, depth)
		}
		b.WriteByte(')')
	case outer > 0 && e.text[0] == '-':
		b.WriteString("(" + e.text + ")")
	default:
		b.WriteString(e.text)
	}
}

// cutoff is the precedence from which on operators have no spaces around them.
func (e *goExpr) cutoff(depth int) int {
	switch sums, products := e.mix(); {
	case depth > 1:
		return 4
	case sums && products:
		return 5
	default:
		return 6
	}
}

// mix tells whether there are sums and products in e outside of parentheses.
func (e *goExpr) mix() (sums, products bool) {
	if e.op == 0 {
		return false, false
	}
	prec := precedence(e.op)
	sums, products = prec == 4, prec == 5
	for _, side := range [2]struct {
		operand *goExpr
		least   int
	}{{e.x, prec}, {e.y, prec + 1}} {
		if side.operand.op != 0 && precedence(side.operand.op) >= side.least {
			s, p := side.operand.mix()
			sums, products = sums || s, products || p
		}
	}
	return sums, products
}

// precedence is that of Go.
func precedence(op byte) int {
	if op == '+' || op == '-' {
		return 4
	}
	return 5
}
