// Where variables are: values, locals, objects.
#include <metal_stdlib>
using namespace metal;

static void twice(thread float& v, const thread float& by) { v *= by; v *= by; }

static void through(thread float* p) { *p = 2; }

kernel void places(device float* x, uint3 i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
	const float kept = x[0];
	float changed = kept, addressed = 1;
	float none;
	twice(changed, addressed);
	through(&addressed);
	float4 v = kept;
	v[i.x & 3] = changed;
	float2x2 m = float2x2(1);
	m[lane][i.y] = v[i.z];
	x[i.x] = v.x + m[1].x + addressed + none;
}

kernel void lambdas(device uint* x, uint i [[thread_position_in_grid]]) {
	uint sum = 0;
	auto add = [&](uint n) { sum += n; return sum; };
	x[i] = add(1) + add(i);
}

kernel void order(device int* x, uint i [[thread_position_in_grid]]) {
	int k = x[i];
	x[i] = k + k++ * (k = 3) + k;
}
