package assemble

import (
	"math"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
)

// samplerOf returns a sampler that the source of the kernel makes.
func samplerOf(s *tree.SamplerState) *bind.Sampler {
	return &bind.Sampler{
		Min: bind.Filter(s.Min), Mag: bind.Filter(s.Mag), Mip: bind.MipFilter(s.Mip),
		AddressS: bind.AddressMode(s.Address[0]), AddressT: bind.AddressMode(s.Address[1]),
		AddressR: bind.AddressMode(s.Address[2]), Border: bind.BorderColor(s.Border), Pixel: !s.Normalized,
		Compare: bind.CompareFunction(s.Compare), LODMin: s.LODMin, MaxAnisotropy: s.MaxAnisotropy,
		LODMax: max(s.LODMax, math.SmallestNonzeroFloat32), // 0 would be no limit
	}
}
