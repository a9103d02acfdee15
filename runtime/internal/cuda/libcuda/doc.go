// Package libcuda calls the CUDA driver API, which NVIDIA's driver brings: libcuda.so.1, or nvcuda.dll. No toolkit is
// needed, and no C compiler.
//
// Open takes the path of a library and returns a [Library], whose methods are the functions of the API by their names
// in Go. Numbers and their names are those of cuda.h. Start reading at library.go. What threads have to do with
// contexts is the caller's business: see [Library.CtxSetCurrent].
package libcuda
