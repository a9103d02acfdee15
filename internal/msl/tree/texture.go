package tree

import (
	"strings"

	"github.com/metalgen/metalgen/internal/texture"
)

// TextureForm is the dimensions of a texture.
type TextureForm = texture.Form

// The forms of textures.
const (
	Texture1D        = texture.Form1D
	Texture1DArray   = texture.Form1DArray
	Texture2D        = texture.Form2D
	Texture2DArray   = texture.Form2DArray
	Texture2DMS      = texture.Form2DMS
	TextureCube      = texture.FormCube
	TextureCubeArray = texture.FormCubeArray
	Texture3D        = texture.Form3D
	Texture2DMSArray = texture.Form2DMSArray
	TextureBuffer    = texture.FormBuffer
)

// TextureAccess is what a kernel may do with a texture. The numbers are those of metal::access.
type TextureAccess uint8

// The accesses.
const (
	SampleAccess TextureAccess = iota // and read
	ReadAccess
	WriteAccess
	ReadWriteAccess
)

var accessNames = [...]string{"sample", "read", "write", "read_write"}

// String is the name of the access within metal::access.
func (a TextureAccess) String() string { return accessNames[a] }

// Reads reports whether elements may be read.
func (a TextureAccess) Reads() bool { return a != WriteAccess }

// Writes reports whether elements may be written.
func (a TextureAccess) Writes() bool { return a == WriteAccess || a == ReadWriteAccess }

// TextureType is what a texture type says besides the type of its elements, which is
// the Scalar of the Type (section 2.9).
type TextureType struct {
	Form     TextureForm
	Depth    bool
	Access   TextureAccess
	Coherent bool // memory_coherence_device
}

// DefaultAccess is the access of the type where the source gives none.
func (t TextureType) DefaultAccess() TextureAccess {
	if t.Form.IsMipmapped() {
		return SampleAccess
	}
	return ReadAccess
}

// Template is the name of the template that makes the type: "texture2d_array".
func (t TextureType) Template() string {
	if t.Depth {
		return "depth" + t.Form.MSLName()
	}
	return "texture" + t.Form.MSLName()
}

// TextureOf is the texture of such elements.
func TextureOf(t TextureType, elem ScalarKind) *Type {
	var name strings.Builder
	name.WriteString(t.Template() + "<" + elem.String())
	if t.Access != t.DefaultAccess() || t.Coherent {
		name.WriteString(", access::" + t.Access.String())
	}
	if t.Coherent {
		name.WriteString(", memory_coherence_device")
	}
	name.WriteString(">")
	return &Type{Kind: Texture, Name: name.String(), Size: 8, Align: 8, Scalar: elem, Texture: &t}
}

// Texel is the type of an element of a texture as methods read and write it: T of a
// depth texture, else a vector of four.
func (t *Type) Texel() *Type {
	if t.Texture.Depth {
		return ScalarType(t.Scalar)
	}
	return VectorType(t.Scalar, 4)
}

// TextureMethod is a method of textures.
type TextureMethod uint8

// The methods of textures (section 6.12).
const (
	TextureRead TextureMethod = iota
	TextureWrite
	TextureSample
	TextureSampleCompare
	TextureGather
	TextureGatherCompare
	TextureWidth
	TextureHeight
	TextureDepth
	TextureArraySize
	TextureLevels
	TextureSamples
	TextureFence
	TextureAtomic
	TextureIsNull // the function is_null_texture
)

// TextureCall is a call of a method of a texture. Its type is that of the result. What
// the texture has not, or the call leaves out, is nil.
type TextureCall struct {
	Node
	Method    TextureMethod
	Texture   Expr
	Sampler   Expr
	Coord     Expr   // float, three for a cube, or uint: as many as the form has
	Face      Expr   // uint
	Index     Expr   // of an element of an array: uint
	Sample    Expr   // of a multisampled texture: uint
	Level     Expr   // uint, 0 where it is left out; of what takes a Sampler float
	DX, DY    Expr   // the gradients of Coord that say the level, in its type
	MinLOD    Expr   // float
	Offset    Expr   // int, as many as the form has
	Compare   Expr   // float
	Component int    // that a gather reads: 0 to 3
	Value     []Expr // what is written, the Texel of the texture; of atomics the operands
	Atomic    string // "fetch_add", "load", "store", "exchange", "compare_exchange_weak", "min" ...
}

// SamplerType is the type of samplers.
var SamplerType = &Type{Kind: Sampler, Name: "sampler", Size: 8, Align: 8}

// SamplerConst is a sampler that the source makes itself.
type SamplerConst struct {
	Node
	State *SamplerState
}

// SamplerState is how a sampler samples (section 2.10). The numbers of its enums are
// those of Metal's API.
type SamplerState struct {
	Normalized     bool           // coordinates are from 0 to 1
	Address        [3]AddressMode // of the coordinates s, t, r
	Border         BorderColor
	Min, Mag       Filter
	Mip            MipFilter
	MaxAnisotropy  int
	LODMin, LODMax float32
	Compare        CompareFunction
}

// AddressMode says what is outside of a texture (MTLSamplerAddressMode).
type AddressMode uint8

// The address modes that MSL has a name for.
const (
	ClampToEdge    AddressMode = 0
	Repeat         AddressMode = 2
	MirroredRepeat AddressMode = 3
	ClampToZero    AddressMode = 4
	ClampToBorder  AddressMode = 5
)

// BorderColor is the color outside of a texture (MTLSamplerBorderColor).
type BorderColor uint8

// The colors of borders.
const (
	TransparentBlack BorderColor = iota
	OpaqueBlack
	OpaqueWhite
)

// Filter says which elements around a point count (MTLSamplerMinMagFilter).
type Filter uint8

// The filters.
const (
	Nearest Filter = iota
	Linear
)

// MipFilter says which levels count (MTLSamplerMipFilter).
type MipFilter uint8

// The filters between levels.
const (
	MipNone MipFilter = iota
	MipNearest
	MipLinear
)

// CompareFunction is what a depth is compared by (MTLCompareFunction).
type CompareFunction uint8

// The comparisons.
const (
	CompareNever CompareFunction = iota
	CompareLess
	CompareEqual
	CompareLessEqual
	CompareGreater
	CompareNotEqual
	CompareGreaterEqual
	CompareAlways
)
