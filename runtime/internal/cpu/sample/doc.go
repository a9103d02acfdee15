// Package sample reads, writes and samples textures in memory, for a device that runs kernels on the CPU.
//
// It takes a [View], which is the memory of a texture with its sizes, and where the lanes of a simd-group read: a
// [Place] in whole numbers or a [Point] of a sampler. It returns texels, by components. It allocates nothing, only
// Write changes memory, and no numbers that kernels compute lead outside of the memory.
//
// The rules are those of the Metal Shading Language Specification (MSL), sections 2.10 and 6.12, and of MTLSampler.h.
// Where both are silent it is the equations of the Vulkan specification, chapter "Image Operations": which texels are
// filtered and how they are weighed, faces of cubes, and how a level is chosen. Coordinates are computed exactly, and
// filters in float64. GPUs have 8 bits for the place between two texels, so theirs differ from these by 1/256 of the
// difference of two texels for each filtered dimension.
//
// What is undefined in MSL is defined here: a coordinate that is NaN is 0, an array index that is too large is the
// last layer, and integers are never filtered.
//
//	view.go      the memory of a texture
//	place.go     texels by their indexes: read, write
//	texel.go     texels by their bytes, and their names
//	row.go       texels side by side: read, write
//	point.go     what a sampler is asked for, and the levels that it reads
//	gradient.go  the level that gradients say
//	axis.go      one coordinate: its texels, and addressing modes
//	cube.go      faces of cubes, and what is beyond their edges
//	fetch.go     the texels of a filter, and borders
//	sample.go    filters
//	alike.go     the same, faster, where all lanes sample one level
//	touch.go     which texels a sample is made of
//	compare.go   comparison of depths
//	gather.go    the four texels of a filter, by themselves
package sample
