package templates

import "github.com/metalgen/metalgen/internal/binding"

// layout is the size and alignment that Go gives a type on the 64-bit platforms
// that the runtime supports.
type layout struct{ size, align int }

// layouts finds the layouts of the types that generated code mentions. Sources, which
// are generated in parallel, share it: all is computed before.
type layouts struct {
	structs map[string]*binding.Struct // by Go name
	enums   map[string]*binding.Enum
	aligns  map[string]int // of the structs
}

func newLayouts(pkg *binding.Package) layouts {
	l := layouts{structs: make(map[string]*binding.Struct), enums: make(map[string]*binding.Enum), aligns: make(map[string]int)}
	for _, s := range pkg.Sources {
		for _, st := range s.Structs {
			l.structs[st.Go] = st
		}
		for _, e := range s.Enums {
			l.enums[e.Go] = e
		}
	}
	for _, st := range l.structs {
		l.align(st)
	}
	return l
}

var namedLayouts = map[string]layout{
	"bool": {1, 1}, "int8": {1, 1}, "uint8": {1, 1}, "byte": {1, 1},
	"int16": {2, 2}, "uint16": {2, 2}, "Float16": {2, 2}, "BFloat16": {2, 2},
	"int32": {4, 4}, "uint32": {4, 4}, "float32": {4, 4},
	"int64": {8, 8}, "uint64": {8, 8}, "float64": {8, 8},
}

// of is the layout of t, zero for a type that is declared elsewhere.
func (l layouts) of(t binding.GoType) layout {
	if t.Elem != nil {
		elem := l.of(*t.Elem)
		return layout{t.Len * elem.size, elem.align}
	}
	if t.Pkg == binding.RuntimePath && t.Name == "Vec3" {
		elem := l.of(t.Args[0])
		return layout{4 * elem.size, elem.align}
	}
	if t.Pkg == "" {
		if st := l.structs[t.Name]; st != nil {
			return layout{st.Size, l.align(st)}
		}
		if e := l.enums[t.Name]; e != nil {
			return l.of(e.GoType)
		}
	}
	return namedLayouts[t.Name]
}

// align is the alignment of the Go struct that mirrors st. Only newLayouts finds one
// that is not known yet: a struct within others is looked at once, not once for each
// way to it.
func (l layouts) align(st *binding.Struct) int {
	if align, ok := l.aligns[st.Go]; ok {
		return align
	}
	align := 1
	for _, field := range st.Fields {
		if a := l.of(field.GoType).align; fits(st, field, a) {
			align = max(align, a)
		}
	}
	l.aligns[st.Go] = align
	return align
}

// fits tells whether Go can have a field of its type where Metal has it. A packed
// struct of Metal may put it at an odd offset or end in the middle of a word.
func (l layouts) fits(st *binding.Struct, field *binding.Field) bool {
	return fits(st, field, l.of(field.GoType).align)
}

func fits(st *binding.Struct, field *binding.Field, align int) bool {
	return align == 0 || field.Offset%align == 0 && st.Size%align == 0
}
