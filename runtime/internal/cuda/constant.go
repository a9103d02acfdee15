package cuda

import (
	"math"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/ir"
)

// held returns the bits that a kernel holds of a scalar in memory.
func held(kind ir.Scalar, word uint64) uint64 {
	switch kind {
	case ir.Byte:
		return min(word, 1)
	case ir.Int8:
		return uint64(uint32(int8(word)))
	case ir.Int16:
		return uint64(uint32(int16(word)))
	case ir.Half16:
		return uint64(math.Float32bits(fmath.HalfFromBits(uint16(word))))
	case ir.BFloat16:
		return uint64(math.Float32bits(fmath.BFloatFromBits(uint16(word))))
	}
	return word
}
