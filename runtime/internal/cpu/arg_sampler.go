package cpu

import (
	"math"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// samplerArg is the sampler that an element of an argument is set to.
type samplerArg struct {
	bound
	index, element int
}

func (a samplerArg) bind(d *dispatch, o *object, from *driver.Dispatch) {
	o.missing, o.sampler = true, &defaultSampler
	for i := range from.Samplers {
		if s := &from.Samplers[i]; s.Arg.Index == a.index && s.Element == a.element {
			o.missing, o.sampler = false, d.keepSampler(&s.Sampler)
			return
		}
	}
}

// defaultSampler takes the place of one that is left out.
var defaultSampler bind.Sampler

// keepSampler is keep for a sampler.
func (d *dispatch) keepSampler(s *bind.Sampler) *bind.Sampler {
	kept := d.keep(unsafe.Slice((*byte)(unsafe.Pointer(s)), unsafe.Sizeof(*s)))
	return (*bind.Sampler)(unsafe.Pointer(unsafe.SliceData(kept)))
}

// samplerConst is a sampler that the source makes itself.
type samplerConst struct {
	bound
	state bind.Sampler
}

func (s *samplerConst) bind(_ *dispatch, o *object, _ *driver.Dispatch) { o.sampler = &s.state }

// samplerOf returns the source of a sampler that the source of the kernel makes.
func samplerOf(s *tree.SamplerState) *samplerConst {
	return &samplerConst{state: bind.Sampler{
		Min: bind.Filter(s.Min), Mag: bind.Filter(s.Mag), Mip: bind.MipFilter(s.Mip),
		AddressS: bind.AddressMode(s.Address[0]), AddressT: bind.AddressMode(s.Address[1]),
		AddressR: bind.AddressMode(s.Address[2]), Border: bind.BorderColor(s.Border), Pixel: !s.Normalized,
		Compare: bind.CompareFunction(s.Compare), LODMin: s.LODMin, MaxAnisotropy: s.MaxAnisotropy,
		LODMax: max(s.LODMax, math.SmallestNonzeroFloat32), // 0 would be no limit
	}}
}
