package cpu

import "testing"

func TestKernelsAddVectors(t *testing.T) {
	a, b, c := make([]float32, 100), make([]float32, 100), make([]float32, 100)
	for i := range a {
		a[i], b[i] = float32(i), float32(2*i)
	}
	compute(t, `kernel void test(device const float* a, device const float* b, device float* c, constant uint& n,
		uint i [[thread_position_in_grid]]) {
	if (i < n) c[i] = a[i] + b[i];
}`, threads(128), a, b, c, uint32(100))
	for i := range c {
		if c[i] != float32(3*i) {
			t.Fatalf("c[%d] = %v", i, c[i])
		}
	}
}
