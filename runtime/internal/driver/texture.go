package driver

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// TextureSpec says what a texture is.
type TextureSpec struct {
	Type   bind.TextureType
	Format pixel.Format

	// Of level 0, in texels, each at least 1. A cube is as high as it is wide, and its Depth is 1.
	Width, Height, Depth int

	Length  int // elements of an array, 1 if it is not an array
	Levels  int // mip levels, at least 1
	Samples int // of a texel, 1 of what is not multisampled
	Usage   TextureUsage
	Storage Storage
	Label   string // for people, or ""
}

// TextureUsage says what may be done with a texture. It is a set of bits, those of MTLTextureUsage.
type TextureUsage uint8

const (
	TextureRead   TextureUsage = 1 << 0 // kernels read or sample it
	TextureWrite  TextureUsage = 1 << 1 // kernels write it
	TextureViews  TextureUsage = 1 << 4 // it has views of other formats
	TextureAtomic TextureUsage = 1 << 5 // kernels change it by atomic operations
)

// Slices returns the number of images of a level: the elements of an array, the faces of a cube.
func (s *TextureSpec) Slices() int { return s.Type.Faces() * s.Length }

// Extent returns the size of a level in texels.
func (s *TextureSpec) Extent(level int) (width, height, depth int) {
	return max(s.Width>>level, 1), max(s.Height>>level, 1), max(s.Depth>>level, 1)
}

// MostLevels returns how many levels there are down to that of one texel. What has one dimension or several samples has
// one.
func (s *TextureSpec) MostLevels() int {
	if s.Type.Dimensions() == 1 || s.Type.IsMultisampled() {
		return 1
	}
	return bits.Len(uint(max(s.Width, s.Height, s.Depth)))
}

// Texture is a texture of a device, or a view of one.
type Texture interface {
	// Write copies texels into a region. Its rows lie one after the other in bytes, then its planes, and then its
	// slices. No job uses the texture meanwhile. It is not multisampled.
	Write(to Region, bytes []byte) error

	// Read copies texels out of a region, as Write copies them.
	Read(from Region, bytes []byte) error

	// View returns another texture of the same texels. It is freed before this one.
	View(v TextureView) (Texture, error)

	// ID returns what stands for the texture in memory that kernels read, or 0 where Limits.Addresses is not set. A
	// view has one of its own. It does not change until Free.
	ID() uint64

	// Free releases the texture. It is called once, from any goroutine, when no job uses the texture any more.
	Free()
}

// ReadWriteTextures are the formats of textures that a kernel may both read and write.
type ReadWriteTextures uint8

const (
	ReadWriteAll  ReadWriteTextures = iota // those of package pixel
	ReadWrite32                            // of these, the ones of a single component of 32 bits
	ReadWriteNone                          // none
)

// Has reports whether a format is among them.
func (r ReadWriteTextures) Has(f *pixel.Info) bool {
	if r == ReadWriteNone || f.Uses&pixel.ReadWrite == 0 {
		return false
	}
	return r == ReadWriteAll || f.Layout == pixel.Layout32
}

// Whole returns the region that is a slice of a level.
func (s *TextureSpec) Whole(level, slice int) Region {
	r := Region{Level: level, Slice: slice}
	r.Width, r.Height, r.Depth = s.Extent(level)
	return r
}

// Region is a box of texels of one level, in one slice or several, which lies within the texture and is not empty.
type Region struct {
	Level, Slice         int
	Slices               int // from Slice on; 0 is 1
	X, Y, Z              int
	Width, Height, Depth int
}

// Count returns the number of slices.
func (r *Region) Count() int { return max(r.Slices, 1) }

// OfSlice returns the region of one slice, by its number from the first one on.
func (r *Region) OfSlice(i int) Region {
	one := *r
	one.Slice, one.Slices = r.Slice+i, 1
	return one
}

// TextureView says which part of a texture a view has, and as what.
type TextureView struct {
	Type   bind.TextureType
	Format pixel.Format
	Level  int // the first one
	Levels int
	Slice  int // the first one
	Slices int
}
