// Package npy reads and writes arrays as NumPy saves them, in .npy files.
//
// In come bytes that anybody may have made; out goes an [Array] of plain
// elements, or an error. Nothing is allocated because a header says so: only
// data that is there takes memory.
//
// Start reading at npy.go; header.go reads the header, and dtype.go has the types of
// elements.
package npy
