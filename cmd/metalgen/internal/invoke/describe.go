package invoke

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

var access = map[binding.Access]runtime.Access{
	binding.Read: runtime.Read, binding.Write: runtime.Write, binding.ReadWrite: runtime.ReadWrite,
}

var kinds = map[binding.ArgKind]bind.ArgKind{
	binding.Buffer: bind.BufferArg, binding.Value: bind.ValueArg, binding.Threadgroup: bind.ThreadgroupArg,
}

// describe tells the runtime about a kernel what the variable of generated code
// tells it.
func describe(s *binding.Source, k *binding.Kernel, ts types) (*bind.Kernel, error) {
	out := &bind.Kernel{
		Name: k.Name, Pos: place(k.Place), Positions: k.Positions,
		Library: &bind.Library{File: s.File, Source: &s.Flat},
	}
	if k.Geometry != nil {
		out.Grid, out.GridPos = k.Geometry.Text, place(k.Geometry.From)
	}
	for _, a := range k.Args {
		if kind, ok := kinds[a.Kind]; ok {
			out.Args = append(out.Args, describeArg(kind, a))
		}
	}
	if k.Uses != nil {
		for _, c := range k.Uses {
			l, err := ts.layout(c.GoType)
			if err != nil {
				return nil, err
			}
			out.Args = append(out.Args, bind.Arg{Kind: bind.ConstantArg, Index: c.Index, Name: c.Name, Type: c.Type, Size: l.size, Optional: c.Optional})
		}
	}
	return out, nil
}

func describeArg(kind bind.ArgKind, a *binding.Arg) bind.Arg {
	out := bind.Arg{Kind: kind, Index: a.Index, Name: nameOf(a), Type: a.Type, Size: a.Size, Optional: a.Optional}
	if kind != bind.ThreadgroupArg {
		out.Fields = fieldsOf(a.Struct)
	}
	if a.If != nil {
		out.If = a.If.String()
	}
	if kind == bind.BufferArg {
		out.Align, out.Access, out.Constant = a.Align, access[a.Access], a.Space == "constant"
	}
	if kind != bind.ValueArg {
		out.Shape, out.Pos = shapeText(a), place(a.Place)
		if out.Shape != "" {
			out.Pos = place(a.ShapeFrom)
		}
	}
	return out
}

// fieldsOf lists the fields of a struct, nil where it is none.
func fieldsOf(st *binding.Struct) []bind.Field {
	if st == nil || st.Var == "" {
		return nil
	}
	var list []bind.Field
	for _, f := range st.Fields {
		list = append(list, bind.Field{Name: f.Name, Type: f.Plain, Offset: f.Offset, Fields: fieldsOf(f.Struct)})
	}
	return list
}

// hasLength tells whether the source states how many elements there are. What a
// reference is to is one element.
func hasLength(a *binding.Arg) bool { return a.Pointer && a.Shape != nil }

// shapeText is the stated shape: a buffer's in brackets.
func shapeText(a *binding.Arg) string {
	switch {
	case !hasLength(a):
		return ""
	case a.Kind == binding.Buffer:
		return "[" + a.ShapeText + "]"
	}
	return a.ShapeText
}

// nameOf is how settings and messages call an argument.
func nameOf(a *binding.Arg) string { return cmp.Or(a.Name, a.Go) }

// place is "norm.metal:24".
func place(p binding.Place) string {
	return fmt.Sprintf("%s:%d", p.File, p.Line)
}

// stated is ", [rows * dim] (norm.metal:12)" for a buffer with a stated shape.
func stated(a *binding.Arg) string {
	if !hasLength(a) {
		return ""
	}
	return ", " + shapeText(a) + " (" + place(a.ShapeFrom) + ")"
}

// factors are the dimensions of a stated shape, which the model has multiplied.
func factors(a *binding.Arg) []binding.Expr {
	depth, n := 0, 1
	for _, c := range a.ShapeText {
		switch {
		case strings.ContainsRune("([", c):
			depth++
		case strings.ContainsRune(")]", c):
			depth--
		case c == ',' && depth == 0:
			n++
		}
	}
	list := make([]binding.Expr, n)
	e := a.Shape
	for i := n - 1; i > 0; i-- {
		product, ok := e.(*binding.Binary)
		if !ok || product.Op != '*' {
			return []binding.Expr{a.Shape}
		}
		list[i], e = product.Y, product.X
	}
	list[0] = e
	return list
}
