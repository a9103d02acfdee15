// Package amd64 makes machine code for amd64 of package vcode's instructions: with AVX-512, or with AVX2, FMA and F16C.
//
// general.go has what works on general-purpose registers, and vector.go the vectors that both have; avx512.go and
// avx2.go have the rest.
package amd64
