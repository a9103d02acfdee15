// Package texel writes calls of the methods of textures as PTX.
//
// Textures are memory, in which arithmetic finds texels and filters them by the rules of package sample: NVIDIA's own
// filter has 8 bits for the place between two texels, and knows few of Metal's formats. The text is for textures of one
// format each, so that conversions are a few instructions.
//
// It knows registers and no kernel. Start reading at call.go; place.go has what names a texel, sample.go what has a
// sampler, with the two filters in filter.go and cubes in cube.go; component.go and packed.go have the conversions.
package texel
