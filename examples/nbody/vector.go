package main

import (
	"math"

	mtl "github.com/metalgen/metalgen/runtime"
)

// vector is a place, a velocity or a direction.
type vector [3]float64

func (v vector) plus(w vector) vector   { return vector{v[0] + w[0], v[1] + w[1], v[2] + w[2]} }
func (v vector) minus(w vector) vector  { return v.plus(w.times(-1)) }
func (v vector) times(f float64) vector { return vector{f * v[0], f * v[1], f * v[2]} }
func (v vector) dot(w vector) float64   { return v[0]*w[0] + v[1]*w[1] + v[2]*w[2] }
func (v vector) cross(w vector) vector {
	return vector{v[1]*w[2] - v[2]*w[1], v[2]*w[0] - v[0]*w[2], v[0]*w[1] - v[1]*w[0]}
}

// turned returns v turned about the axis x.
func (v vector) turned(angle float64) vector {
	sin, cos := math.Sincos(angle)
	return vector{v[0], cos*v[1] - sin*v[2], sin*v[1] + cos*v[2]}
}

// packed returns v as Metal's packed_float3.
func (v vector) packed() [3]float32 { return [3]float32{float32(v[0]), float32(v[1]), float32(v[2])} }

// float3 returns v as Metal's float3, which takes the space of four floats.
func (v vector) float3() mtl.Vec3[float32] {
	return mtl.Vec3[float32]{X: float32(v[0]), Y: float32(v[1]), Z: float32(v[2])}
}

func toVector(v [3]float32) vector { return vector{float64(v[0]), float64(v[1]), float64(v[2])} }
