package binding

import (
	"fmt"
	"strconv"
	"strings"
)

// Expr is an integer expression over leaves. It is one of Lit, *Named, *Leaf, TGSize,
// *Binary and *Call; in a [Requirement] of floats also a [Fraction].
type Expr interface{ expr() }

// Lit is an integer.
type Lit int64

// TGSize is tg_size: the number of threads per threadgroup.
type TGSize struct{}

// Binary is X Op Y with Op one of + - * / %.
type Binary struct {
	Op   byte
	X, Y Expr
}

// Call is Func(Args): "min", "max", "ceil_div" with two arguments,
// "next_pow2" with one.
type Call struct {
	Func string
	Args []Expr
}

func (Lit) expr()     {}
func (*Leaf) expr()   {}
func (TGSize) expr()  {}
func (*Binary) expr() {}
func (*Call) expr()   {}

// Walk calls f with an expression and with all below it.
func Walk(e Expr, f func(Expr)) {
	f(e)
	switch e := e.(type) {
	case *Binary:
		Walk(e.X, f)
		Walk(e.Y, f)
	case *Call:
		for _, a := range e.Args {
			Walk(a, f)
		}
	}
}

// Divides reports whether an expression has a division, as numbers of threadgroups do.
func Divides(e Expr) bool {
	found := false
	Walk(e, func(e Expr) {
		switch e := e.(type) {
		case *Binary:
			found = found || e.Op == '/'
		case *Call:
			found = found || e.Func == "ceil_div"
		}
	})
	return found
}

func tupleText(t [3]Expr) string {
	return "(" + Text(t[0]) + ", " + Text(t[1]) + ", " + Text(t[2]) + ")"
}

// Text returns an expression as annotations write it.
func Text(e Expr) string { return text(e, 0) }

func text(e Expr, outer int) string {
	switch e := e.(type) {
	case Lit:
		return fmt.Sprint(int64(e))
	case *Named:
		return fmt.Sprint(e.Value)
	case Fraction:
		return strconv.FormatFloat(float64(e), 'g', -1, 64)
	case *Leaf:
		return e.Text
	case TGSize:
		return "tg_size"
	case *Call:
		args := make([]string, len(e.Args))
		for i, a := range e.Args {
			args[i] = Text(a)
		}
		return e.Func + "(" + strings.Join(args, ", ") + ")"
	case *Binary:
		prec := 1
		if e.Op != '+' && e.Op != '-' {
			prec = 2
		}
		return Parens(text(e.X, prec)+" "+string(e.Op)+" "+text(e.Y, prec+1), prec, outer)
	}
	return ""
}

// Parens returns text of a precedence, in parentheses where it is part of an operation
// that binds tighter.
func Parens(text string, prec, outer int) string {
	if prec < outer {
		return "(" + text + ")"
	}
	return text
}
