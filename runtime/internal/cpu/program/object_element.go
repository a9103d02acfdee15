package program

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// ElementAt returns the scalar in which a byte of the object lies, as the source would name it:
// "tiles[3].sum[2]".
func (info *Object) ElementAt(offset int64) string {
	if info.Element == nil {
		return fmt.Sprintf("byte %d of %s", offset, info.Name)
	}
	if t := info.Whole; t != nil && offset >= 0 && offset < int64(t.Size) {
		return info.Name + partAt(t, int(offset))
	}
	size := int64(info.ElementSize())
	return fmt.Sprintf("%s[%d]%s", info.Name, offset/size, partAt(info.Element, int(offset%size)))
}

// partAt returns what leads to the byte of a value at an offset: ".sum[2]". Where
// several fields have the byte, as in a union, it leads no further.
func partAt(t *tree.Type, offset int) string {
	switch t.Kind {
	case tree.Array, tree.Matrix:
		if n := offset / max(t.Elem.Size, 1); n < t.Len {
			return fmt.Sprintf("[%d]%s", n, partAt(t.Elem, offset-n*t.Elem.Size))
		}
	case tree.Vector, tree.PackedVector:
		if n := offset / t.Elem.Size; n < t.Len {
			return "." + "xyzw"[n:n+1]
		}
	case tree.StructType:
		var fields []*tree.Field
		for _, f := range t.Struct.Fields {
			if hasByte(f, offset) {
				fields = append(fields, f)
			}
		}
		if len(fields) == 1 {
			f := fields[0]
			rest := partAt(f.Type, offset-f.Offset)
			if f.Name == "" || f.Base {
				return rest
			}
			return "." + f.Name + rest
		}
	}
	return ""
}

// hasByte reports whether a field has bits of a byte of its struct.
func hasByte(f *tree.Field, offset int) bool {
	n := offset - f.Offset
	if f.Bits > 0 {
		return n >= f.Shift/8 && n <= (f.Shift+f.Bits-1)/8
	}
	return n >= 0 && n < f.Type.Size
}

// ElementSize returns the bytes of an element, or 1 for one that has none.
func (info *Object) ElementSize() int { return max(info.Element.Size, 1) }
