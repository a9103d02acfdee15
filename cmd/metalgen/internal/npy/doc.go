// Package npy reads and writes arrays as NumPy saves them, in .npy files.
//
// It takes bytes that anybody may have made, and returns an [Array] of plain elements or an error. It allocates nothing
// because a header says so: only data that is there takes memory.
//
// Start reading at npy.go; header.go reads the header, and dtype.go has the types of
// elements.
package npy
