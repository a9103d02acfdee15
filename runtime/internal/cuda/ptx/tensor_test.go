package ptx_test

import (
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx"
)

// TestTilesOfHalvesGoToTensorCores looks for what makes products of tiles fast: a variable of 2048 bytes with a gap
// after each 128, sixteen elements of a row in one instruction, and many threadgroups at once. Products of floats
// have none of these.
func TestTilesOfHalvesGoToTensorCores(t *testing.T) {
	const kernel = `#include <metal_simdgroup_matrix>
kernel void test(device float* out [[buffer(0)]], device const TYPE* in [[buffer(1)]], constant uint& n [[buffer(2)]],
	uint i [[thread_index_in_threadgroup]]) {
	threadgroup TYPE tile[16 * 64];
	simdgroup_float8x8 sums[2];
	for (int m = 0; m < 2; m++) sums[m] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
	for (uint turn = 0; turn < n; turn++) {
		for (uint at = i; at < 16 * 64; at += 128) tile[at] = in[turn * 1024 + at];
		threadgroup_barrier(mem_flags::mem_threadgroup);
		for (int k = 0; k < 16; k += 8) {
			simdgroup_matrix<TYPE, 8, 8> y, x[2];
			simdgroup_load(y, tile + k * 64 + 32, 64);
			for (int m = 0; m < 2; m++) simdgroup_load(x[m], tile + 8 * m * 64 + k, 64);
			for (int m = 0; m < 2; m++) simdgroup_multiply_accumulate(sums[m], x[m], y, sums[m]);
		}
		threadgroup_barrier(mem_flags::mem_threadgroup);
	}
	for (int m = 0; m < 2; m++) simdgroup_store(sums[m], out + 64 * m, 8);
}
`
	o := ptx.Options{Align: 16, Threads: 128, Whole: true, Fast: true, Capability: 90}
	halves := written(t, strings.ReplaceAll(kernel, "TYPE", "half"), o)
	floats := written(t, strings.ReplaceAll(kernel, "TYPE", "float"), o)
	for _, want := range []string{"[2304];", "mma.sync.aligned.m16n8k16.", ".minnctapersm 8\n"} {
		if !strings.Contains(halves, want) {
			t.Errorf("of halves there is no %s in\n%s", want, halves)
		}
		if strings.Contains(floats, want) {
			t.Errorf("of floats there is %s in\n%s", want, floats)
		}
	}
}
