package msl

import (
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// layout computes the offsets of a struct's fields: each at the next multiple
// of its alignment, the whole a multiple of the largest (C++14 9.2; section
// 2.2 for the alignments of vectors).
func (p *Program) layout(s *symbol) (*Type, error) {
	st := &Struct{Name: s.name, Decl: s.decl, Pos: s.structure.Pos, Union: s.structure.Tag == "union", Align: 1}
	if len(s.structure.Bases) > 0 {
		return nil, unsupportedError(s.structure.Bases[0].Type.At.Pos, "struct %s has bases, which metalgen does not lay out yet", s.name)
	}
	if err := p.plainLayout(s, s.structure.Pos, s.structure.Before, s.structure.After); err != nil {
		return nil, err
	}
	end := 0
	names := map[string]bool{}
	for _, m := range s.structure.Members {
		if m.Nested != nil && (len(m.Nested.Vars) > 0 || m.Nested.Name == "") || m.Enum != nil && len(m.Enum.Vars) > 0 {
			return nil, unsupportedError(m.Pos, "struct %s defines a field and its type at once, which metalgen does not lay out yet", s.name)
		}
		if m.Field == nil || slices.Contains(m.Field.Type.Pre, "static") {
			continue
		}
		align, err := p.alignment(m.Field.Align, s.namespace)
		if err != nil {
			return nil, err
		}
		for _, v := range m.Field.Vars {
			d := v.Declarator
			if err := p.plainLayout(s, d.Pos, m.Field.Before, d.After); err != nil {
				return nil, err
			}
			if d.Bits != nil {
				return nil, unsupportedError(d.Bits.Pos, "struct %s has bit-fields, which metalgen does not lay out yet", s.name)
			}
			if d.Inner != nil {
				return nil, posError(d.Pos, "struct %s has a field that is a pointer or reference to an array or function, which no buffer can hold", s.name)
			}
			t, err := p.fullType(m.Field.Type, v.Pointers, d.Dims, s.namespace)
			if err != nil {
				return nil, err
			}
			if t.Size == 0 || t.Kind == SimdgroupMatrix {
				return nil, posError(m.Field.Type.Pos, "field %s cannot be of type %s", d.Name, t)
			}
			if names[d.Name] {
				return nil, posError(d.Pos, "struct %s has two fields %s", s.name, d.Name)
			}
			names[d.Name] = true
			f := &Field{Name: d.Name, Type: t, Pos: d.Pos}
			if v.Value != nil {
				if st.Union && len(st.Fields) > 0 {
					return nil, unsupportedError(d.Pos, "union %s has an initial value for a field that is not its first, which metalgen does not support yet", s.name)
				}
				f.init = &fieldInit{tokens: v.Value, namespace: s.namespace, locals: p.locals, from: s.decl.From}
			}
			st.defaults = st.defaults || f.init != nil || hasDefaults(t)
			a := max(t.Align, align)
			if !st.Union {
				f.Offset = roundUp(end, a)
			}
			end = max(end, f.Offset+t.Size)
			if end > maxTypeSize {
				return nil, posError(d.Pos, "struct %s is too large", s.name)
			}
			st.Align = max(st.Align, a)
			st.Fields = append(st.Fields, f)
		}
	}
	align, err := p.alignment(s.structure.Align, s.namespace)
	if err != nil {
		return nil, err
	}
	st.Align = max(st.Align, align)
	st.Size = roundUp(max(end, 1), st.Align) // an empty struct takes a byte
	return &Type{Kind: StructType, Name: s.name, Size: st.Size, Align: st.Align, Struct: st}, nil
}

// plainLayout refuses the compiler's own attributes that move fields.
func (p *Program) plainLayout(s *symbol, pos parser.Pos, attributes ...[]string) error {
	for _, a := range p.Tree.Attributes(attributes...) {
		if a.Name == "packed" || a.Name == "aligned" {
			return unsupportedError(pos, "struct %s has the attribute %s, which metalgen does not lay out yet", s.name, a.Name)
		}
	}
	return nil
}

// alignment evaluates alignas(...); 0 where there is none.
func (p *Program) alignment(list []*parser.AlignAs, namespace []string) (int, error) {
	align := 0
	for _, a := range list {
		if t, err := parser.ParseType(a.Expr.List); err == nil && t.Abstract == nil {
			if typ, err := p.fullType(t.Type, t.Pointers, t.Dims, namespace); err == nil {
				align = max(align, typ.Align)
				continue
			}
		}
		n, err := p.count(a.Expr, namespace)
		if err != nil {
			return 0, err
		}
		if n&(n-1) != 0 || n > 1<<20 {
			return 0, posError(a.Pos, "alignas(%d): an alignment is a power of two", n)
		}
		align = max(align, n)
	}
	return align, nil
}
