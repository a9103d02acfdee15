package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sanitize"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindTexture finds the texture that is bound to an element of an argument.
func bindTexture(d *recorded, o *interp.Object, from *driver.Dispatch) {
	a := &o.Info.Source
	o.Missing = true
	for i := range from.Textures {
		if t := &from.Textures[i]; t.Arg.Index == a.Index && t.Element == a.Element {
			o.Missing = false
			o.Show(t.Texture.(*storage.Texture))
			if t.Arg.Writes && d.Grid.Short != "" {
				o.Extent = sanitize.ExtentOfTexture(o.Texture)
			}
			return
		}
	}
}
