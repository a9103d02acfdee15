package msl

import (
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// builtinArg is a value that Metal itself passes to each thread, such as its position.
var builtinArg = argKind{
	kind:      tree.BuiltinParam,
	attribute: func(name string) bool { return library.KernelInputs[name] > 0 },
	check:     checkBuiltin,
	byValue:   true,
}

func checkBuiltin(a *argument) error {
	n, t := library.KernelInputs[a.Attribute], a.Type
	if a.Space != "" && a.Space != "thread" && !a.indirect {
		return resolve.Errorf(a.Pos, "argument %s: [[%s]] is passed by value and cannot be in the %s address space",
			a.called(), a.Attribute, a.Space)
	}
	word := t.Scalar == tree.UInt || t.Scalar == tree.UShort
	if !a.indirect && word && (t.Kind == tree.Scalar || t.Kind == tree.Vector && t.Len <= n) {
		return nil
	}
	want := "uint or ushort"
	if n == 3 {
		want = "uint or ushort, or a vector of 2 or 3 of them"
	}
	return resolve.Errorf(a.Pos, "argument %s: [[%s]] must be %s, not %s", a.called(), a.Attribute, want, a.typeText())
}
