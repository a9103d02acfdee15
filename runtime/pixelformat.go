package runtime

import "github.com/metalgen/metalgen/runtime/internal/pixel"

// PixelFormat says what the texels of a texture are: their components, and how many bits of what kind each has. The
// formats are those that compute functions can use on every Mac with an Apple GPU, with Metal's names and numbers
// (MTLPixelFormat.h). Components are named from the least significant bit, or the first byte, on.
//
// To a kernel, Unorm formats are floats from 0 to 1 and Snorm formats from -1 to 1, those of sRGB are converted to
// linear light and back, and Uint and Sint formats are integers.
type PixelFormat uint16

// The pixel formats.
const (
	A8Unorm         PixelFormat = 1
	R8Unorm         PixelFormat = 10
	R8Unorm_sRGB    PixelFormat = 11
	R8Snorm         PixelFormat = 12
	R8Uint          PixelFormat = 13
	R8Sint          PixelFormat = 14
	R16Unorm        PixelFormat = 20
	R16Snorm        PixelFormat = 22
	R16Uint         PixelFormat = 23
	R16Sint         PixelFormat = 24
	R16Float        PixelFormat = 25
	RG8Unorm        PixelFormat = 30
	RG8Unorm_sRGB   PixelFormat = 31
	RG8Snorm        PixelFormat = 32
	RG8Uint         PixelFormat = 33
	RG8Sint         PixelFormat = 34
	B5G6R5Unorm     PixelFormat = 40
	A1BGR5Unorm     PixelFormat = 41
	ABGR4Unorm      PixelFormat = 42
	BGR5A1Unorm     PixelFormat = 43
	R32Uint         PixelFormat = 53
	R32Sint         PixelFormat = 54
	R32Float        PixelFormat = 55
	RG16Unorm       PixelFormat = 60
	RG16Snorm       PixelFormat = 62
	RG16Uint        PixelFormat = 63
	RG16Sint        PixelFormat = 64
	RG16Float       PixelFormat = 65
	RGBA8Unorm      PixelFormat = 70
	RGBA8Unorm_sRGB PixelFormat = 71
	RGBA8Snorm      PixelFormat = 72
	RGBA8Uint       PixelFormat = 73
	RGBA8Sint       PixelFormat = 74
	BGRA8Unorm      PixelFormat = 80
	BGRA8Unorm_sRGB PixelFormat = 81
	RGB10A2Unorm    PixelFormat = 90
	RGB10A2Uint     PixelFormat = 91
	RG11B10Float    PixelFormat = 92
	RGB9E5Float     PixelFormat = 93
	BGR10A2Unorm    PixelFormat = 94
	BGR10_XR        PixelFormat = 554
	BGR10_XR_sRGB   PixelFormat = 555
	RG32Uint        PixelFormat = 103
	RG32Sint        PixelFormat = 104
	RG32Float       PixelFormat = 105
	RGBA16Unorm     PixelFormat = 110
	RGBA16Snorm     PixelFormat = 112
	RGBA16Uint      PixelFormat = 113
	RGBA16Sint      PixelFormat = 114
	RGBA16Float     PixelFormat = 115
	BGRA10_XR       PixelFormat = 552
	BGRA10_XR_sRGB  PixelFormat = 553
	RGBA32Uint      PixelFormat = 123
	RGBA32Sint      PixelFormat = 124
	RGBA32Float     PixelFormat = 125
	Depth16Unorm    PixelFormat = 250
	Depth32Float    PixelFormat = 252
)

// String returns the name of the format, such as "RGBA8Unorm_sRGB".
func (f PixelFormat) String() string { return pixel.Format(f).String() }

// BytesPerTexel returns the size of a texel, or 0 if f is not a format.
func (f PixelFormat) BytesPerTexel() int {
	if info := pixel.Format(f).Info(); info != nil {
		return info.Size
	}
	return 0
}
