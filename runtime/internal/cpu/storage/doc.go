// Package storage has the memory of the CPU device: buffers, with addresses that kernels see, and textures. Devices
// with a sanitizer have guarded memory (guard.go).
package storage
