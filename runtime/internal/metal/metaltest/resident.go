//go:build linux && (amd64 || arm64)

package metaltest

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// What kernels may reach beside their arguments is no argument, and comes with them: what
// the encoder was told to use, and all samplers that may be in memory.
var (
	residentBufferKind = argKind{
		number: 101,
		read: func(d *Dispatch, r *argRecord) {
			d.use(r, "MTLBuffer", driver.Resource{Memory: r.memory()})
		},
		bind: func(to *driver.Dispatch, from *Dispatch) { to.Resources = from.Resources },
	}
	residentTextureKind = argKind{
		number: 102,
		read: func(d *Dispatch, r *argRecord) {
			n := (*textureNumbers)(r.numbers)
			d.use(r, "MTLTexture", driver.Resource{Texture: storage.WithID(n.texture(r), n.number)})
		},
	}
	residentSamplerKind = argKind{
		number: 103,
		read: func(d *Dispatch, r *argRecord) {
			d.InMemory = append(d.InMemory, (*samplerNumbers)(r.numbers).sampler())
		},
	}
)

// use adds what the encoder was told to use.
func (d *Dispatch) use(r *argRecord, class string, resource driver.Resource) {
	resource.Arg, resource.Element = &driver.Arg{Name: fmt.Sprintf("%s#%d", class, r.number)}, -1
	resource.Writes = r.writes != 0
	d.Resources = append(d.Resources, resource)
}
