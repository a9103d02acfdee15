package runtime

import "structs"

// Vec3 is a vector of three components as Metal lays out float3, half3 and int3: it takes the space of four. Metal's
// packed_float3 is [3]float32 in Go.
type Vec3[T any] struct {
	_       structs.HostLayout
	X, Y, Z T
	_       T
}
