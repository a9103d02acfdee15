package binding

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// structFor returns the Go struct of an MSL struct.
func (ts *types) structFor(s *tree.Struct) (*Struct, error) {
	return ts.structNamed(s, cmp.Or(goName(s.Name), "Struct"))
}

// structNamed is structFor for a struct that may have no name of its own.
func (ts *types) structNamed(s *tree.Struct, name string) (*Struct, error) {
	if st, ok := ts.structs[s]; ok {
		return st, nil
	}
	st := &Struct{
		Name: s.Name, own: name, Pos: s.Pos, Size: s.Size, Align: s.Align, Union: s.Union,
		Doc: commentOfType(ts.parsed, s.Decl),
	}
	made := len(ts.structList)
	ts.structs[s] = st // there may be pointers to it in it
	if err := (&mirror{types: ts, st: st, names: names{"_": true}}).complete(s); err != nil {
		ts.forget(s, made)
		return nil, err
	}
	ts.structList = append(ts.structList, st)
	return st, nil
}

// forget drops a struct that Go cannot have, and those that were made since: they may have pointers to it.
func (ts *types) forget(s *tree.Struct, made int) {
	delete(ts.structs, s)
	maps.DeleteFunc(ts.structs, func(_ *tree.Struct, st *Struct) bool { return slices.Contains(ts.structList[made:], st) })
	ts.structList = ts.structList[:made]
}

// complete makes the fields and methods of the struct.
func (m *mirror) complete(s *tree.Struct) error {
	var err error
	if s.Union {
		err = m.union(s, 0)
	} else {
		err = m.fields(s, 0, s.Size)
	}
	if err != nil {
		return err
	}
	m.methods()
	m.storage()
	if err := m.alignment(); err != nil {
		return err
	}
	if err := checkLooks(m.st); err != nil {
		return err
	}
	m.st.rearranged = m.st.rearranged || len(m.st.Members) > 0
	return nil
}

// mirror makes the fields of a Struct.
type mirror struct {
	*types
	st    *Struct
	names names
	bits  []span // of bytes that bit-fields and unions share
}

type span struct {
	from, to int
	align    int
}

// fields adds those of a struct that begins at an offset. At end something else
// begins, which may be before the struct's own last byte: of what a struct inherits, it
// uses the padding at the end.
func (m *mirror) fields(s *tree.Struct, offset, end int) error {
	for i, f := range s.Fields {
		if f.Base {
			if err := m.base(f, offset+f.Offset, min(end, offset+after(s, i))); err != nil {
				return err
			}
			continue
		}
		lastOnLine := i+1 == len(s.Fields) || s.Fields[i+1].Pos.Line != f.Pos.Line
		if err := m.field(f, offset, lastOnLine); err != nil {
			return err
		}
	}
	return nil
}

// after returns where what follows the field i of a struct begins.
func after(s *tree.Struct, i int) int {
	for _, f := range s.Fields[i+1:] {
		if !f.Base || !f.Type.Struct.Empty {
			return f.Offset + f.Shift/8
		}
	}
	return s.Size
}

func (m *mirror) field(f *tree.Field, offset int, lastOnLine bool) error {
	inner := f.Type.Struct
	switch {
	case f.Name == "" && inner.Union:
		return m.union(inner, offset+f.Offset)
	case f.Name == "":
		m.st.rearranged = true
		offset += f.Offset
		return m.fields(inner, offset, offset+inner.Size) // as if they were the outer struct's
	}
	field, err := m.member(f, offset)
	if err != nil {
		return err
	}
	if l, ok := trailing(m.parsed, f.Pos); ok && lastOnLine {
		field.Doc = l.Text
	}
	if f.Bits == 8*f.Type.Size && f.Shift == 0 { // all of an integer
		field.Bits = 0
	}
	if field.Bits == 0 {
		field.Go = m.names.unique(field.Go, "_")
		m.st.Fields = append(m.st.Fields, field)
		return nil
	}
	m.st.Members = append(m.st.Members, field)
	first := 8*field.Offset + f.Shift
	m.bits = append(m.bits, span{first / 8, (first + f.Bits + 7) / 8, 1})
	return nil
}

// methods names the members that methods read and write, when the fields have their
// names: a member needs two that are free.
func (m *mirror) methods() {
	for _, member := range m.st.Members {
		member.Go = unused(member.Go, "_", func(name string) bool { return m.names[name] || m.names["Set"+name] })
		m.names[member.Go], m.names["Set"+member.Go] = true, true
	}
}

// member returns a field by itself, with a name that others may have too.
func (m *mirror) member(f *tree.Field, offset int) (*Field, error) {
	name := cmp.Or(goName(f.Name), "Field")
	t, err := m.fieldType(f.Type, m.st.own+name)
	if err != nil {
		return nil, err
	}
	field := &Field{
		Name: f.Name, Go: name, Type: f.Type.String(), Plain: f.Type.Plain(), GoType: t,
		Offset: offset + f.Offset, Size: f.Type.Size, Bits: f.Bits, Shift: f.Shift,
	}
	if HoldsPointers(t) {
		field.followed(f.Type)
	}
	return field, nil
}

// fieldType returns the Go type of a field: that of a struct without a name is called
// as the field in its struct.
func (ts *types) fieldType(t *tree.Type, name string) (GoType, error) {
	switch {
	case t.Kind == tree.Array:
		elem, err := ts.fieldType(t.Elem, name)
		return Array{t.Len, elem}, err
	case t.Kind == tree.StructType && strings.Contains(t.Struct.Name, "<unnamed"):
		return asType(ts.structNamed(t.Struct, name))
	}
	return ts.of(t)
}

// base adds what a struct inherits, and what follows begins at end. A Go struct has
// its padding to itself: where what follows is in that of the base, the fields of the
// base are as if they were the outer struct's.
func (m *mirror) base(f *tree.Field, offset, end int) error {
	if f.Type.Struct.Empty {
		return nil
	}
	if offset+f.Type.Size > end {
		m.st.rearranged = true
		return m.fields(f.Type.Struct, offset, end)
	}
	st, err := m.structFor(f.Type.Struct)
	if err != nil {
		return err
	}
	m.st.rearranged = true
	m.st.Fields = append(m.st.Fields, &Field{
		Go: m.names.unique(st.own, "_"), Type: f.Type.String(), GoType: st,
		Offset: offset, Size: f.Type.Size, Base: true,
	})
	return nil
}

// union adds the members of a union, which share their bytes.
func (m *mirror) union(s *tree.Struct, offset int) error {
	for _, f := range s.Fields {
		if err := m.overlaid(f, offset); err != nil {
			return err
		}
	}
	m.bits = append(m.bits, span{offset, offset + s.Size, s.Align})
	return nil
}

// overlaid adds a member of a union, or the members of one that has no name.
func (m *mirror) overlaid(f *tree.Field, offset int) error {
	if f.Name == "" {
		for _, inner := range f.Type.Struct.Fields {
			if err := m.overlaid(inner, offset+f.Offset); err != nil {
				return err
			}
		}
		return nil
	}
	field, err := m.member(f, offset)
	if err != nil {
		return err
	}
	if HoldsPointers(field.GoType) {
		return fmt.Errorf("metalgen does not bind pointers, textures and samplers in unions, as %s of %s", f.Name, m.st.Name)
	}
	if l, ok := trailing(m.parsed, f.Pos); ok {
		field.Doc = l.Text
	}
	m.st.Members = append(m.st.Members, field)
	return nil
}

// storage adds the fields that hold the bytes of members.
func (m *mirror) storage() {
	slices.SortStableFunc(m.bits, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	for i := 0; i < len(m.bits); {
		s := m.bits[i]
		joins := func(next span) bool {
			return next.from < s.to || next.from == s.to && s.align == 1 && next.align == 1
		}
		for i++; i < len(m.bits) && joins(m.bits[i]); i++ {
			s.to = max(s.to, m.bits[i].to)
		}
		elem := Byte
		for _, wide := range []*Basic{Uint64, Uint32, Uint16} {
			if s.align >= wide.Size && s.from%wide.Size == 0 && (s.to-s.from)%wide.Size == 0 {
				elem = wide
				break
			}
		}
		m.st.Fields = append(m.st.Fields, &Field{
			Go: m.names.unique(fmt.Sprint("bytes", s.from), "_"), Storage: true,
			GoType: Array{(s.to - s.from) / elem.Size, elem}, Offset: s.from, Size: s.to - s.from,
		})
	}
	slices.SortStableFunc(m.st.Fields, func(a, b *Field) int { return cmp.Compare(a.Offset, b.Offset) })
}

// alignment finds the fields that Go cannot have where Metal has them: a packed struct
// of Metal may put one at an odd offset or end in the middle of a word. The others
// say how Go aligns the struct.
func (m *mirror) alignment() error {
	m.st.goAlign = 1
	for _, f := range m.st.Fields {
		align := f.GoType.align()
		if f.Bytes = f.Offset%align != 0 || m.st.Size%align != 0; !f.Bytes {
			m.st.goAlign = max(m.st.goAlign, align)
		}
		if HoldsPointers(f.GoType) {
			m.st.pointers = true
			if f.Bytes {
				return fmt.Errorf("metalgen does not bind pointers, textures and samplers at odd offsets, as %s of %s",
					f.Name, m.st.Name)
			}
		}
	}
	for _, f := range m.st.Members {
		f.Bytes = f.Bits > 0 && (m.st.Align < f.Size || f.Offset%f.Size != 0 || f.Shift+f.Bits > 8*f.Size)
	}
	return nil
}

// compareFields orders fields by their lowest bits.
func compareFields(a, b *Field) int {
	return cmp.Or(cmp.Compare(a.Offset, b.Offset), cmp.Compare(a.Shift, b.Shift))
}

// inner is a field of an MSL struct, with its offset from the struct's beginning.
type inner struct {
	field  *tree.Field
	offset int
}

// memberOf finds a field by its name, also within members without a name and what
// the struct inherits.
func memberOf(s *tree.Struct, name string) *inner {
	for _, f := range s.Fields {
		if f.Name == name {
			return &inner{field: f, offset: f.Offset}
		}
	}
	for _, f := range s.Fields {
		if f.Name != "" {
			continue
		}
		if m := memberOf(f.Type.Struct, name); m != nil {
			m.offset += f.Offset
			return m
		}
	}
	return nil
}

// selector returns how Go names a member: of what a struct inherits, Go's own promotion
// makes the name enough.
func (s *Struct) selector(m *inner) []string {
	for _, f := range s.Fields {
		if f.Name == m.field.Name && f.Offset == m.offset {
			return []string{f.Go}
		}
	}
	for _, f := range s.Members {
		if f.Name == m.field.Name && f.Offset == m.offset {
			return []string{f.Go + "()"}
		}
	}
	return []string{cmp.Or(goName(m.field.Name), "Field")}
}
