package binding

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl"
)

// structFor gives the Go struct of an MSL struct of the current source, made
// on first use.
func (b *builder) structFor(s *msl.Struct) (*Struct, error) {
	if st, ok := b.structs[s]; ok {
		return st, nil
	}
	if s.Union {
		return nil, errorf("metalgen does not bind unions yet")
	}
	st := &Struct{Name: s.Name, Go: goName(s.Name), Place: place(s.Pos), Size: s.Size, Align: s.Align, Doc: typeDoc(b.program.Tree, s.Decl)}
	names := scope{"_": true}
	for i, f := range s.Fields {
		t, err := b.goType(f.Type)
		if err != nil {
			return nil, err
		}
		name := goName(f.Name)
		if name == "" {
			name = "Field"
		}
		field := &Field{Name: f.Name, Go: names.unique(name, "_"), Type: f.Type.String(), Plain: f.Type.Plain(), GoType: t, Struct: b.structOf(f.Type), Offset: f.Offset, Size: f.Type.Size}
		lastOnLine := i+1 == len(s.Fields) || s.Fields[i+1].Pos.Line != f.Pos.Line
		if l, ok := trailing(b.program.Tree, f.Pos); ok && lastOnLine {
			field.Doc = l.Text
		}
		st.Fields = append(st.Fields, field)
	}
	b.structs[s] = st
	b.source.Structs = append(b.source.Structs, st)
	return st, nil
}

// structOf is the struct that a type is, or an array of it has, where it is known.
func (b *builder) structOf(t *msl.Type) *Struct {
	for t.Kind == msl.Array {
		t = t.Elem
	}
	return b.structs[t.Struct]
}

// enumFor gives the Go type of an MSL enum of the current source.
func (b *builder) enumFor(e *msl.Enum) *Enum {
	if known, ok := b.enums[e]; ok {
		return known
	}
	en := &Enum{Name: e.Name, Go: goName(e.Name), Place: place(e.Pos), GoType: goScalars[e.Under.Scalar], Doc: typeDoc(b.program.Tree, e.Decl)}
	for _, v := range e.Values {
		value := EnumValue{Name: v.Name, Go: en.Go + goName(v.Name), Value: v.Value.String()}
		if l, ok := trailing(b.program.Tree, v.Pos); ok {
			value.Doc = l.Text
		}
		en.Values = append(en.Values, value)
	}
	b.enums[e] = en
	b.source.Enums = append(b.source.Enums, en)
	return en
}

// sameLayout reports whether two structs are one type for Go.
func sameLayout(a, b *Struct) bool {
	return a.Size == b.Size && a.Align == b.Align && slices.EqualFunc(a.Fields, b.Fields, func(x, y *Field) bool {
		return x.Name == y.Name && x.Offset == y.Offset && x.Size == y.Size && x.GoType.String() == y.GoType.String()
	})
}

func sameEnum(a, b *Enum) bool {
	return a.GoType.Name == b.GoType.Name && slices.EqualFunc(a.Values, b.Values, func(x, y EnumValue) bool {
		return x.Name == y.Name && x.Value == y.Value
	})
}
