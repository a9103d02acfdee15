// Package pixel is what Metal's pixel formats are: how many bytes a texel takes, which components are where in them,
// what kernels may do with them, and the conversions between the bytes and what kernels compute with.
//
// A [Format] is Metal's own number. [Format.Info] returns its row of the table in table.go, whose methods convert
// between the bytes of texels and their four components, a [Texel].
//
// The formats are those that compute functions can use on every Mac with an Apple GPU, from the M1 on: the union of the
// families Apple7 and Mac2 in Apple's Metal Feature Set Tables. Compressed formats, YUV and stencil are left out.
//
// The conversions are those of the Metal Shading Language Specification (MSL), section 8.7, "Texture Addressing and
// Conversion Rules". Where it allows errors, results are correctly rounded. Where it is silent, formats follow the
// OpenGL 4.6 specification, section 2.3.4, or Apple's documentation of MTLPixelFormat; the comments say so.
//
//	format.go          the formats, by Metal's numbers
//	table.go           a row for each format
//	use.go             what kernels may do with a format
//	info.go            what is derived of a row
//	texel.go           one texel, decoded and encoded
//	row.go             the texels of a simd-group that lie side by side, decoded and encoded
//	lanes.go           those that lie anywhere
//	component.go       which conversion a component has; and then a file for each:
//	integer.go normalized.go float.go sharedexponent.go srgb.go extended.go
package pixel
