package runtime

import "github.com/metalgen/metalgen/runtime/bind"

// Sampler says how a kernel samples textures: which texels it takes for a coordinate between them or beyond the edge.
// It is a small value that compares with ==, a type of package bind, in which generated code passes it on:
//
//	mtl.Sampler{Min: mtl.Linear, Mag: mtl.Linear, Address: mtl.Repeat}
//
// The zero Sampler takes the nearest texel of level 0 and clamps coordinates to the edge.
type Sampler = bind.Sampler

// Filter says which texels a sample is made of.
type Filter = bind.Filter

// The filters of a [Sampler].
const (
	Nearest Filter = bind.Nearest // the nearest one
	Linear  Filter = bind.Linear  // those around the coordinate, weighted by their distance
)

// MipFilter says which mip levels a sample is made of.
type MipFilter = bind.MipFilter

// The mip filters of a [Sampler].
const (
	MipNone    MipFilter = bind.MipNone    // level 0
	MipNearest MipFilter = bind.MipNearest // the nearest level
	MipLinear  MipFilter = bind.MipLinear  // the two levels around, weighted
)

// AddressMode says what a coordinate beyond the edge of a texture means.
type AddressMode = bind.AddressMode

// The address modes of a [Sampler].
const (
	ClampToEdge       AddressMode = bind.ClampToEdge       // the texel at the edge
	MirrorClampToEdge AddressMode = bind.MirrorClampToEdge // the texture mirrored once, then its edge
	Repeat            AddressMode = bind.Repeat            // the texture again
	MirrorRepeat      AddressMode = bind.MirrorRepeat      // the texture again, every other time mirrored
	ClampToZero       AddressMode = bind.ClampToZero       // zeros, with an alpha of 1 where the format has none
	ClampToBorder     AddressMode = bind.ClampToBorder     // the border color
)

// BorderColor is the color beyond the edge with [ClampToBorder].
type BorderColor = bind.BorderColor

// The border colors of a [Sampler].
const (
	TransparentBlack BorderColor = bind.TransparentBlack // (0, 0, 0, 0)
	OpaqueBlack      BorderColor = bind.OpaqueBlack      // (0, 0, 0, 1)
	OpaqueWhite      BorderColor = bind.OpaqueWhite      // (1, 1, 1, 1)
)

// CompareFunction says how the reference that a kernel passes is compared with a depth.
type CompareFunction = bind.CompareFunction

// The compare functions of a [Sampler]. The reference stands on the left.
const (
	CompareNever        CompareFunction = bind.CompareNever
	CompareLess         CompareFunction = bind.CompareLess
	CompareEqual        CompareFunction = bind.CompareEqual
	CompareLessEqual    CompareFunction = bind.CompareLessEqual
	CompareGreater      CompareFunction = bind.CompareGreater
	CompareNotEqual     CompareFunction = bind.CompareNotEqual
	CompareGreaterEqual CompareFunction = bind.CompareGreaterEqual
	CompareAlways       CompareFunction = bind.CompareAlways
)
