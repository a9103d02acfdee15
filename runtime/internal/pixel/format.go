package pixel

import "strconv"

// Format is a pixel format, by Metal's number, MTLPixelFormat. A format is known if it is one of the constants.
type Format uint16

// Components are named from the least significant bit of a texel, or its first byte, upward.
const (
	A8Unorm      Format = 1
	R8Unorm      Format = 10
	R8Unorm_sRGB Format = 11
	R8Snorm      Format = 12
	R8Uint       Format = 13
	R8Sint       Format = 14

	R16Unorm      Format = 20
	R16Snorm      Format = 22
	R16Uint       Format = 23
	R16Sint       Format = 24
	R16Float      Format = 25
	RG8Unorm      Format = 30
	RG8Unorm_sRGB Format = 31
	RG8Snorm      Format = 32
	RG8Uint       Format = 33
	RG8Sint       Format = 34
	B5G6R5Unorm   Format = 40
	A1BGR5Unorm   Format = 41
	ABGR4Unorm    Format = 42
	BGR5A1Unorm   Format = 43

	R32Uint         Format = 53
	R32Sint         Format = 54
	R32Float        Format = 55
	RG16Unorm       Format = 60
	RG16Snorm       Format = 62
	RG16Uint        Format = 63
	RG16Sint        Format = 64
	RG16Float       Format = 65
	RGBA8Unorm      Format = 70
	RGBA8Unorm_sRGB Format = 71
	RGBA8Snorm      Format = 72
	RGBA8Uint       Format = 73
	RGBA8Sint       Format = 74
	BGRA8Unorm      Format = 80
	BGRA8Unorm_sRGB Format = 81
	RGB10A2Unorm    Format = 90
	RGB10A2Uint     Format = 91
	RG11B10Float    Format = 92
	RGB9E5Float     Format = 93
	BGR10A2Unorm    Format = 94
	BGR10_XR        Format = 554
	BGR10_XR_sRGB   Format = 555

	RG32Uint       Format = 103
	RG32Sint       Format = 104
	RG32Float      Format = 105
	RGBA16Unorm    Format = 110
	RGBA16Snorm    Format = 112
	RGBA16Uint     Format = 113
	RGBA16Sint     Format = 114
	RGBA16Float    Format = 115
	BGRA10_XR      Format = 552
	BGRA10_XR_sRGB Format = 553

	RGBA32Uint  Format = 123
	RGBA32Sint  Format = 124
	RGBA32Float Format = 125

	Depth16Unorm Format = 250
	Depth32Float Format = 252
)

// String returns the name of the constant, which is that of Metal's headers: "RGBA8Unorm_sRGB".
func (f Format) String() string {
	if i := f.Info(); i != nil {
		return i.Name
	}
	return "Format(" + strconv.Itoa(int(f)) + ")"
}
