package texture

// Kind is a kind of texture, by Metal's number, MTLTextureType.
type Kind uint8

const (
	D1 Kind = iota
	D1Array
	D2
	D2Array
	D2Multisample
	Cube
	CubeArray
	D3
	D2MultisampleArray
	Buffer // texture_buffer: one dimension, with room for more texels, never sampled

	Kinds = iota
)

var kinds = [Kinds]struct {
	msl        string
	dimensions int
	array      bool
	faces      int
}{
	D1:                 {"texture1d", 1, false, 1},
	D1Array:            {"texture1d_array", 1, true, 1},
	D2:                 {"texture2d", 2, false, 1},
	D2Array:            {"texture2d_array", 2, true, 1},
	D2Multisample:      {"texture2d_ms", 2, false, 1},
	Cube:               {"texturecube", 2, false, 6},
	CubeArray:          {"texturecube_array", 2, true, 6},
	D3:                 {"texture3d", 3, false, 1},
	D2MultisampleArray: {"texture2d_ms_array", 2, true, 1},
	Buffer:             {"texture_buffer", 1, false, 1},
}

// String returns the name of the kind in MSL: "texture2d_array".
func (k Kind) String() string { return kinds[k].msl }

// Dimensions returns how many coordinates a texel has: 2 for cubes, which are read by a face and two coordinates on it.
func (k Kind) Dimensions() int { return kinds[k].dimensions }

// Array reports whether the kind has layers.
func (k Kind) Array() bool { return kinds[k].array }

// Faces returns the faces of a layer: 6 for cubes, else 1.
func (k Kind) Faces() int { return kinds[k].faces }

// Multisampled reports whether texels have several samples.
func (k Kind) Multisampled() bool { return k == D2Multisample || k == D2MultisampleArray }
