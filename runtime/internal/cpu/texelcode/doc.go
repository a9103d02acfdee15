// Package texelcode makes machine code of what package lanes does to the texels of 32 lanes.
//
// Kernels that sample textures spend much of their time there, and machine code of a kernel leaves samples to the
// interpreter. Each operation is some instructions of vcode, so that every machine has them: convert.go has those
// between numbers and the bytes of texels, which are those of package texel, and sample.go those of samplers.
package texelcode
