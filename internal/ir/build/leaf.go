package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// leaf is one scalar of a type: a float4 has four, a struct those of its fields.
type leaf struct {
	kind   tree.ScalarKind
	handle tree.Kind // of a pointer, a texture or a sampler; Void of a number
	offset int       // bytes from the start of the type
	// packed is set for what may lie at any byte.
	packed bool
	// unit is set for a word of a struct whose fields share bytes.
	unit bool
}

// held returns what a value of the leaf holds.
func (l leaf) held() ir.Type {
	if l.isHandle() {
		return ir.Ptr
	}
	return heldAs(l.kind)
}

func heldAs(k tree.ScalarKind) ir.Type { return ir.TypeOf(k).Held() }

// isHandle reports whether the leaf says which object it is.
func (l leaf) isHandle() bool { return l.handle != tree.Void }

// isHandle reports whether a value of a type says which object it is, and where in it.
func isHandle(t *tree.Type) bool {
	return t.Kind == tree.Pointer || t.Kind == tree.Texture || t.Kind == tree.Sampler
}

// matrixLeaves are the elements of a simdgroup_matrix that each thread holds.
const matrixLeaves = 2

// leafCache keeps the leaves of types.
type leafCache map[*tree.Type][]leaf

// scalarLeaves are those of scalars.
var scalarLeaves = func() (list [tree.Float + 1][]leaf) {
	for k := range list {
		list[k] = []leaf{{kind: tree.ScalarKind(k)}}
	}
	return list
}()

// leavesOf lists the scalars of a type in the order of their offsets. Those of a
// simdgroup_matrix are what a thread has of it, side by side.
func (em *emitter) leavesOf(t *tree.Type, pos parser.Pos) []leaf {
	if t.Kind == tree.Scalar {
		return scalarLeaves[t.Scalar]
	}
	if l, ok := em.leaves[t]; ok {
		return l
	}
	n := countLeaves(t)
	if n > maxLeaves {
		fail(pos, "a value of more than %d numbers is more than %s holds in registers", maxLeaves, em.device)
	}
	list := leafList{make([]leaf, 0, n), pos}
	list.add(t, 0)
	em.leaves[t] = list.leaves
	return list.leaves
}

// leafList is leaves that are being listed.
type leafList struct {
	leaves []leaf
	pos    parser.Pos
}

func (list *leafList) add(t *tree.Type, offset int) {
	switch {
	case isHandle(t):
		list.leaves = append(list.leaves, leaf{kind: tree.ULong, handle: t.Kind, offset: offset})
		return
	case t.IsLog(): // the number of one of the kernel
		list.leaves = append(list.leaves, leaf{kind: tree.UInt, offset: offset})
		return
	}
	switch t.Kind {
	case tree.Void:
	case tree.Scalar, tree.EnumType:
		list.leaves = append(list.leaves, leaf{kind: t.Scalar, offset: offset})
	case tree.SimdgroupMatrix:
		list.each(matrixLeaves, t.Elem, offset)
	case tree.Vector, tree.PackedVector, tree.Matrix, tree.Array:
		list.each(t.Len, t.Elem, offset)
	case tree.StructType:
		list.fields(t.Struct, offset)
	default:
		fail(list.pos, "a value of type %s is not supported yet", t)
	}
}

func (list *leafList) each(n int, elem *tree.Type, offset int) {
	if countLeaves(elem) == 0 {
		return
	}
	for i := range n {
		list.add(elem, offset+i*elem.Size)
	}
}

func (list *leafList) fields(st *tree.Struct, offset int) {
	if overlaps(st) {
		kind, n := unitsOf(st)
		for i := range n {
			list.leaves = append(list.leaves, leaf{kind: kind, offset: offset + i*kind.Bytes(), unit: true})
		}
		return
	}
	for _, f := range st.Fields {
		first := len(list.leaves)
		list.add(f.Type, offset+f.Offset)
		if isPacked(st, f) {
			for i := range list.leaves[first:] {
				list.leaves[first+i].packed = true
			}
		}
	}
}

// countLeaves returns the number of scalars of a type.
func countLeaves(t *tree.Type) int {
	if isHandle(t) || t.IsLog() {
		return 1
	}
	switch t.Kind {
	case tree.Scalar, tree.EnumType:
		return 1
	case tree.SimdgroupMatrix:
		return matrixLeaves
	case tree.Vector, tree.PackedVector, tree.Matrix, tree.Array:
		return t.Len * countLeaves(t.Elem)
	case tree.StructType:
		if overlaps(t.Struct) {
			_, n := unitsOf(t.Struct)
			return n
		}
		n := 0
		for _, f := range t.Struct.Fields {
			n += countLeaves(f.Type)
		}
		return n
	}
	return 0
}

// inMemory reports whether variables of a type are in memory: arrays, which indexes that vary from thread to
// thread pick from, and structs whose fields share bytes.
func inMemory(t *tree.Type) bool {
	switch t.Kind {
	case tree.Array:
		return true
	case tree.StructType:
		if overlaps(t.Struct) {
			return true
		}
		for _, f := range t.Struct.Fields {
			if inMemory(f.Type) {
				return true
			}
		}
	}
	return false
}

// overlaps reports whether fields of a struct share bytes.
func overlaps(st *tree.Struct) bool {
	if st.Union {
		return len(st.Fields) > 0
	}
	for _, f := range st.Fields {
		if f.Bits > 0 {
			return true
		}
	}
	return false
}

// unitsOf returns the type and number of the words that hold such a struct as a value.
func unitsOf(st *tree.Struct) (kind tree.ScalarKind, n int) {
	size := min(4, st.Align)
	return unsignedOf(size), st.Size / size
}

// unsignedOf returns the unsigned integer of so many bytes.
func unsignedOf(bytes int) tree.ScalarKind {
	switch bytes {
	case 1:
		return tree.UChar
	case 2:
		return tree.UShort
	case 4:
		return tree.UInt
	}
	return tree.ULong
}

// isPacked reports whether a field may lie where its scalars are not aligned.
func isPacked(st *tree.Struct, f *tree.Field) bool {
	t := f.Type
	for t.Kind == tree.Array || t.Kind == tree.Vector || t.Kind == tree.PackedVector || t.Kind == tree.Matrix {
		t = t.Elem
	}
	return st.Align < t.Align || f.Offset%t.Align != 0 || f.Shift+f.Bits > 8*f.Type.Size
}
