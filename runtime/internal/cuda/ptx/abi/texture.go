package abi

import (
	"encoding/binary"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Texture is what the text knows of a texture.
type Texture struct {
	Type   bind.TextureType
	Format pixel.Format
	Levels int
	// Reads, Writes and Atomics say what it was made for.
	Reads, Writes, Atomics bool
}

// Level is where a level of a texture is.
type Level struct {
	Address uint64
	Slice   uint64 // bytes from a layer or plane to the next one
	Size    [3]uint32
	Row     uint32 // bytes from a row to the next one
}

// The block of parameters says of a texture how many layers and samples it has, and then of each level what a Level is.
const (
	LayersAt   = 0
	SamplesAt  = 4
	FirstLevel = 8
	AddressAt  = 0
	SliceAt    = 8
	WidthAt    = 16 // width, height and depth
	RowAt      = 28
	LevelSize  = 32
)

// TextureSize returns how many bytes the field of a texture has.
func TextureSize(t Texture) int { return FirstLevel + t.Levels*LevelSize }

// PutTexture fills the field of a texture.
func PutTexture(to []byte, layers, samples int, levels []Level) {
	little := binary.LittleEndian
	little.PutUint32(to[LayersAt:], uint32(layers))
	little.PutUint32(to[SamplesAt:], uint32(samples))
	for n, l := range levels {
		at := to[FirstLevel+n*LevelSize:]
		little.PutUint64(at[AddressAt:], l.Address)
		little.PutUint64(at[SliceAt:], l.Slice)
		for i, size := range l.Size {
			little.PutUint32(at[WidthAt+4*i:], size)
		}
		little.PutUint32(at[RowAt:], l.Row)
	}
}
