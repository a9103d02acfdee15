// Integers: hashes, random numbers, histograms.

#include "prelude.h"

// The hash of sixteen words, with rotates, after MurmurHash3.
kernel void murmur(device const uint* words, device uint* out, VALUE(uint) n THREADS) {
	const uint i = IN_GRID(x);
	if (i >= n) return;
	uint h = i;
	for (uint k = 0; k < 16; k++) {
		uint w = words[i * 16 + k] * 0xcc9e2d51u;
		h ^= rotate(w, 15u) * 0x1b873593u;
		h = rotate(h, 13u) * 5u + 0xe6546b64u;
	}
	h = (h ^ 64u ^ ((h ^ 64u) >> 16)) * 0x85ebca6bu;
	h = (h ^ (h >> 13)) * 0xc2b2ae35u;
	out[i] = h ^ (h >> 16);
}

// How often each of 256 bytes occurs in what a threadgroup reads.
kernel void histogram(device const uchar* bytes, device uint* out, VALUE(uint) n THREADS) {
	threadgroup atomic_uint bins[256];
	atomic_store_explicit(&bins[IN_GROUP(x)], 0u, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint i = IN_GROUP(x); i < n; i += 256)
		atomic_fetch_add_explicit(&bins[bytes[GROUP(x) * n + i]], 1u, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	out[GROUP(x) * 256 + IN_GROUP(x)] = atomic_load_explicit(&bins[IN_GROUP(x)], memory_order_relaxed);
}
