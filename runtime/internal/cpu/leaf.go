package cpu

import (
	"fmt"

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

// class is how a leaf is held while a kernel runs.
type class uint8

const (
	maskClass  class = iota // bool: one bit a lane
	wordClass               // 32 bits
	longClass               // 64 bits, and pointers
	unsetClass              // not of a leaf: see unset
	classes
)

var classSizes = [classes]int32{maskClass: 8, wordClass: size32, longClass: size64, unsetClass: sizeUnset}

func (l leaf) class() class {
	if l.isHandle() {
		return longClass
	}
	return classOf(l.kind)
}

// isHandle reports whether the leaf says which object it is.
func (l leaf) isHandle() bool { return l.handle != tree.Void }

func classOf(k tree.ScalarKind) class {
	switch k {
	case tree.Bool:
		return maskClass
	case tree.Long, tree.ULong:
		return longClass
	}
	return wordClass
}

// matrixLeaves are the elements of a simdgroup_matrix that each thread holds.
const matrixLeaves = 2

// leavesOf lists the scalars of a type in the order of their offsets. Those of a
// simdgroup_matrix are what a thread has of it, side by side.
func leavesOf(t *tree.Type) ([]leaf, error) {
	if countLeaves(t) > maxLeaves {
		return nil, fmt.Errorf("a value of more than %d numbers is more than the CPU device holds in registers", maxLeaves)
	}
	var leaves []leaf
	if err := appendLeaves(&leaves, t, 0); err != nil {
		return nil, err
	}
	return leaves, nil
}

func appendLeaves(leaves *[]leaf, t *tree.Type, offset int) error {
	each := func(n int, elem *tree.Type, stride int) error {
		if countLeaves(elem) == 0 {
			return nil
		}
		for i := range n {
			if err := appendLeaves(leaves, elem, offset+i*stride); err != nil {
				return err
			}
		}
		return nil
	}
	if handles[t.Kind] {
		*leaves = append(*leaves, leaf{kind: tree.ULong, handle: t.Kind, offset: offset})
		return nil
	}
	if t.IsLog() { // the number of one of the program
		*leaves = append(*leaves, leaf{kind: tree.UInt, offset: offset})
		return nil
	}
	switch t.Kind {
	case tree.Void:
		return nil
	case tree.Scalar, tree.EnumType:
		*leaves = append(*leaves, leaf{kind: t.Scalar, offset: offset})
		return nil
	case tree.SimdgroupMatrix:
		return each(matrixLeaves, t.Elem, t.Elem.Size)
	case tree.Vector, tree.PackedVector, tree.Matrix, tree.Array:
		return each(t.Len, t.Elem, t.Elem.Size)
	case tree.StructType:
		if overlaps(t.Struct) {
			kind, n := unitsOf(t.Struct)
			for i := range n {
				*leaves = append(*leaves, leaf{kind: kind, offset: offset + i*sizes[kind], unit: true})
			}
			return nil
		}
		for _, f := range t.Struct.Fields {
			first := len(*leaves)
			if err := appendLeaves(leaves, f.Type, offset+f.Offset); err != nil {
				return err
			}
			if isPacked(t.Struct, f) {
				for i := range (*leaves)[first:] {
					(*leaves)[first+i].packed = true
				}
			}
		}
		return nil
	}
	return fmt.Errorf("a value of type %s is not supported yet", t)
}

// countLeaves returns the number of scalars of a type.
func countLeaves(t *tree.Type) int {
	if handles[t.Kind] || t.IsLog() {
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

// inMemory reports whether variables of a type are in memory rather than in
// registers: arrays are, which indexes that vary from lane to lane pick from.
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

// signed reports whether an integer type has negative values.
func signed(k tree.ScalarKind) bool {
	return k == tree.Char || k == tree.Short || k == tree.Int || k == tree.Long
}

// floating reports whether a type holds fractions.
func floating(k tree.ScalarKind) bool { return k >= tree.Half }

// sizes are the bytes of scalars.
var sizes = [...]int{
	tree.Bool: 1, tree.Char: 1, tree.UChar: 1, tree.Short: 2, tree.UShort: 2, tree.Int: 4, tree.UInt: 4,
	tree.Long: 8, tree.ULong: 8, tree.Half: 2, tree.BFloat: 2, tree.Float: 4,
}

// unsignedOf are the unsigned integers, by their bytes.
var unsignedOf = map[int]tree.ScalarKind{1: tree.UChar, 2: tree.UShort, 4: tree.UInt, 8: tree.ULong}

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
	return unsignedOf[size], st.Size / size
}

// leafCache keeps the leaves of types.
type leafCache map[*tree.Type][]leaf

// leaves is leavesOf, for types that a value may have.
func (c leafCache) leaves(t *tree.Type, pos parser.Pos) []leaf {
	if l, ok := c[t]; ok {
		return l
	}
	l, err := leavesOf(t)
	if err != nil {
		fail(pos, "%s", err)
	}
	c[t] = l
	return l
}
