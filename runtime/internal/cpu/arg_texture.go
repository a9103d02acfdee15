package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

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

func (a textureArg) bind(d *dispatch, o *object, from *driver.Dispatch) {
	o.missing = true
	for i := range from.Textures {
		if t := &from.Textures[i]; t.Arg.Index == a.index && t.Element == a.element {
			o.missing = false
			o.show(t.Texture.(*texture))
			if t.Arg.Writes && d.grid.Short != "" {
				o.extent = extentOfTexture(o.texture)
			}
			return
		}
	}
}
