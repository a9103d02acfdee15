package resolve

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// emptyPart is a struct without fields somewhere in the one that is laid out. No
// two of one type may have one address (C++14 1.8).
type emptyPart struct {
	st     *tree.Struct
	offset int
}

// emptyParts lists those of a struct whose layout is complete. They are found once: a struct can be in another a
// million times over.
func (f *Facts) emptyParts(s *tree.Struct) []emptyPart {
	st := f.Class(s)
	if st.empties != nil {
		return *st.empties
	}
	var list []emptyPart
	if s.Empty {
		list = append(list, emptyPart{s, 0})
	}
	for _, field := range s.Fields {
		if !types.IsStruct(field.Type) || len(list) > maxEmptyParts {
			continue
		}
		for _, e := range f.emptyParts(Innermost([]TemplateArg{TypeArg(field.Type)}).Struct) {
			list = append(list, emptyPart{e.st, e.offset + field.Offset})
		}
	}
	list = list[:min(len(list), maxEmptyParts+1)]
	st.empties = &list
	return list
}

// apart moves a struct to where none of its empty parts meets one of its type.
func (l *layouter) apart(t *tree.Type, offset, align int) int {
	if !types.IsStruct(t) {
		return offset
	}
	st := Innermost([]TemplateArg{TypeArg(t)}).Struct
	for tries := 0; tries <= maxEmptyParts; tries++ {
		mine := slices.Clone(l.in.R.Facts.emptyParts(st))
		for i := range mine {
			mine[i].offset += offset
		}
		if !slices.ContainsFunc(mine, func(e emptyPart) bool { return slices.Contains(l.empty, e) }) {
			l.empty = append(l.empty, mine...)
			break
		}
		offset += align
	}
	return offset
}

// bases lays out what an entry of the list of bases stands for: a base, or all that a
// pack has.
func (l *layouter) bases(b *parser.Base) error {
	if !b.Pack {
		return l.base(b)
	}
	e, err := PackExpansionOf(l.in, TypeTokens(b.Type, nil))
	if err != nil {
		return err
	}
	outer := l.in.Locals
	defer func() { l.in.Locals = outer }()
	for i := range e.Len {
		l.in.Locals = e.Scope(i)
		if err := l.base(b); err != nil {
			return err
		}
	}
	return nil
}

// base lays out what the struct inherits from: it is a field without a name. One
// that is empty takes no space (Itanium C++ ABI 2.4).
func (l *layouter) base(b *parser.Base) error {
	t, err := l.in.TypeOf(b.Type)
	if err != nil {
		return err
	}
	if t.Kind != tree.StructType || t.Struct.Union {
		return Errorf(b.Type.At.Pos, "struct %s cannot inherit from %s", l.s.Name, t.Spelled())
	}
	if incompleteStruct(t) {
		return containsItself(t)
	}
	f := &tree.Field{Type: t, Pos: b.Pos, Base: true}
	if t.Struct.Empty {
		if f.Offset = l.apart(t, 0, 1); f.Offset > 0 {
			l.taken = max(l.taken, f.Offset+1)
		}
		l.st.Align = max(l.st.Align, l.aligned(t.Align))
		l.st.Fields = append(l.st.Fields, f)
		return nil
	}
	if err := l.append(f, 0); err != nil {
		return err
	}
	if base := l.in.R.Facts.Class(t.Struct); !base.plain {
		l.end = f.Offset + base.data // what follows may lie in its padding
	}
	return nil
}
