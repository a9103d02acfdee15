package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// function declares the Go function that records a call of k.
func (f *sourceFile) function(k *binding.Kernel) {
	args := arguments(k)
	what, calls := "Kernel ", " calls the kernel "
	begin := jen.Id("b.Call").Call(jen.Op("&").Id(k.Var))
	if k.IsFamily() {
		what, calls = "Kernel template ", " calls an instance of the kernel template "
		begin = jen.Id("b.CallVariant").Call(jen.Op("&").Id(k.Var), jen.Int().Call(jen.Id("a.Variant")))
	}

	s, body := locals(k)
	body = append(body, gridFallback(k)...)
	for _, arg := range args {
		body = append(body, arg.fallback(s))
	}
	body = append(body, jen.Id("c").Op(":=").Add(begin))
	for i, r := range k.Requires {
		body = append(body, s.require(i, r))
	}
	for _, arg := range args {
		body = append(body, arg.set(s))
	}
	body = append(body, jen.Id("c.Dispatch").Call(jen.Id("a.Grid")))

	where := k.Name + ", " + posText(k.Pos) + "."
	origin, summary := what+where, k.Go+calls+where
	if needs := requiresText(k); needs != "" {
		origin, summary = needs+"\n\n"+origin, summary+"\n\n"+needs
	}
	f.declare(docOf(k.Doc, origin, summary),
		jen.Func().Id(k.Go+typeParams(k)).
			Params(jen.Id("b").Id("*runtime.Batch"), jen.Id("a").Id(argsName(k)+typeArgs(k))).Block(body...))
}

// locals declares variables for the leaves that shapes and requirements need.
func locals(k *binding.Kernel) (scope, []jen.Code) {
	needed := make(map[*binding.Leaf]bool)
	need := func(e binding.Expr) {
		if l, ok := e.(*binding.Leaf); ok {
			needed[l] = true
		}
	}
	for _, arg := range k.Args {
		if arg.HasLength() {
			binding.Walk(arg.Shape, need)
		}
	}
	for _, r := range k.Requires {
		if !r.Floats {
			binding.Walk(r.X, need)
			binding.Walk(r.Y, need)
		}
	}
	names := localNames(k.Leaves, "a", "b", "c", k.Var, k.Go, gridName(k))
	s := scope{leaf: names, tgSize: "a.Grid.ThreadsPerThreadgroup()"}
	var left, right []string
	for _, l := range k.Leaves {
		if needed[l] {
			left = append(left, names[l])
			right = append(right, asInt(l, argValue(l)))
		}
	}
	return s, define(left, right)
}

// define declares variables: a few on one line, many on a line each.
func define(names, values []string) []jen.Code {
	if len(names) > 4 {
		var code []jen.Code
		for i := range names {
			code = append(code, define(names[i:i+1], values[i:i+1])...)
		}
		return code
	}
	if len(names) == 0 {
		return nil
	}
	return []jen.Code{jen.Id(strings.Join(names, ", ")).Op(":=").Id(strings.Join(values, ", "))}
}

// gridFallback fills in the grid that the source states where the caller sets none.
func gridFallback(k *binding.Kernel) []jen.Code {
	if k.Geometry == nil {
		return nil
	}
	var args []jen.Code
	for _, l := range k.Geometry.Leaves {
		args = append(args, jen.Id(argValue(l)))
	}
	return []jen.Code{jen.Id("a.Grid.Default").Call(jen.Id(gridName(k)).Call(args...))}
}
