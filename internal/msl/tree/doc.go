// Package tree is the meaning of a Metal source as data: what package msl makes of
// it, and what the binding and devices read.
//
// Read type.go first (types with their sizes and alignments), then struct.go and
// enum.go (layouts), value.go (the values of constants, with their arithmetic),
// kernel.go, constant.go and condition.go (kernels, their arguments, and the
// constants that come with a pipeline), tree.go, the checked bodies, texture.go, what
// these have of textures and samplers, and print.go, bodies as text.
//
// Nothing here resolves or checks anything. Section numbers are those of Apple's
// Metal Shading Language Specification, version 3.2.
package tree
