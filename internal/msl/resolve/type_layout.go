package resolve

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// layout computes the offsets of a struct's fields: each at the next multiple
// of its alignment, the whole a multiple of the largest (C++14 9.2; section
// 2.2 for the alignments of vectors).
func (in Env) layout(s *Symbol) (*tree.Type, error) {
	st := in.R.Facts.NewClass(&tree.Struct{Name: s.Name, Decl: s.Decl, Pos: s.Structure.Pos,
		Union: s.Structure.Tag == "union", Align: 1})
	st.Instance, st.Syntax, st.Namespace = s.Instance, s.Structure, s.Namespace
	if st.local = s.Local; s.Local {
		in.R.Templates.Locals++
		st.Serial = in.R.Templates.Locals
	}
	st.Type = &tree.Type{Kind: tree.StructType, Name: s.Name, Struct: st.Struct}
	s.typ = st.Type // for who needs no layout, as template arguments
	l := &layouter{in: in.From(s.Namespace), s: s, st: st, names: map[string]bool{},
		pack: in.R.packing(s)}
	own, err := l.placed(s.Structure.Pos, s.Structure.Before, s.Structure.After)
	if err != nil {
		return nil, err
	}
	l.packed = own.packed
	for _, b := range s.Structure.Bases {
		if err := l.bases(b); err != nil {
			return nil, err
		}
	}
	hidden, open := false, s.Structure.Tag != "class"
	for _, m := range s.Structure.Members {
		if m.Access != "" {
			open = m.Access == "public"
		}
		fields := len(st.Fields)
		if err := l.member(m); err != nil {
			return nil, err
		}
		hidden = hidden || !open && len(st.Fields) > fields
	}
	if err := in.R.countParts(st); err != nil {
		return nil, err
	}
	align, err := alignmentOf(in.From(s.Namespace), s.Structure.Align)
	if err != nil {
		return nil, err
	}
	if align > 0 && align < st.Align {
		return nil, Errorf(s.Structure.Align[0].Pos, "struct %s is aligned to %d already: alignas(%d) is less", s.Name,
			st.Align, align)
	}
	st.Align = max(st.Align, align, own.align)
	st.data = l.end
	st.plain = !st.defaults && !hidden && len(s.Structure.Bases) == 0 &&
		!slices.ContainsFunc(in.R.Constructors(st).Functions, in.R.Provided) &&
		len(in.R.Constructors(st).Templates) == 0 && !slices.ContainsFunc(st.Fields, func(f *tree.Field) bool {
		return f.Ref || types.IsStruct(f.Type) &&
			!in.R.Facts.Class(Innermost([]TemplateArg{TypeArg(f.Type)}).Struct).plain
	})
	st.Size = roundUp(max(l.end, l.taken, 1), st.Align) // an empty struct takes a byte
	st.Type.Size, st.Type.Align = st.Size, st.Align
	st.Empty = len(NamedFields(st.Struct)) == 0 &&
		!slices.ContainsFunc(st.Bases(), func(b *tree.Struct) bool { return !b.Empty })
	st.defaults = st.defaults || in.R.defaultConstructor(st)
	return st.Type, nil
}

// countParts counts the fields of a struct, with those of the structs within it.
func (r *Resolver) countParts(st *Class) error {
	for _, f := range st.Fields {
		st.parts++
		if types.IsStruct(f.Type) && !f.Ref {
			st.parts += r.Facts.Class(Innermost([]TemplateArg{TypeArg(f.Type)}).Struct).parts
		}
	}
	if st.parts > maxParts {
		return Errorf(st.Pos, "struct %s is too large: with the structs within it, it has more than %d fields", st.Name,
			maxParts)
	}
	return nil
}

// defaultConstructor reports whether a struct says itself what an object is where
// nothing is given.
func (r *Resolver) defaultConstructor(st *Class) bool {
	for _, f := range r.Constructors(st).Functions {
		tokens := r.Source.Tokens[f.Decl.From:f.Decl.To]
		open := slices.IndexFunc(tokens, func(t parser.Token) bool { return t.Is("(") })
		if open+1 < len(tokens) && tokens[open+1].Is(")") && f.Decl.Open >= 0 {
			return f.Decl.Close > f.Decl.Open+1 || !tokens[open+2].Is("{")
		}
	}
	return false
}

// layouter lays one struct out.
type layouter struct {
	in    Env
	s     *Symbol
	st    *Class
	end   int // of the fields so far, in bytes
	bits  int // of the last byte before end that are free for bit-fields
	names map[string]bool
	empty []emptyPart
	taken int // by empty bases that could not be where others are
	pack  int // the most that a field is aligned by, or 0: see packing
	// packed is set where fields have no alignment but what is said of them.
	packed bool
	ids    int64 // the least number that the next [[id(n)]] may have
}

// packing is what #pragma pack says where a struct begins.
func (r *Resolver) packing(s *Symbol) int {
	if !r.Source.Packs() {
		return 0
	}
	first := slices.IndexFunc(r.Source.Tokens[s.Decl.From:],
		func(t parser.Token) bool { return t.Pos == s.Structure.Pos })
	if first < 0 {
		return 0 // of the library
	}
	return r.Source.PackAt(s.Decl.From + first)
}

// aligned is the alignment of a field that would be aligned by so many bytes.
func (l *layouter) aligned(align int) int { return l.atLeast(align, 0) }

// atLeast is the alignment of a field of a type for which alignas, or the like, says one: 0 for none. That raises it in
// a packed struct too, and not beyond what #pragma pack allows.
func (l *layouter) atLeast(natural, align int) int {
	if l.packed {
		natural = 1
	}
	natural = max(natural, align)
	if l.pack > 0 {
		return min(l.pack, natural)
	}
	return natural
}

// member lays out the fields of a member.
func (l *layouter) member(m *parser.Member) error {
	switch {
	case m.Nested != nil && m.Nested.Name == "":
		return l.unnamed(m)
	case m.Nested != nil && len(m.Nested.Vars) > 0:
		return l.fields(&parser.Type{Pos: m.Pos, At: parser.Here{Pos: m.Pos}, Path: []string{m.Nested.Name}}, m.Nested.Vars,
			nil, nil)
	case m.Enum != nil && len(m.Enum.Vars) > 0:
		if m.Enum.Name == "" {
			return UnsupportedError(m.Pos,
				"struct %s has a field of an enum without a name, which metalgen does not lay out yet", l.s.Name)
		}
		return l.fields(&parser.Type{Pos: m.Pos, At: parser.Here{Pos: m.Pos}, Path: []string{m.Enum.Name}}, m.Enum.Vars, nil,
			nil)
	case m.Field == nil || slices.Contains(m.Field.Type.Pre, "static"):
		return nil
	}
	return l.fields(m.Field.Type, m.Field.Vars, m.Field.Align, m.Field.Before)
}

// unnamed lays out a struct or union without a name: fields of it, or one whose
// own fields are as if they were the outer struct's.
func (l *layouter) unnamed(m *parser.Member) error {
	inner := &Symbol{
		Name: Qualify(l.s.Namespace, fmt.Sprintf("<unnamed %d>", len(l.st.Fields))), Namespace: l.s.Namespace,
		Decl: l.s.Decl, Pos: m.Pos, Structure: m.Nested, Local: l.s.Local,
	}
	t, err := l.in.layout(inner)
	if err != nil {
		return err
	}
	if len(m.Nested.Vars) == 0 {
		for _, f := range NamedFields(t.Struct) {
			if l.names[f.Name] {
				return Errorf(f.Pos, "struct %s has two fields %s", l.s.Name, f.Name)
			}
			l.names[f.Name] = true
		}
		return l.append(&tree.Field{Type: t, Pos: m.Pos}, 0)
	}
	for _, v := range m.Nested.Vars {
		typ, err := WithDims(l.in, t, v.Declarator.Dims)
		if err != nil {
			return err
		}
		if err := l.named(&tree.Field{Name: v.Declarator.Name, Type: typ, Pos: v.Declarator.Pos}, v, 0); err != nil {
			return err
		}
	}
	return nil
}

// fields lays out a line of fields.
func (l *layouter) fields(typ *parser.Type, vars []*parser.Init, alignAs []*parser.AlignAs, before []string) error {
	align, err := alignmentOf(l.in, alignAs)
	if err != nil {
		return err
	}
	for _, v := range vars {
		d := v.Declarator
		own, err := l.placed(d.Pos, before, d.After)
		if err != nil {
			return err
		}
		if err := l.id(d, before); err != nil {
			return err
		}
		if d.Params != nil {
			return Errorf(d.Pos, "struct %s has a field that is a pointer to a function: Metal has none", l.s.Name)
		}
		t, err := l.in.FullType(typ, v.Pointers, d.Dims)
		if err != nil {
			return err
		}
		pointers := v.Pointers
		if d.Inner != nil {
			pointers = d.Inner.Ptr
			t = PointersTo(t, pointers, SpaceOf(typ), IsConst(typ))
		}
		if d.Bits != nil {
			if own != (placement{}) {
				return UnsupportedError(d.Pos,
					"struct %s has a bit-field with an attribute that places it, which metalgen does "+
						"not lay out", l.s.Name)
			}
			if err := l.bitField(t, d); err != nil {
				return err
			}
			continue
		}
		if Opaque(t) || l.in.R.Facts.IsTensor(t) {
			return UnsupportedError(typ.Pos, "struct %s has a field %s of type %s, which metalgen does not bind",
				l.s.Name, d.Name, t)
		}
		if incompleteStruct(t) {
			return containsItself(t)
		}
		if t.Size == 0 {
			return Errorf(typ.Pos, "field %s cannot be of type %s", d.Name, t)
		}
		f := &tree.Field{Name: DeclaredName(d), Type: t, Pos: d.Pos,
			Ref: len(pointers) > 0 && pointers[len(pointers)-1].Op != "*", Const: IsConst(typ)}
		if n := len(pointers); n > 0 {
			f.Const = !f.Ref && slices.Contains(pointers[n-1].Quals, "const")
		}
		packed := l.packed
		l.packed = packed || own.packed
		err = l.named(f, v, max(align, own.align))
		if l.packed = packed; err != nil {
			return err
		}
	}
	return nil
}

// id checks the number that [[id(n)]] gives a field. Fields of argument buffers lie in the order of their numbers, and
// so in that of their declarations where these increase.
func (l *layouter) id(d *parser.Declarator, before []string) error {
	for _, a := range l.in.R.Source.Attributes(before, d.After) {
		if a.Name != "id" {
			continue
		}
		if len(a.Args) != 1 {
			return Errorf(d.Pos, "field %s: [[id]] needs a number, as in [[id(0)]]", DeclaredName(d))
		}
		v, err := l.in.Constant(a.Args[0])
		if err != nil {
			return ErrorAt(err, d.Pos)
		}
		switch n, ok := v.Int(); {
		case !ok || n < 0 || n > math.MaxUint32:
			return Errorf(d.Pos, "field %s: [[id(%s)]]: the number must be 0 to %d", DeclaredName(d), v,
				uint32(math.MaxUint32))
		case l.ids > 0 && n == l.ids-1:
			return Errorf(d.Pos, "struct %s has two fields with [[id(%d)]]", l.s.Name, n)
		case n < l.ids:
			return UnsupportedError(d.Pos,
				"struct %s has fields whose [[id(n)]] do not increase, which metalgen does not "+
					"lay out", l.s.Name)
		default:
			l.ids = n + 1
		}
	}
	return nil
}

// Opaque reports whether a type has no layout.
func Opaque(t *tree.Type) bool { return t.Kind == tree.Opaque }

// named lays out a field with its name and initial value.
func (l *layouter) named(f *tree.Field, v *parser.Init, align int) error {
	if l.names[f.Name] {
		return Errorf(f.Pos, "struct %s has two fields %s", l.s.Name, f.Name)
	}
	l.names[f.Name] = true
	if v.Value != nil {
		if l.st.Union && len(l.st.Inits) > 0 {
			return Errorf(f.Pos, "union %s has initial values for two fields", l.s.Name)
		}
		l.st.Inits[f] = &fieldInit{Tokens: v.Value, Namespace: l.s.Namespace, Locals: l.in.Locals, From: l.s.Decl.From}
	}
	return l.append(f, align)
}

// append sets the offset of a field and adds it to the struct.
func (l *layouter) append(f *tree.Field, align int) error {
	st, t := l.st, f.Type
	st.defaults = st.defaults || st.Inits[f] != nil || l.in.R.Facts.HasDefaults(t)
	align = l.atLeast(t.Align, align)
	if !st.Union {
		f.Offset = l.apart(t, roundUp(l.end, align), align)
	}
	l.end, l.bits = max(l.end, f.Offset+t.Size), 0
	if l.end > maxTypeSize {
		return Errorf(f.Pos, "struct %s is too large", l.s.Name)
	}
	st.Align = max(st.Align, align)
	st.Fields = append(st.Fields, f)
	return nil
}

// bitField lays out so many bits of an integer, which lie across a boundary of its type
// under #pragma pack only (Itanium C++ ABI 2.4, which Clang follows for Metal).
func (l *layouter) bitField(t *tree.Type, d *parser.Declarator) error {
	if !types.Arithmetic(t) && t.Kind != tree.EnumType || t.Scalar.Floating() {
		return Errorf(d.Pos, "a bit-field is of an integer type, not %s", t.Spelled())
	}
	v, err := l.in.Constant(d.Bits)
	if err != nil {
		return err
	}
	n, ok := v.Int()
	if !ok || n < 0 || n > int64(8*t.Size) || n == 0 && d.Name != "" {
		return Errorf(d.Bits.Pos, "a bit-field of %s has 1 to %d bits, not %s", t.Spelled(), 8*t.Size, v)
	}
	at := 8*l.end - l.bits
	if l.st.Union {
		at = 0
	}
	width, unit := int(n), 8*t.Size
	across := at/unit != (at+width-1)/unit
	if width == 0 || across && l.pack == 0 && !l.packed {
		at = roundUp(at, unit)
	}
	last := at + width
	l.end = max(l.end, roundUp(last, 8)/8)
	if l.bits = 8*l.end - last; l.st.Union {
		l.bits = 0
	}
	if d.Name == "" {
		return nil
	}
	if l.names[d.Name] {
		return Errorf(d.Pos, "struct %s has two fields %s", l.s.Name, d.Name)
	}
	l.names[d.Name] = true
	align := l.aligned(t.Align)
	if across || align < t.Align {
		unit = 8
	}
	l.st.Align = max(l.st.Align, align)
	l.st.Fields = append(l.st.Fields,
		&tree.Field{Name: d.Name, Type: t, Pos: d.Pos, Offset: at / unit * (unit / 8), Bits: width, Shift: at % unit})
	return nil
}

// NamedFields lists the fields that a struct has by name, those of unnamed structs
// and unions within it included.
func NamedFields(s *tree.Struct) []*tree.Field {
	var list []*tree.Field
	for _, f := range s.Fields {
		switch {
		case f.Name != "":
			list = append(list, f)
		case !f.Base:
			list = append(list, NamedFields(f.Type.Struct)...)
		}
	}
	return list
}

// placement is what the compiler's own attributes say of where a struct or a field lies.
type placement struct {
	align  int // at least, or 0
	packed bool
}

// placed reads aligned(n), which is alignas(n), and packed, which is #pragma pack(1) for a struct or a field.
func (l *layouter) placed(pos parser.Pos, attributes ...[]string) (p placement, err error) {
	for _, a := range l.in.R.Source.Attributes(attributes...) {
		switch strings.Trim(a.Name, "_") {
		case "packed":
			p.packed = true
		case "aligned":
			if len(a.Args) != 1 {
				return p, UnsupportedError(pos,
					"struct %s has the attribute aligned without a number, which metalgen does not "+
						"lay out", l.s.Name)
			}
			n, err := alignmentOf(l.in, []*parser.AlignAs{{Pos: pos, Expr: a.Args[0]}})
			if err != nil {
				return p, ErrorAt(err, pos)
			}
			p.align = max(p.align, n)
		}
	}
	return p, nil
}

// alignmentOf evaluates alignas(...); 0 where there is none.
func alignmentOf(in Env, list []*parser.AlignAs) (int, error) {
	align := 0
	for _, a := range list {
		if t, err := in.R.Syntax.Type(a.Expr.List); err == nil {
			if typ, err := in.FullType(t.Type, t.Pointers, t.Dims); err == nil {
				align = max(align, typ.Align)
				continue
			}
		}
		n, err := in.Count(a.Expr)
		if err != nil {
			return 0, err
		}
		if n&(n-1) != 0 || n > 1<<20 {
			return 0, Errorf(a.Pos, "alignas(%d): an alignment is a power of two", n)
		}
		align = max(align, n)
	}
	return align, nil
}

// roundUp returns the least multiple of align that is at least n.
func roundUp(n, align int) int { return (n + align - 1) / align * align }
