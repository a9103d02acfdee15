package pixel

import (
	"encoding/binary"
	"math"
)

// Texel holds the components of a texel, red, green, blue and alpha, as a kernel sees them: the bits of float32, int32
// or uint32, which the type of the format says. A depth is in the first.
type Texel [4]uint32

// Floats returns the components of a texel that are float32.
func (t Texel) Floats() [4]float32 {
	return [4]float32{
		math.Float32frombits(t[0]), math.Float32frombits(t[1]), math.Float32frombits(t[2]), math.Float32frombits(t[3]),
	}
}

// FromFloats returns the Texel of four float32.
func FromFloats(f [4]float32) Texel {
	return Texel{math.Float32bits(f[0]), math.Float32bits(f[1]), math.Float32bits(f[2]), math.Float32bits(f[3])}
}

// Decode returns the components of a texel, whose bytes are the first of b. Those that the format lacks are zero, but
// alpha is one.
func (i *Info) Decode(b []byte) Texel {
	if i.Encoding == SharedExponent {
		return decodeSharedExponent(b)
	}
	t, words := i.Zero, load(b, i.Size)
	for k := range i.components {
		c := &i.components[k]
		t[c.to] = c.decode(words[c.word] >> c.shift & (1<<c.bits - 1))
	}
	return t
}

// Encode writes the components that the format has to the first bytes of b. Bits that are nothing become zero.
func (i *Info) Encode(b []byte, t *Texel) {
	if i.Encoding == SharedExponent {
		encodeSharedExponent(b, t)
		return
	}
	var words [4]uint32
	for k := range i.components {
		c := &i.components[k]
		words[c.word] |= c.encode(t[c.to]) << c.shift
	}
	store(b, i.Size, &words)
}

// load returns the words of a texel.
func load(b []byte, size int) (words [4]uint32) {
	switch size {
	case 1:
		words[0] = uint32(b[0])
	case 2:
		words[0] = uint32(binary.LittleEndian.Uint16(b))
	default:
		for k := range size / 4 {
			words[k] = binary.LittleEndian.Uint32(b[4*k:])
		}
	}
	return words
}

func store(b []byte, size int, words *[4]uint32) {
	switch size {
	case 1:
		b[0] = byte(words[0])
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(words[0]))
	default:
		for k := range size / 4 {
			binary.LittleEndian.PutUint32(b[4*k:], words[k])
		}
	}
}
