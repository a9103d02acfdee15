package weights

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/x448/float16"
)

// Format is how the numbers of a tensor are stored: as such, or in blocks of 32 that share a scale.
type Format int

// The formats, with the names that they have in GGUF files.
const (
	F32  Format = iota
	F16         // IEEE 754 binary16
	Q8_0        // a scale, which is a binary16, and 32 bytes with sign
	Q4_0        // a scale, and 16 bytes of two numbers from 0 to 15 each, which stand for -8 to 7
)

// formatInfo says what a format is.
type formatInfo struct {
	name     string
	elements int    // of a block
	bytes    int    // of a block
	ggml     uint32 // the number of the type in GGUF files
	dtype    string // the name of the type in safetensors files, if it has one
	encode   func(block []byte, x []float32)
	decode   func(block []byte, x []float32)
}

var formats = [...]formatInfo{
	F32:  {"f32", 1, 4, 0, "F32", encodeF32, decodeF32},
	F16:  {"f16", 1, 2, 1, "F16", encodeF16, decodeF16},
	Q8_0: {"q8_0", 32, 34, 8, "", encodeQ8, decodeQ8},
	Q4_0: {"q4_0", 32, 18, 2, "", encodeQ4, decodeQ4},
}

func (f Format) String() string { return formats[f].name }

// ParseFormat returns the format with a name.
func ParseFormat(name string) (Format, error) {
	for f := range formats {
		if formats[f].name == name {
			return Format(f), nil
		}
	}
	return 0, fmt.Errorf("the format is %q, want f32, f16, q8_0 or q4_0", name)
}

// Size returns the bytes of n elements, or an error if they are no whole blocks.
func (f Format) Size(n int) (int, error) {
	if n%formats[f].elements != 0 {
		return 0, fmt.Errorf("%d elements are no whole blocks of %v, which have %d", n, f, formats[f].elements)
	}
	return n / formats[f].elements * formats[f].bytes, nil
}

// Encode returns numbers as they are stored, or an error if they are no whole blocks.
func (f Format) Encode(x []float32) ([]byte, error) {
	size, err := f.Size(len(x))
	if err != nil {
		return nil, err
	}
	t := formats[f]
	data := make([]byte, size)
	for i := range size / t.bytes {
		t.encode(data[i*t.bytes:][:t.bytes], x[i*t.elements:][:t.elements])
	}
	return data, nil
}

// Decode returns the numbers that are stored as data. A float32 has each exactly.
func (f Format) Decode(data []byte) []float32 {
	t := formats[f]
	x := make([]float32, len(data)/t.bytes*t.elements)
	for i := range len(data) / t.bytes {
		t.decode(data[i*t.bytes:][:t.bytes], x[i*t.elements:][:t.elements])
	}
	return x
}

func encodeF32(b []byte, x []float32) { binary.LittleEndian.PutUint32(b, math.Float32bits(x[0])) }
func encodeF16(b []byte, x []float32) { binary.LittleEndian.PutUint16(b, half(x[0]).Bits()) }

func decodeF32(b []byte, x []float32) { x[0] = math.Float32frombits(binary.LittleEndian.Uint32(b)) }
func decodeF16(b []byte, x []float32) { x[0] = scale(b) }

func half(x float32) float16.Float16 { return float16.Fromfloat32(x) }

// scale returns the binary16 at the beginning of a block.
func scale(b []byte) float32 { return float16.Frombits(binary.LittleEndian.Uint16(b)).Float32() }

// encodeQ8 has the number of the largest size be 127 or -127.
func encodeQ8(b []byte, x []float32) {
	d := math.Abs(largest(x)) / 127
	binary.LittleEndian.PutUint16(b, half(float32(d)).Bits())
	for i := range x {
		b[2+i] = byte(int8(step(x[i], d, 127)))
	}
}

func decodeQ8(b []byte, x []float32) {
	for i := range x {
		x[i] = scale(b) * float32(int8(b[2+i]))
	}
}

// encodeQ4 has the number of the largest size be -8. Byte i has number i in its lower half, and 16+i in its upper one.
func encodeQ4(b []byte, x []float32) {
	d := largest(x) / -8
	binary.LittleEndian.PutUint16(b, half(float32(d)).Bits())
	for i := range 16 {
		low, high := min(step(x[i], d, 8), 7), min(step(x[16+i], d, 8), 7)
		b[2+i] = byte(low+8) | byte(high+8)<<4
	}
}

func decodeQ4(b []byte, x []float32) {
	for i := range 16 {
		x[i] = scale(b) * (float32(b[2+i]&15) - 8)
		x[16+i] = scale(b) * (float32(b[2+i]>>4) - 8)
	}
}

// largest returns the number of the largest size.
func largest(x []float32) float64 {
	m := 0.0
	for _, v := range x {
		if math.Abs(float64(v)) > math.Abs(m) {
			m = float64(v)
		}
	}
	return m
}

// step returns x in steps of d, -most to most.
func step(x float32, d, most float64) float64 {
	if d == 0 {
		return 0
	}
	return min(max(math.Round(float64(x)/d), -most), most)
}
