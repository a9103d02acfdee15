package runtime_test

import (
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime"
)

func TestVec3TakesTheSpaceOfFour(t *testing.T) {
	if n := unsafe.Sizeof(runtime.Vec3[float32]{}); n != 16 {
		t.Errorf("float3 takes %d bytes", n)
	}
	if n := unsafe.Sizeof(runtime.Vec3[uint8]{}); n != 4 {
		t.Errorf("uchar3 takes %d bytes", n)
	}
	if n := unsafe.Offsetof(runtime.Vec3[float32]{}.Z); n != 8 {
		t.Errorf("z is at byte %d", n)
	}
}
