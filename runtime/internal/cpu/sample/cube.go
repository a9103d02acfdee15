package sample

import "math"

// cubeFace says which way a face of a cube looks, s and t are its coordinates: each is an axis, x, y or z, and a sign.
type cubeFace struct {
	major, s, t             uint8
	majorSign, sSign, tSign int8
}

// The faces in Metal's order: positive and negative x, y, z.
var cubeFaces = [6]cubeFace{
	{0, 2, 1, +1, -1, -1},
	{0, 2, 1, -1, +1, -1},
	{1, 0, 2, +1, +1, +1},
	{1, 0, 2, -1, +1, -1},
	{2, 0, 1, +1, +1, -1},
	{2, 0, 1, -1, -1, -1},
}

// faceOf returns the face that a direction meets. Where it meets an edge, z is before y, and y before x.
func faceOf[T int32 | float64](r *[3]T) int32 {
	x, y, z := max(r[0], -r[0]), max(r[1], -r[1]), max(r[2], -r[2])
	major := int32(0)
	switch {
	case z >= x && z >= y:
		major = 2
	case y >= x:
		major = 1
	}
	if r[major] < 0 {
		return 2*major + 1
	}
	return 2 * major
}

// onCube returns the face that a direction meets, and where on it, in texels.
func onCube(r *[3]float64, size int32) (face int32, x, y float64) {
	for k := range r {
		// With infinities there is no direction. These are the directions nearest to what was meant.
		if r[k] = min(max(r[k], -math.MaxFloat32), math.MaxFloat32); r[k] != r[k] {
			r[k] = 0
		}
	}
	face = faceOf(r)
	f := &cubeFaces[face]
	distance := math.Abs(r[f.major])
	if distance == 0 {
		return face, float64(size) / 2, float64(size) / 2
	}
	half := float64(size) / 2
	return face, (float64(f.sSign)*r[f.s]/distance + 1) * half, (float64(f.tSign)*r[f.t]/distance + 1) * half
}

// overEdge returns the texel beside the texel (i, j), which is beyond one edge of a face: i or j is -1 or size.
func overEdge(face, i, j, size int32) (toFace, toI, toJ int32) {
	// The direction of the middle of the texel, in the plane of the face, in units of half a texel.
	f := &cubeFaces[face]
	var r [3]int32
	r[f.major] = int32(f.majorSign) * size
	r[f.s] = int32(f.sSign) * (2*i + 1 - size)
	r[f.t] = int32(f.tSign) * (2*j + 1 - size)
	toFace = faceOf(&r)
	to := &cubeFaces[toFace]
	distance := int64(size) + 1 // of the texel, along the axis of the face that it is on
	on := func(axis uint8, sign int8) int32 {
		return int32(int64(size) * (distance + int64(sign)*int64(r[axis])) / (2 * distance))
	}
	return toFace, on(to.s, to.sSign), on(to.t, to.tSign)
}
