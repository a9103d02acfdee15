package cpu

import (
	"encoding/binary"
	"fmt"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// A texture as a value is a pointer to an object, which has the texture and no bytes. So
// textures are passed, kept in variables and picked from arrays as pointers are.
var textureKind = argKind{
	takes:  func(param *tree.Param) bool { return param.Kind == tree.TextureParam },
	lower:  func(b *builder, param *tree.Param, v *tree.Var) { b.beginHandles(param, v, newTextureArg) },
	handle: tree.Texture,
}

// beginHandles begins the variable of a parameter that is a texture or a sampler, or an
// array of them, each an object of its own.
func (b *builder) beginHandles(param *tree.Param, v *tree.Var, from func(index, element int) source) {
	if param.Type.Kind != tree.Array {
		b.beginArgument(param, v, from(param.Index, 0))
		return
	}
	handles := make([]byte, 0, param.Type.Size)
	for i := range param.Type.Len {
		info := objectInfo{
			name: fmt.Sprintf("%s[%d]", param.Name, i), element: param.Type.Elem, optional: param.Optional,
			source: from(param.Index, i),
		}
		handles = binary.LittleEndian.AppendUint64(handles, pointerTo(b.program.addObject(info)))
	}
	table := elementsOf(param.Name, param.Type, param.Pos, tableMemory{bytes: handles})
	b.vars[v] = &storage{place: inMemoryAt(v.Type, b.pointer(b.program.addObject(table)), 0)}
}

// show makes the object a texture. A kernel can make a pointer of it through a union: what is not for writing may be
// memory that nobody can write.
func (o *object) show(t *texture) {
	o.texture = t
	o.hold(t.bytes)
	o.constant = t.spec.Usage != 0 && t.spec.Usage&(driver.TextureWrite|driver.TextureAtomic) == 0
}

// textureArg is the texture that is bound to an element of an argument.
type textureArg struct {
	bound
	index, element int
}

func newTextureArg(index, element int) source { return textureArg{index: index, element: element} }

func (a textureArg) bind(_ *dispatch, o *object, from *driver.Dispatch) {
	o.missing = true
	for i := range from.Textures {
		if t := &from.Textures[i]; t.Arg.Index == a.index && t.Element == a.element {
			o.missing = false
			o.show(t.Texture.(*texture))
			return
		}
	}
}
