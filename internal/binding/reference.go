package binding

import "github.com/metalgen/metalgen/internal/msl/tree"

// followed says of a field with pointers, textures or samplers what the runtime needs to follow them.
func (f *Field) followed(t *tree.Type) {
	isArray := t.Kind == tree.Array
	for t.Kind == tree.Array {
		t = t.Elem
	}
	switch t.Kind {
	case tree.StructType:
		if isArray {
			f.Stride = t.Size
		}
	case tree.Pointer:
		f.Points, f.Beyond = pointerUse(t), beyond(t)
	case tree.Texture:
		f.Texture, f.Texels, f.Points = textureUse(t)
	}
}

// setElement describes the elements of a buffer, or a value, that are pointers, textures, samplers or arrays.
func (a *Arg) setElement(t *tree.Type) {
	if t.Kind == tree.StructType || !HoldsPointers(a.GoType) {
		return
	}
	a.Element = &Field{Plain: t.Plain(), GoType: a.GoType}
	a.Element.followed(t)
}

// pointerUse returns what a kernel may do with what a pointer points to.
func pointerUse(t *tree.Type) Access {
	if t.Const {
		return Read
	}
	return ReadWrite
}

// maxBeyond bounds the structs that are looked at for one pointer. Beyond more of them a kernel may do anything.
const maxBeyond = 1000

// beyond returns what a kernel may do with what it reaches through the pointers and textures that a pointer leads to,
// or 0 without such.
func beyond(pointer *tree.Type) Access {
	seen := map[*tree.Struct]bool{}
	var reached func(t *tree.Type) Access
	reached = func(t *tree.Type) (a Access) {
		switch t.Kind {
		case tree.Array:
			return reached(t.Elem)
		case tree.Pointer:
			return pointerUse(t) | reached(t.Elem)
		case tree.Texture:
			_, _, a = textureUse(t)
		case tree.StructType:
			if seen[t.Struct] {
				return 0
			}
			if seen[t.Struct] = true; len(seen) > maxBeyond {
				return ReadWrite
			}
			for _, f := range t.Struct.Fields {
				if a |= reached(f.Type); a&Write != 0 {
					return ReadWrite
				}
			}
		}
		return a
	}
	return reached(pointer.Elem)
}
