package bind

import "cmp"

// SamplerArg is a sampler, or an array of them, set by [Call.Sampler].
const SamplerArg ArgKind = 6

// Sampler sets the sampler argument at index. The elements of an array of samplers have indexes of their own, from that
// of the array on, and are set one by one in their order.
func (c *Call[G]) Sampler(index int, v Sampler) {
	if s, element := c.element(SamplerArg, index); s != nil {
		if element == 0 {
			s.Samplers = reserve(&c.samplers, max(c.kernel.Args[c.next-1].Count, 1))
		}
		s.Samplers[element] = v
	}
}

// Sampler says how a kernel samples textures: which texels it uses for a coordinate between them or beyond the edge. It
// is a small value, comparable with ==. The zero Sampler takes the nearest texel of level 0 and clamps coordinates to
// the edge. MSL specification, section 2.10.
type Sampler struct {
	Min Filter    // of a texture that is drawn smaller
	Mag Filter    // of one that is drawn larger
	Mip MipFilter // between mip levels

	// Address says what lies beyond the edges. AddressS, AddressT and AddressR replace it for one dimension if they are
	// not zero.
	Address, AddressS, AddressT, AddressR AddressMode
	Border                                BorderColor // of ClampToBorder

	Pixel   bool            // coordinates count texels, and are not from 0 to 1
	Compare CompareFunction // of sample_compare and gather_compare

	// LODMin and LODMax limit the mip levels that are used. LODMax 0 means no limit.
	LODMin, LODMax float32

	// MaxAnisotropy is the number of samples, 1 to 16, for a texture that is drawn smaller in one dimension than in
	// another; 0 means 1. It matters only to samples with gradients. The CPU device takes one sample.
	MaxAnisotropy int
}

// Addresses returns the address modes of the dimensions s, t and r.
func (s *Sampler) Addresses() [3]AddressMode {
	return [3]AddressMode{
		cmp.Or(s.AddressS, s.Address), cmp.Or(s.AddressT, s.Address), cmp.Or(s.AddressR, s.Address),
	}
}

// Filter says which texels a sample is made of. The numbers are those of MTLSamplerMinMagFilter.
type Filter uint8

// The filters of a [Sampler].
const (
	Nearest Filter = 0 // the nearest one
	Linear  Filter = 1 // those around the coordinate, weighted by their distance
)

// MipFilter says which mip levels a sample is made of. The numbers are those of MTLSamplerMipFilter.
type MipFilter uint8

// The mip filters of a [Sampler].
const (
	MipNone    MipFilter = 0 // level 0
	MipNearest MipFilter = 1 // the nearest level
	MipLinear  MipFilter = 2 // the two levels around, weighted
)

// AddressMode says what a coordinate beyond the edge of a texture means. The numbers are those of
// MTLSamplerAddressMode.
type AddressMode uint8

// The address modes of a [Sampler].
const (
	ClampToEdge       AddressMode = 0 // the texel at the edge
	MirrorClampToEdge AddressMode = 1 // the texture mirrored once, then its edge
	Repeat            AddressMode = 2 // the texture again
	MirrorRepeat      AddressMode = 3 // the texture again, every other time mirrored
	ClampToZero       AddressMode = 4 // zeros, with an alpha of 1 where the format has none
	ClampToBorder     AddressMode = 5 // the border color
)

// BorderColor is the color beyond the edge with [ClampToBorder]. The numbers are those of MTLSamplerBorderColor.
type BorderColor uint8

// The border colors of a [Sampler].
const (
	TransparentBlack BorderColor = 0 // (0, 0, 0, 0)
	OpaqueBlack      BorderColor = 1 // (0, 0, 0, 1)
	OpaqueWhite      BorderColor = 2 // (1, 1, 1, 1)
)

// CompareFunction says how a depth is compared with the reference that a kernel passes. The numbers are those of
// MTLCompareFunction.
type CompareFunction uint8

// The compare functions of a [Sampler]. The reference is the left operand.
const (
	CompareNever        CompareFunction = 0
	CompareLess         CompareFunction = 1
	CompareEqual        CompareFunction = 2
	CompareLessEqual    CompareFunction = 3
	CompareGreater      CompareFunction = 4
	CompareNotEqual     CompareFunction = 5
	CompareGreaterEqual CompareFunction = 6
	CompareAlways       CompareFunction = 7
)
