package tree

import "fmt"

// PartAt returns what leads to the byte of a value at an offset: ".sum[2]". Where
// several fields have the byte, as in a union, it leads no further.
func (t *Type) PartAt(offset int) string {
	switch t.Kind {
	case Array, Matrix:
		if n := offset / max(t.Elem.Size, 1); n < t.Len {
			return fmt.Sprintf("[%d]%s", n, t.Elem.PartAt(offset-n*t.Elem.Size))
		}
	case Vector, PackedVector:
		if n := offset / t.Elem.Size; n < t.Len {
			if t.Len > 4 {
				return fmt.Sprintf(".s%x", n) // as Clang calls them
			}
			return [...]string{".x", ".y", ".z", ".w"}[n]
		}
	case StructType:
		var fields []*Field
		for _, f := range t.Struct.Fields {
			if f.hasByte(offset) {
				fields = append(fields, f)
			}
		}
		if len(fields) == 1 {
			f := fields[0]
			rest := f.Type.PartAt(offset - f.Offset)
			if f.Name == "" || f.Base {
				return rest
			}
			return "." + f.Name + rest
		}
	}
	return ""
}

// hasByte reports whether a field has bits of a byte of its struct.
func (f *Field) hasByte(offset int) bool {
	n := offset - f.Offset
	if f.Bits > 0 {
		return n >= f.Shift/8 && n <= (f.Shift+f.Bits-1)/8
	}
	return n >= 0 && n < f.Type.Size
}
