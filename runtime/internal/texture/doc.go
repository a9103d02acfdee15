// Package texture is what textures and samplers are, as data: kinds, sizes of mip levels, and the states of samplers,
// by Metal's numbers. It is what the runtime, its devices and the sampling in software have in common.
//
//	kind.go      the kinds of textures, a table
//	shape.go     sizes and mip levels
//	sampler.go   the states of samplers
package texture
