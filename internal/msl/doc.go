// Package msl knows what Metal Shading Language declarations mean: types with
// their sizes, alignments and offsets, constants with their values, and the
// arguments of kernels with the indexes that Metal assigns them.
//
// In comes a [parser.Tree], out goes a [Program]. Section numbers are those of
// Apple's Metal Shading Language Specification, version 3.2.
package msl
