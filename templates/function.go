package templates

import (
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// function declares the Go function that records a call of k.
func (f *sourceFile) function(k *binding.Kernel) {
	s, body := locals(k)
	body = append(body, s.defaults(k)...)
	begin := call("b.Call", jen.Id("&"+k.Var))
	origin := "Kernel " + k.Name + ", " + place(k.Place) + "."
	summary := k.Go + " calls the kernel " + k.Name + ", " + place(k.Place) + "."
	if k.IsFamily() {
		begin = call("b.CallVariant", jen.Id("&"+k.Var), call("int", jen.Id("a.Variant")))
		origin = "Kernel template " + k.Name + ", " + place(k.Place) + "."
		summary = k.Go + " calls an instance of the kernel template " + k.Name + ", " + place(k.Place) + "."
	}
	body = append(body, jen.Id("c").Op(":=").Add(begin))
	body = append(body, s.settings(k)...)
	body = append(body, call("c.Dispatch", jen.Id("a.Grid")))

	f.declare(docOf(k.Doc, origin, summary),
		funcDecl(k.Go+typeParams(k), []jen.Code{jen.Id("b").Id("*runtime.Batch"), jen.Id("a").Id(argsName(k) + typeArgs(k))}, "", body))
}

// locals declares variables for the leaves that shapes need.
func locals(k *binding.Kernel) (scope, []jen.Code) {
	needed := make(map[*binding.Leaf]bool)
	for _, arg := range k.Args {
		if hasLength(arg) {
			binding.Walk(arg.Shape, func(e binding.Expr) {
				if l, ok := e.(*binding.Leaf); ok {
					needed[l] = true
				}
			})
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

// defaults fills in what the caller leaves to the source.
func (s scope) defaults(k *binding.Kernel) []jen.Code {
	var code []jen.Code
	if k.Geometry != nil {
		var args []jen.Code
		for _, l := range k.Geometry.Leaves {
			args = append(args, jen.Id(argValue(l)))
		}
		code = append(code, jen.If(call("a.Grid.IsZero")).Block(assign("a.Grid", call(gridName(k), args...))))
	}
	for _, arg := range k.Args {
		if arg.Kind == binding.Threadgroup && hasLength(arg) {
			field := "a." + arg.Go
			code = append(code, jen.If(jen.Id(field).Op("==").Lit(0)).Block(assign(field, jen.Id(s.expr(arg.Shape).String()))))
		}
	}
	return code
}

// settings pass on the arguments, in the order in which describe lists them.
func (s scope) settings(k *binding.Kernel) []jen.Code {
	var code []jen.Code
	set := func(arg *binding.Arg, setting jen.Code) {
		if arg.If != nil {
			setting = jen.If(jen.Id(condition(arg.If, "a.Constants."))).Block(setting)
		}
		code = append(code, setting)
	}
	for _, arg := range k.Args {
		switch index := jen.Lit(arg.Index); arg.Kind {
		case binding.Buffer:
			need := jen.Id(s.length(arg).argument())
			set(arg, call("c.Buffer", index, call("a."+arg.Go+".View"), need))
		case binding.Value:
			set(arg, call("bind.Value", jen.Id("c"), index, jen.Id("a."+arg.Go)))
		}
	}
	for _, constant := range k.Uses {
		value := "a.Constants." + constant.Go
		if !constant.Optional {
			code = append(code, call("bind.Constant", jen.Id("c"), jen.Lit(constant.Index), jen.Id(value)))
			continue
		}
		code = append(code, jen.If(jen.Id(value+" != nil")).Block(call("bind.Constant", jen.Id("c"), jen.Lit(constant.Index), jen.Id("*"+value))))
	}
	for _, arg := range k.Args {
		if arg.Kind == binding.Threadgroup {
			n := jen.Lit(1) // a reference is to one element
			if arg.Pointer {
				n = jen.Id("a." + arg.Go)
			}
			set(arg, call("c.Threadgroup", jen.Lit(arg.Index), n))
		}
	}
	return code
}

// length is how many elements of a buffer the kernel needs, 0 where nothing says.
func (s scope) length(arg *binding.Arg) *goExpr {
	switch {
	case hasLength(arg):
		return s.expr(arg.Shape)
	case arg.Pointer:
		return lit(0)
	default:
		return lit(1)
	}
}
