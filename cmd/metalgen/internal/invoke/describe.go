package invoke

import (
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

var access = map[binding.Access]runtime.Access{
	binding.Read: runtime.Read, binding.Write: runtime.Write, binding.ReadWrite: runtime.ReadWrite,
}

// Describe returns the description of a request's kernel that the variable in generated code holds.
func (r *Request) Describe() *bind.Kernel { return describe(r.Source, r.Kernel) }

func describe(s *binding.Source, k *binding.Kernel) *bind.Kernel {
	out := &bind.Kernel{
		Name: k.Name, Pos: binding.FileLine(k.Pos), Positions: k.Positions, Simd: k.Simd,
		Library: &bind.Library{File: s.File, Source: &s.Flat},
	}
	if k.Geometry != nil {
		out.Grid, out.GridPos = k.Geometry.Text, binding.FileLine(k.Geometry.From)
	}
	for _, a := range k.Passed(k.Args) {
		out.Args = append(out.Args, describeArg(a))
	}
	return out
}

func describeArg(a *binding.Arg) bind.Arg {
	d := a.Describe()
	out := bind.Arg{
		Kind: kinds[d.Kind].described, Index: d.Index, Name: nameOf(a), Type: d.Type, Size: d.Size, Align: d.Align,
		Access: access[d.Access], Constant: d.Constant, Optional: d.Optional, Fields: fieldsOf(d.Fields),
		Count: d.Count, Shape: d.Shape, Pos: binding.FileLine(d.Pos),
	}
	if d.Texels != "" {
		out.Texture, out.Texels = d.Texture, texelKinds[d.Texels]
	}
	if d.If != nil {
		out.If = d.If.String()
	}
	return out
}

// fieldsOf lists the fields of a struct, nil for other types.
func fieldsOf(st *binding.Struct) []bind.Field {
	if st == nil || st.Var == "" {
		return nil
	}
	var list []bind.Field
	for _, f := range st.Fields {
		inner := fieldsOf(binding.StructIn(f.GoType))
		list = append(list, bind.Field{Name: f.Name, Type: f.Plain, Offset: f.Offset, Fields: inner})
	}
	return list
}
