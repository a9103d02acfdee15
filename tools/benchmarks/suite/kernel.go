// Package suite has kernels after public benchmarks and engines, and times them on the CPU device and on pocl, side by
// side, with the same memory. Each is one text, kernels/*.metal, which is MSL and by kernels/prelude.h OpenCL C.
//
// [Table] is the suite. A kernel whose results differ from pocl's, or from its reference in float64, is not timed: that
// is an error.
package suite

import (
	"embed"
	"math"
	"math/rand/v2"
	"strings"
	"unsafe"
)

//go:embed kernels
var files embed.FS

// Kernel is a row of the suite. It reads its inputs and writes its outputs, so that each run does the same.
type Kernel struct {
	Name    string // in the source
	Source  string // kernels/SOURCE.metal
	After   string // whose benchmark it follows
	Size    string // of the problem, in words
	Grid    [3]int // threads; missing dimensions are 1
	Group   [3]int // threads of a threadgroup
	Args    func(r *rand.Rand) []Arg
	Want    func(a []Arg) []float64 // what the last argument becomes; nil where pocl alone says so
	Within  float64                 // how far results may be apart, as a part of what they are; 0 for integers
	Stray   float64                 // the part of the results that may be anything
	Traffic float64                 // bytes that have to move, where memory is the limit
	Flops   float64                 // floating-point operations, where these are the limit
	Why     string                  // it is slower than pocl's, where that is known
}

// Arg is an argument of a kernel.
type Arg struct {
	data    any // a slice: []float32, []uint32 and so on
	written bool
	value   bool // data's one element is passed, and not a buffer
}

func in[T any](data []T) Arg { return Arg{data: data} }

func out[T any](n int) Arg { return Arg{data: make([]T, n), written: true} }

func value[T any](v T) Arg { return Arg{data: []T{v}, value: true} }

// bytes returns the memory of an argument.
func (a Arg) bytes() []byte {
	switch d := a.data.(type) {
	case []float32:
		return bytesOf(d)
	case []uint32:
		return bytesOf(d)
	case []int32:
		return bytesOf(d)
	case []uint64:
		return bytesOf(d)
	case []uint16:
		return bytesOf(d)
	case []uint8:
		return bytesOf(d)
	case []int8:
		return bytesOf(d)
	}
	panic("an argument of a type that the suite has not")
}

func bytesOf[T any](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0])))
}

// numbers returns the elements that some bytes are, if they are those of an argument.
func (a Arg) numbers(bytes []byte) []float64 {
	switch a.data.(type) {
	case []float32:
		return convert[float32](bytes)
	case []uint32:
		return convert[uint32](bytes)
	case []int32:
		return convert[int32](bytes)
	case []uint64: // by halves, which float64 holds
		return convert[uint32](bytes)
	default:
		return convert[uint8](bytes)
	}
}

func convert[T number](bytes []byte) []float64 {
	s := unsafe.Slice((*T)(unsafe.Pointer(&bytes[0])), len(bytes)/int(unsafe.Sizeof(T(0))))
	out := make([]float64, len(s))
	for i, v := range s {
		out[i] = float64(v)
	}
	return out
}

type number interface {
	float32 | uint32 | int32 | uint8
}

// dimensions returns three, with 1 for those that are missing.
func dimensions(d [3]int) [3]int {
	for i := range d {
		d[i] = max(d[i], 1)
	}
	return d
}

// text returns the source of a kernel, with the prelude in it.
func (k *Kernel) text() (string, error) {
	source, err := files.ReadFile("kernels/" + k.Source + ".metal")
	if err != nil {
		return "", err
	}
	prelude, err := files.ReadFile("kernels/prelude.h")
	if err != nil {
		return "", err
	}
	return strings.Replace(string(source), `#include "prelude.h"`, string(prelude), 1), nil
}

// Inputs.

func floats(r *rand.Rand, n int, low, high float64) []float32 {
	s := make([]float32, n)
	for i := range s {
		s[i] = float32(low + (high-low)*r.Float64())
	}
	return s
}

func words(r *rand.Rand, n int) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = r.Uint32()
	}
	return s
}

func below(r *rand.Rand, n int, limit uint32) []uint32 {
	s := make([]uint32, n)
	for i := range s {
		s[i] = r.Uint32N(limit)
	}
	return s
}

func bytes(r *rand.Rand, n int) []uint8 {
	s := make([]uint8, n)
	for i := range s {
		s[i] = uint8(r.Uint32())
	}
	return s
}

func signed(r *rand.Rand, n int) []int8 {
	s := make([]int8, n)
	for i := range s {
		s[i] = int8(r.Uint32())
	}
	return s
}

// bfloats returns float32s by their upper halves.
func bfloats(r *rand.Rand, n int, low, high float64) []uint16 {
	s := make([]uint16, n)
	for i := range s {
		s[i] = uint16(math.Float32bits(float32(low+(high-low)*r.Float64())) >> 16)
	}
	return s
}

// halves returns float16s from 1/128 to 1/64, as bits.
func halves(r *rand.Rand, n int) []uint16 {
	s := make([]uint16, n)
	for i := range s {
		s[i] = uint16(0x2000 + r.Uint32N(1<<10))
	}
	return s
}
