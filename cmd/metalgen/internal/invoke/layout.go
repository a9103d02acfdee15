package invoke

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/binding"
)

// layout is where the numbers of a type lie. It is one of a scalar, a sequence
// of elements, and a struct.
type layout struct {
	size   int
	scalar *scalar
	enum   *binding.Enum // names for some values of scalar
	bits   int           // of a bit-field: its width
	shift  int           // and its lowest bit in scalar

	elem *layout // of an array, a vector or a matrix
	len  int

	fields []field
	isA    string // the struct's name
}

type field struct {
	name   string
	offset int
	*layout
	// shared is set where others have the same bytes: members of unions, and
	// bit-fields.
	shared bool
}

// maxElement bounds the bytes of an element: offsets, which are larger, are kept of all its numbers.
const maxElement = 1 << 25

// elementLayout returns the layout of an element of an argument.
func elementLayout(a *binding.Arg) (*layout, error) {
	if a.Size > maxElement {
		return nil, fmt.Errorf("a %s (%v) has %d bytes, and metalgen run takes elements of at most %d", a.Type, a.Pos, a.Size,
			maxElement)
	}
	l, err := layoutOf(a.GoType)
	if err == nil && a.Size != l.size {
		err = fmt.Errorf("a %s has %d bytes, %v has %d", a.Type, a.Size, a.GoType, l.size)
	}
	return l, err
}

// layoutOf returns the layout of t, which mirrors the type of MSL.
func layoutOf(t binding.GoType) (*layout, error) {
	switch t := t.(type) {
	case binding.Array:
		elem, err := layoutOf(t.Elem)
		if err != nil {
			return nil, err
		}
		return &layout{size: t.Len * elem.size, elem: elem, len: t.Len}, nil
	case binding.Vec3:
		elem, err := layoutOf(t.Elem)
		if err != nil {
			return nil, err
		}
		return &layout{size: 4 * elem.size, elem: elem, len: 3}, nil
	case binding.Pointer, binding.TextureRef:
		return nil, fmt.Errorf("metalgen run passes no pointers and no textures in memory, as %v", t)
	case *binding.Struct:
		return structLayout(t)
	case *binding.Enum:
		under := scalars[t.GoType]
		return &layout{size: under.size, scalar: under, enum: t}, nil
	case *binding.Basic:
		if s := scalars[t]; s != nil {
			return &layout{size: s.size, scalar: s}, nil
		}
	}
	return nil, fmt.Errorf("metalgen run knows no values of type %v", t)
}

func structLayout(st *binding.Struct) (*layout, error) {
	l := &layout{size: st.Size, isA: st.Name}
	for f := range st.AllFields() {
		if f.Storage {
			continue // what is in it has names
		}
		of, err := layoutOf(f.GoType)
		if err != nil {
			return nil, err
		}
		if f.Base { // its fields are as if they were the struct's own
			for _, inner := range of.fields {
				inner.offset += f.Offset
				l.fields = append(l.fields, inner)
			}
			continue
		}
		of.bits, of.shift = f.Bits, f.Shift
		member := field{name: f.Name, offset: f.Offset, layout: of, shared: slices.Contains(st.Members, f)}
		l.fields = append(l.fields, member)
	}
	return l, nil
}

// offsets returns where the scalars of l are, if l holds scalars of one type and
// nothing else.
func (l *layout) offsets() (*scalar, []int) {
	switch {
	case l.scalar != nil:
		return l.scalar, []int{0}
	case l.elem == nil:
		return nil, nil
	}
	s, inner := l.elem.offsets()
	if s == nil {
		return nil, nil
	}
	all := make([]int, 0, l.len*len(inner))
	for i := range l.len {
		for _, o := range inner {
			all = append(all, i*l.elem.size+o)
		}
	}
	return s, all
}

// dims returns the dimensions of the scalars of l.
func (l *layout) dims() []int {
	if l.elem == nil {
		return nil
	}
	return append([]int{l.len}, l.elem.dims()...)
}

func (l *layout) fieldNames() []string {
	names := make([]string, len(l.fields))
	for i, f := range l.fields {
		names[i] = f.name
	}
	return slices.Clip(names)
}
