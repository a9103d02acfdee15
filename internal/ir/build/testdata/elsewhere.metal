// Textures, samplers, messages, function constants, pointers in memory.
#include <metal_stdlib>
#include <metal_logging>
using namespace metal;

constant uint mode [[function_constant(0)]];
constant bool2 flags [[function_constant(3)]];
constant uint chosen = is_function_constant_defined(mode) ? mode : 7;
constexpr sampler smooth(filter::linear, address::repeat);

kernel void textures(texture2d<float> t [[texture(0)]], array<texture2d<half, access::write>, 2> out [[texture(1)]],
		sampler s [[sampler(0)]], texture2d<uint, access::read_write> counts [[texture(3)]],
		depth2d<float> d [[texture(4)]], uint2 i [[thread_position_in_grid]]) {
	float4 v = t.sample(s, float2(i) / float2(t.get_width(), t.get_height())) + t.read(i, 1) + t.gather(smooth, 0.5f);
	v.x += d.sample_compare(smooth, float2(i), 0.5f);
	out[i.x & 1].write(half4(v), i);
	uint4 expected = 1;
	counts.atomic_fetch_add(i, uint4(1));
	if (counts.atomic_compare_exchange_weak(i, &expected, uint4(2)))
		counts.fence();
}

kernel void constants(device uint* x) {
	if (flags.y)
		x[0] = chosen;
	os_log_default.log_debug("%u of %v2f", x[0], float2(x[1], 2));
}

struct Bindless { device float* p; texture2d<float> t; };

kernel void handles(constant Bindless& b, device Bindless* to) {
	to->p = b.p + 1;
	b.p[0] = b.t.read(uint2(0)).x;
}
