package resolve

import (
	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// ListType is initializer_list<elem>: a struct that has a pointer to the first value,
// and how many there are.
func (r *Resolver) ListType(elem *tree.Type) *tree.Type {
	key := r.Facts.typeKey(elem)
	if t := r.Facts.lists[key]; t != nil {
		return t
	}
	first, size := tree.PointerTo(elem, "thread", true), tree.ScalarType(tree.ULong)
	st := r.Facts.NewClass(&tree.Struct{Name: library.ListName + "<" + elem.Spelled() + ">",
		Size: first.Size + size.Size, Align: first.Align,
		Fields: []*tree.Field{{Name: "<first>", Type: first}, {Name: "<size>", Type: size, Offset: first.Size}}})
	st.list, st.plain, st.parts, st.data = elem, true, len(st.Fields), st.Size
	r.Templates.Locals++
	st.Serial = r.Templates.Locals
	st.Type = &tree.Type{Kind: tree.StructType, Name: st.Name, Size: st.Size, Align: st.Align, Struct: st.Struct}
	r.Facts.lists[key] = st.Type
	return st.Type
}

// Listed is the type of the values of an initializer_list, or nil for other types.
func (f *Facts) Listed(t *tree.Type) *tree.Type {
	if t.Kind != tree.StructType {
		return nil
	}
	return f.Class(t.Struct).list
}
