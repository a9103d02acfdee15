// What threads do together, and atomics.
#include <metal_stdlib>
using namespace metal;

kernel void groups(device float2* x, device uint* n, uint i [[thread_position_in_grid]]) {
	threadgroup float2 shared[32];
	shared[i & 31] = simd_shuffle_xor(x[i], 1);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	x[i] = simd_sum(shared[0]) + quad_broadcast(x[i], 2) + simd_prefix_exclusive_sum(x[i]);
	simdgroup_barrier(mem_flags::mem_none);
	n[i] = simd_all(x[i].x > 0) + simd_is_first() + simd_max(n[i]) + simd_broadcast(n[i] > 2, 3);
	n[0] = uint(uint64_t(simd_ballot(n[i] == 1))) + quad_any(n[1] == 2) + simd_vote::vote_t(simd_active_threads_mask()) +
		simd_shuffle_and_fill_up(n[2], n[3], 1) + __metal_get_simdgroup_size(ushort());
	atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
}

kernel void atomics(device atomic_uint* a, threadgroup atomic_int* b, device atomic_float* f, device atomic_bool* o) {
	uint was = atomic_fetch_add_explicit(a, 1u, memory_order_relaxed);
	atomic_store_explicit(a + 1, was, memory_order_relaxed);
	atomic_fetch_max_explicit(b, -1, memory_order_relaxed);
	float expected = 1;
	if (atomic_compare_exchange_weak_explicit(f, &expected, 2.0f, memory_order_relaxed, memory_order_relaxed))
		atomic_exchange_explicit(o, atomic_load_explicit(o + 1, memory_order_relaxed), memory_order_relaxed);
}

kernel void matrices(device float* x, threadgroup half* h) {
	simdgroup_float8x8 a, b = make_filled_simdgroup_matrix<float, 8, 8>(2), c;
	simdgroup_load(a, x, 8);
	simdgroup_multiply(c, a, b);
	simdgroup_multiply_accumulate(c, a, simdgroup_float8x8(3), c);
	c.thread_elements()[1] += 1;
	simdgroup_store(c, x + 64, 8, ulong2(8, 0), true);
	simdgroup_half8x8 d;
	simdgroup_load(d, h);
	simdgroup_store(d, h + 64);
}
