package abi

// Layout says where the fields are that native code reads and writes.
type Layout struct {
	Word, Long Register
	Frame      Frame
	Object     ObjectLayout
}

// Register says where the fields of a register are.
type Register struct {
	Base, Step, Lanes int32
}

// Frame says where the fields of a simd-group are, and how many bytes it takes.
type Frame struct {
	Memory, Mask, PC, Objects, Done, Paused, Row int32
	Size                                         int32
}

// ObjectLayout says where the fields of an object are, and how many bytes it takes.
type ObjectLayout struct {
	Base, Bytes, Skew int32
	Size              int32
	Texels            TexelsLayout // of a texture
}

// TexelsLayout says where an object has the address, the strides and the size of a texture's first level.
type TexelsLayout struct {
	First, Row, Width, Height int32
}
