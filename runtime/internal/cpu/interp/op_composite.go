package interp

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

func extractUint(f *Frame, in *program.Instruction) {
	extract(f, in, UnsignedBits)
}

func extractInt(f *Frame, in *program.Instruction) {
	extract(f, in, SignedBits)
}

// UnsignedBits returns the lowest n bits as an integer.
func UnsignedBits(v uint64, n uint32) uint64 { return v << (64 - n) >> (64 - n) }

// SignedBits is UnsignedBits for an integer with a sign.
func SignedBits(v uint64, n uint32) uint64 { return uint64(int64(v<<(64-n)) >> (64 - n)) }

// extract takes n bits from offset on; with n = 0 none.
func extract(f *Frame, in *program.Instruction, take func(v uint64, n uint32) uint64) {
	x, offset, n := At[uint64](f, in.A).Lanes(), At[uint32](f, in.B).Lanes(), At[uint32](f, in.C).Lanes()
	z := At[uint64](f, in.D).vector()
	for i := range z {
		z[i] = Extracted(x[i], offset[i], n[i], take)
	}
}

// Extracted takes n bits of x from offset on.
func Extracted(x uint64, offset, n uint32, take func(v uint64, n uint32) uint64) uint64 {
	if n == 0 {
		return 0
	}
	return take(x>>min(offset, 64), min(n, 64))
}
