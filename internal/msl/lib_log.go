package msl

import (
	"github.com/metalgen/metalgen/internal/msl/fold"
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// checkText is a string literal.
func checkText(c *checker, e *parser.Text) tree.Expr {
	value, ok := parser.StringValue(e.Text)
	if !ok {
		return c.unsupported(e.Pos, "this string is not supported: it has a prefix, or an escape that does not exist")
	}
	return &tree.Text{Node: tree.At(e.Pos, library.TextType), Value: value}
}

// log checks os_log(subsystem, category).
func (made construction) log(args []tree.Expr) tree.Expr {
	if len(args) == 1 && args[0].Type().IsLog() {
		return args[0]
	}
	if len(args) != 2 {
		return made.c.fail(made.pos, "os_log takes 2 arguments, its subsystem and its category; these are %d",
			len(args))
	}
	var names [2]string
	for i, a := range args {
		text, ok := a.(*tree.Text)
		switch {
		case ok:
			names[i] = text.Value
		case made.c.implicit(a, library.TextType) == nil:
			return nil
		default:
			return made.c.unsupported(a.Position(), "only a string literal is supported here")
		}
	}
	return &tree.LogObject{Node: tree.At(made.pos, tree.LogType), Subsystem: names[0], Category: names[1]}
}

// callLog checks x.log_debug("...", args) and x.log_with_type(type, "...", args).
func callLog(c *checker, x tree.Expr, m *parser.MemberExpr, args []tree.Expr) tree.Expr {
	level, ok := library.LogMethods[m.Name]
	if m.Name == "log_with_type" && len(args) > 0 {
		t := c.implicit(args[0], library.Enums["log_type"])
		if t == nil {
			return nil
		}
		v, known := fold.Value(c.facts, t)
		if !known || v.Bits > uint64(tree.LogFault) {
			return c.unsupported(t.Position(), "a log_type that is no constant is not supported")
		}
		level, ok, args = tree.LogLevel(v.Bits), true, args[1:]
	}
	switch {
	case !ok:
		return c.unsupported(m.Pos, "%s is not known as a method of os_log", m.Name)
	case len(args) == 0:
		return c.fail(m.Pos, "%s takes a format", m.Name)
	}
	text, ok := args[0].(*tree.Text)
	if !ok {
		if c.implicit(args[0], library.TextType) == nil {
			return nil
		}
		return c.unsupported(args[0].Position(), "a format that is no string literal is not supported")
	}
	format, values := checkFormat(c, text, args[1:])
	if format == nil {
		return nil
	}
	return &tree.Log{Node: tree.At(m.Pos, tree.Named("void")), X: x, Level: level, Format: format, Args: values}
}

// sequenceSize is what its size() returns.
func sequenceSize(c *checker, st *resolve.Class, pos parser.Pos) tree.Expr {
	n := len(resolve.Flat(st.Instance.Args)) - 1
	return &tree.Const{Node: tree.At(pos, tree.ScalarType(tree.ULong)), Value: tree.IntValue(tree.ULong, uint64(n))}
}
