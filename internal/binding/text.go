package binding

import (
	"fmt"
	"strings"
)

func tupleText(t [3]Expr) string {
	return "(" + Text(t[0]) + ", " + Text(t[1]) + ", " + Text(t[2]) + ")"
}

// Text writes an expression as annotations do.
func Text(e Expr) string { return text(e, 0) }

func text(e Expr, outer int) string {
	switch e := e.(type) {
	case Lit:
		return fmt.Sprint(int64(e))
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
		s := text(e.X, prec) + " " + string(e.Op) + " " + text(e.Y, prec+1)
		if prec < outer {
			s = "(" + s + ")"
		}
		return s
	}
	return ""
}
