//go:build linux && (amd64 || arm64)

package metaltest

import (
	"math"
	"structs"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var samplerKind = argKind{
	number: 3,
	takes:  func(p *tree.Param) bool { return p.Kind == tree.SamplerParam },
	describe: func(p *tree.Param, n *bindingNumbers) {
		_, length := elementOf(p.Type)
		n.size, n.align, n.length = 0, 0, uint64(length)
	},
	read: func(d *Dispatch, r *argRecord) {
		d.Samplers = append(d.Samplers, driver.SamplerArg{
			Arg: &driver.Arg{Index: int(r.index)}, Element: int(r.number), Sampler: (*samplerNumbers)(r.numbers).sampler(),
		})
	},
	bind: func(to *driver.Dispatch, from *Dispatch) { to.Samplers = from.Samplers },
}

// samplerNumbers are those of fake/arg_sampler.c.
type samplerNumbers struct {
	_                                            structs.HostLayout
	min, mag, mip                                uint64
	address                                      [3]uint64
	border, compare, pixel, lodMin, lodMax, most uint64
}

func (n *samplerNumbers) sampler() bind.Sampler {
	return bind.Sampler{
		Min: bind.Filter(n.min), Mag: bind.Filter(n.mag), Mip: bind.MipFilter(n.mip),
		AddressS: bind.AddressMode(n.address[0]), AddressT: bind.AddressMode(n.address[1]),
		AddressR: bind.AddressMode(n.address[2]), Border: bind.BorderColor(n.border),
		Compare: bind.CompareFunction(n.compare), Pixel: n.pixel != 0, MaxAnisotropy: int(n.most),
		LODMin: math.Float32frombits(uint32(n.lodMin)), LODMax: math.Float32frombits(uint32(n.lodMax)),
	}
}
