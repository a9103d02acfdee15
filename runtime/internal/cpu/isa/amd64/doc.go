// Package amd64 makes machine code for amd64 of package vcode's instructions: with AVX-512, or with AVX2, FMA and F16C.
//
// general.go has what works on general-purpose registers, which is the same for both, avx512.go and avx2.go have the
// vectors of each.
package amd64
