package sample

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// loops are those of package lanes, which machine code replaces.
var loops = pixel.Loops{
	FromUnorm:    func(x, y, z, w *[Lanes]float32, texels *[4 * Lanes]byte) { lanes.Texel.FromUnorm(x, y, z, w, texels) },
	ToUnorm:      func(texels *[4 * Lanes]byte, x, y, z, w *[Lanes]float32) { lanes.Texel.ToUnorm(texels, x, y, z, w) },
	FromHalf:     func(x, y, z, w *[Lanes]float32, texels *[8 * Lanes]byte) { lanes.Texel.FromHalf(x, y, z, w, texels) },
	ToHalf:       func(texels *[8 * Lanes]byte, x, y, z, w *[Lanes]float32) { lanes.Texel.ToHalf(texels, x, y, z, w) },
	FromHalfBits: lanes.FromHalfBits,
	FromWords:    func(x, y, z, w *[Lanes]uint32, texels *[16 * Lanes]byte) { lanes.Texel.FromWords(x, y, z, w, texels) },
	ToWords:      func(texels *[16 * Lanes]byte, x, y, z, w *[Lanes]uint32) { lanes.Texel.ToWords(texels, x, y, z, w) },
}
