package sample

import (
	"math"
	"math/bits"

	"github.com/metalgen/metalgen/runtime/bind"
)

// axis is one coordinate of the texels that the lanes of a mask filter: one of them, or two and the part of the second.
type axis struct {
	texel [2][Lanes]int32 // outside where it is negative
	part  [Lanes]float64
}

const outside = -1

// unbounded is the addressing mode of cubes: what is beyond an edge of a face is on another one.
const unbounded = bind.AddressMode(255)

// locate finds the texels of one coordinate. The sizes are those of each lane's level.
func (a *axis) locate(u *[Lanes]float64, size, offset *[Lanes]int32, mode bind.AddressMode, linear, mask uint32) {
	for m := mask; m != 0; m &= m - 1 {
		l := bits.TrailingZeros32(m)
		x, n := u[l], size[l]
		if linear>>l&1 == 0 {
			a.texel[0][l] = address(int32(math.Floor(x))+offset[l], n, mode)
			continue
		}
		x -= 0.5
		floor := math.Floor(x)
		first := int32(floor) + offset[l]
		a.texel[0][l], a.texel[1][l] = address(first, n, mode), address(first+1, n, mode)
		a.part[l] = x - floor
	}
}

// nearby are coordinates whose indexes do not overflow.
const nearby = 16

// texels returns a coordinate of a sampler in texels. It is exact, but for coordinates far away, where an index
// would overflow. Those are moved to where there are the same texels.
func texels(coordinate float32, size int32, s *bind.Sampler, mode bind.AddressMode) float64 {
	u, far := float64(coordinate), float64(nearby)
	if s.Pixel {
		far = nearby * largest
	}
	if !(math.Abs(u) < far) {
		switch mode {
		case bind.Repeat:
			u -= math.Floor(u)
		case bind.MirrorRepeat:
			u -= 2 * math.Floor(u/2)
		default:
			u = min(max(u, -far), far)
		}
		if u != u {
			u = 0
		}
	}
	if !s.Pixel {
		u *= float64(size)
	}
	return u
}

// address returns the texel that an addressing mode has for the index i, which may be outside of the texture.
func address(i, size int32, mode bind.AddressMode) int32 {
	if uint32(i) < uint32(size) {
		return i
	}
	switch mode {
	case bind.ClampToEdge:
		return min(max(i, 0), size-1)
	case bind.MirrorClampToEdge:
		return min(mirror(i), size-1)
	case bind.Repeat:
		return modulo(i, size)
	case bind.MirrorRepeat:
		return size - 1 - mirror(modulo(i, 2*size)-size)
	case unbounded:
		return i
	}
	return outside
}

// mirror returns i, or if it is negative, its mirror image: that of -1 is 0.
func mirror(i int32) int32 {
	if i < 0 {
		return -1 - i
	}
	return i
}

func modulo(i, n int32) int32 {
	if i %= n; i < 0 {
		i += n
	}
	return i
}
