package pixel

// Layouts of ordinary formats: the components from the least significant bit upward, each with its bits.
const (
	Layout32 = "r32" // of a single component of 32 bits

	r8     = "r8"
	rg8    = "r8 g8"
	rgba8  = "r8 g8 b8 a8"
	bgra8  = "b8 g8 r8 a8"
	r16    = "r16"
	rg16   = "r16 g16"
	rgba16 = "r16 g16 b16 a16"
	r32    = Layout32
	rg32   = "r32 g32"
	rgba32 = "r32 g32 b32 a32"
)

// Row is what the table says of a format.
type Row struct {
	Format   Format
	Name     string // in Metal's headers and in Go: RGBA8Unorm_sRGB
	Swift    string // in Swift: rgba8Unorm_srgb
	Layout   string // the components from the least significant bit upward, each with its bits
	Encoding Encoding
	Uses     Use
}

// table has a row for each format, in the order of Metal's header. In a layout, d is the depth, e an exponent that all
// components share, and _ are bits that are nothing.
var table = [...]Row{
	{A8Unorm, "A8Unorm", "a8Unorm", "a8", Unorm, all | ReadWrite | buffered},
	{R8Unorm, "R8Unorm", "r8Unorm", r8, Unorm, all | ReadWrite | buffered},
	{R8Unorm_sRGB, "R8Unorm_sRGB", "r8Unorm_srgb", r8, SRGB, all | Apple},
	{R8Snorm, "R8Snorm", "r8Snorm", r8, Snorm, all | buffered},
	{R8Uint, "R8Uint", "r8Uint", r8, Uint, stored | ReadWrite | buffered},
	{R8Sint, "R8Sint", "r8Sint", r8, Sint, stored | ReadWrite | buffered},

	{R16Unorm, "R16Unorm", "r16Unorm", r16, Unorm, all | buffered},
	{R16Snorm, "R16Snorm", "r16Snorm", r16, Snorm, all | buffered},
	{R16Uint, "R16Uint", "r16Uint", r16, Uint, stored | ReadWrite | buffered},
	{R16Sint, "R16Sint", "r16Sint", r16, Sint, stored | ReadWrite | buffered},
	{R16Float, "R16Float", "r16Float", r16, Float, all | ReadWrite | buffered},
	{RG8Unorm, "RG8Unorm", "rg8Unorm", rg8, Unorm, all | buffered},
	{RG8Unorm_sRGB, "RG8Unorm_sRGB", "rg8Unorm_srgb", rg8, SRGB, all | Apple},
	{RG8Snorm, "RG8Snorm", "rg8Snorm", rg8, Snorm, all | buffered},
	{RG8Uint, "RG8Uint", "rg8Uint", rg8, Uint, stored | buffered},
	{RG8Sint, "RG8Sint", "rg8Sint", rg8, Sint, stored | buffered},
	{B5G6R5Unorm, "B5G6R5Unorm", "b5g6r5Unorm", "b5 g6 r5", Unorm, sampled | Apple},
	{A1BGR5Unorm, "A1BGR5Unorm", "a1bgr5Unorm", "a1 b5 g5 r5", Unorm, sampled | Apple},
	{ABGR4Unorm, "ABGR4Unorm", "abgr4Unorm", "a4 b4 g4 r4", Unorm, sampled | Apple},
	{BGR5A1Unorm, "BGR5A1Unorm", "bgr5A1Unorm", "b5 g5 r5 a1", Unorm, sampled | Apple},

	{R32Uint, "R32Uint", "r32Uint", r32, Uint, stored | ReadWrite | Atomic | buffered},
	{R32Sint, "R32Sint", "r32Sint", r32, Sint, stored | ReadWrite | Atomic | buffered},
	{R32Float, "R32Float", "r32Float", r32, Float, all | ReadWrite | buffered},
	{RG16Unorm, "RG16Unorm", "rg16Unorm", rg16, Unorm, all | buffered},
	{RG16Snorm, "RG16Snorm", "rg16Snorm", rg16, Snorm, all | buffered},
	{RG16Uint, "RG16Uint", "rg16Uint", rg16, Uint, stored | buffered},
	{RG16Sint, "RG16Sint", "rg16Sint", rg16, Sint, stored | buffered},
	{RG16Float, "RG16Float", "rg16Float", rg16, Float, all | buffered},
	{RGBA8Unorm, "RGBA8Unorm", "rgba8Unorm", rgba8, Unorm, all | ReadWrite | buffered},
	{RGBA8Unorm_sRGB, "RGBA8Unorm_sRGB", "rgba8Unorm_srgb", rgba8, SRGB, all},
	{RGBA8Snorm, "RGBA8Snorm", "rgba8Snorm", rgba8, Snorm, all | buffered},
	{RGBA8Uint, "RGBA8Uint", "rgba8Uint", rgba8, Uint, stored | ReadWrite | buffered},
	{RGBA8Sint, "RGBA8Sint", "rgba8Sint", rgba8, Sint, stored | ReadWrite | buffered},
	{BGRA8Unorm, "BGRA8Unorm", "bgra8Unorm", bgra8, Unorm, all | BufferRead},
	{BGRA8Unorm_sRGB, "BGRA8Unorm_sRGB", "bgra8Unorm_srgb", bgra8, SRGB, all},
	{RGB10A2Unorm, "RGB10A2Unorm", "rgb10a2Unorm", "r10 g10 b10 a2", Unorm, all | buffered},
	{RGB10A2Uint, "RGB10A2Uint", "rgb10a2Uint", "r10 g10 b10 a2", Uint, stored | buffered},
	{RG11B10Float, "RG11B10Float", "rg11b10Float", "r11 g11 b10", Float, all | buffered},
	{RGB9E5Float, "RGB9E5Float", "rgb9e5Float", "r9 g9 b9 e5", SharedExponent, all},
	{BGR10A2Unorm, "BGR10A2Unorm", "bgr10a2Unorm", "b10 g10 r10 a2", Unorm, all},
	{BGR10_XR, "BGR10_XR", "bgr10_xr", "b10 g10 r10 _2", XR, all | Apple},
	{BGR10_XR_sRGB, "BGR10_XR_sRGB", "bgr10_xr_srgb", "b10 g10 r10 _2", XRSRGB, all | Apple},

	{RG32Uint, "RG32Uint", "rg32Uint", rg32, Uint, stored | buffered},
	{RG32Sint, "RG32Sint", "rg32Sint", rg32, Sint, stored | buffered},
	{RG32Float, "RG32Float", "rg32Float", rg32, Float, all | buffered},
	{RGBA16Unorm, "RGBA16Unorm", "rgba16Unorm", rgba16, Unorm, all | buffered},
	{RGBA16Snorm, "RGBA16Snorm", "rgba16Snorm", rgba16, Snorm, all | buffered},
	{RGBA16Uint, "RGBA16Uint", "rgba16Uint", rgba16, Uint, stored | ReadWrite | buffered},
	{RGBA16Sint, "RGBA16Sint", "rgba16Sint", rgba16, Sint, stored | ReadWrite | buffered},
	{RGBA16Float, "RGBA16Float", "rgba16Float", rgba16, Float, all | ReadWrite | buffered},
	{BGRA10_XR, "BGRA10_XR", "bgra10_xr", "_6 b10 _6 g10 _6 r10 _6 a10", XR, all | Apple},
	{BGRA10_XR_sRGB, "BGRA10_XR_sRGB", "bgra10_xr_srgb", "_6 b10 _6 g10 _6 r10 _6 a10", XRSRGB, all | Apple},

	{RGBA32Uint, "RGBA32Uint", "rgba32Uint", rgba32, Uint, stored | ReadWrite | buffered},
	{RGBA32Sint, "RGBA32Sint", "rgba32Sint", rgba32, Sint, stored | ReadWrite | buffered},
	{RGBA32Float, "RGBA32Float", "rgba32Float", rgba32, Float, all | ReadWrite | buffered},

	{Depth16Unorm, "Depth16Unorm", "depth16Unorm", "d16", Unorm, sampled},
	{Depth32Float, "Depth32Float", "depth32Float", "d32", Float, sampled},
}
