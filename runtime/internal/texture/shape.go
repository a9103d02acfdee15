package texture

import "math/bits"

// Shape says how large a texture is. Sizes that the kind does not have are 1.
type Shape struct {
	Kind                 Kind
	Width, Height, Depth int // texels of level 0
	Layers               int // of an array; a cube is one layer
	Levels               int
	Samples              int
}

// Level returns the size of a mip level: each is half of the one before, rounded down, but at least 1.
func (s *Shape) Level(n int) (width, height, depth int) {
	return max(s.Width>>n, 1), max(s.Height>>n, 1), max(s.Depth>>n, 1)
}

// MostLevels returns how many levels there are down to that of one texel. Metal has one level of what has one dimension
// or several samples.
func (s *Shape) MostLevels() int {
	if s.Kind.Dimensions() == 1 || s.Kind.Multisampled() {
		return 1
	}
	return bits.Len(uint(max(s.Width, s.Height, s.Depth)))
}

// Slices returns the images of a level: its depth, or its layers, each with its faces.
func (s *Shape) Slices(level int) int {
	_, _, depth := s.Level(level)
	return depth * s.Layers * s.Kind.Faces()
}
