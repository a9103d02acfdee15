// Package asm encodes machine code of amd64: general-purpose instructions, AVX-512 with its mask registers, and AVX2,
// FMA and F16C for processors without (avx2.go).
//
// An instruction is a constant, and the constant is its encoding. Its type says what operands it takes, a letter each:
// VADDPS is a [VVX], of a vector register, a vector register, and a vector register or memory. The method Put of the
// type appends the instruction to an [Assembler], so operands of a wrong kind do not compile:
//
//	a := new(asm.Assembler)
//	loop := a.Label()
//	a.Bind(loop)
//	asm.VMOVUPS.Put(a, asm.Z0, asm.Mem{Base: asm.RSI, Index: asm.RAX, Scale: 4})
//	asm.Zero(asm.VMULPS, asm.K1).Put(a, asm.Z0, asm.Z0, a.Uint32(math.Float32bits(1.5)).Broadcast())
//	asm.VMOVUPS_ST.Put(a, asm.Mem{Base: asm.RDI, Index: asm.RAX, Scale: 4}, asm.Z0)
//	asm.SUBQ_I.Put(a, asm.RAX, 16)
//	a.Jump(asm.NotEqual, loop)
//	asm.RET.Put(a)
//	code, err := a.Code()
//
// The letters of types:
//
//	V  a vector register           X  a V or memory
//	K  a mask register             W  a K or memory
//	G  a general-purpose register  R  a G or memory
//	M  memory                      N  memory at many addresses, see [Vectored]
//	I  a number                    B  a number of a few bits
//	D  a G that is only written    F  the flags
//	O  nothing
//
// Names are those of Intel's manual. L and Q after a general-purpose one are widths, 32 and
// 64 bits. Where several encodings share a name, an ending tells them apart: _I takes a
// number, _ST stores, _G takes a general-purpose register and _TOG fills one, _N counts in a vector register,
// _CL in RCX.
//
// A vector instruction works on 512 bits. [Len128] and [Len256] return it for shorter vectors, [Mask] and
// [Zero] for the elements of a mask register.
//
// The package knows no more than encodings. It runs on every system, and what it does not take is reported once, by
// [Assembler.Code]. vector*.go, mask.go and general.go list the instructions that the device uses, encode.go makes
// bytes of them, assembler.go puts those together.
package asm
