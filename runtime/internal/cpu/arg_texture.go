package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindTexture finds the texture that is bound to an element of an argument.
func bindTexture(d *recorded, o *object, from *driver.Dispatch) {
	a := &o.info.source
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
