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

// The compression of one block of SHA-256.
constant uint sha_constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98,
	0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8,
	0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819,
	0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2};

kernel void sha256(device const uint* blocks, device uint* out, VALUE(uint) n THREADS) {
	const uint i = IN_GRID(x);
	if (i >= n) return;
	uint w[16];
	for (uint k = 0; k < 16; k++) w[k] = blocks[i * 16 + k];
	uint a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a;
	uint e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
	for (uint k = 0; k < 64; k++) {
		if (k >= 16) {
			const uint x = w[(k + 1) & 15], y = w[(k + 14) & 15];
			w[k & 15] += (rotate(x, 25u) ^ rotate(x, 14u) ^ (x >> 3)) + w[(k + 9) & 15] +
				(rotate(y, 15u) ^ rotate(y, 13u) ^ (y >> 10));
		}
		const uint t = h + (rotate(e, 26u) ^ rotate(e, 21u) ^ rotate(e, 7u)) + ((e & f) ^ (~e & g)) + sha_constants[k] +
			w[k & 15];
		const uint u = (rotate(a, 30u) ^ rotate(a, 19u) ^ rotate(a, 10u)) + ((a & b) ^ (a & c) ^ (b & c));
		h = g;
		g = f;
		f = e;
		e = d + t;
		d = c;
		c = b;
		b = a;
		a = t + u;
	}
	device uint* to = out + i * 8;
	to[0] = a + 0x6a09e667;
	to[1] = b + 0xbb67ae85;
	to[2] = c + 0x3c6ef372;
	to[3] = d + 0xa54ff53a;
	to[4] = e + 0x510e527f;
	to[5] = f + 0x9b05688c;
	to[6] = g + 0x1f83d9ab;
	to[7] = h + 0x5be0cd19;
}

// A hash without rotates, after Fowler, Noll and Vo, over bytes.
kernel void fnv(device const uchar* bytes, device uint* out, VALUE(uint) n, VALUE(uint) length THREADS) {
	const uint i = IN_GRID(x);
	if (i >= n) return;
	uint h = 0x811c9dc5u;
	for (uint k = 0; k < length; k++) h = (h ^ uint(bytes[i * length + k])) * 0x01000193u;
	out[i] = h;
}

// Random numbers by counters, after Philox.
kernel void philox(device uint4* out, VALUE(uint) seed THREADS) {
	const uint i = IN_GRID(x);
	uint a = i, b = 0, c = 0, d = 0, key0 = seed, key1 = 0x12345678u;
	for (uint round = 0; round < 10; round++) {
		const uint high0 = MULHI(0xD2511F53u, a), low0 = 0xD2511F53u * a;
		const uint high1 = MULHI(0xCD9E8D57u, c), low1 = 0xCD9E8D57u * c;
		a = high1 ^ b ^ key0;
		b = low1;
		c = high0 ^ d ^ key1;
		d = low0;
		key0 += 0x9E3779B9u;
		key1 += 0xBB67AE85u;
	}
	out[i] = uint4(a, b, c, d);
}

// Random numbers by state, of 64 bits, after xorshift and splitmix.
kernel void xorshift64(device const ulong* seeds, device ulong* out, VALUE(uint) rounds THREADS) {
	const uint i = IN_GRID(x);
	ulong s = seeds[i] | 1;
	for (uint k = 0; k < rounds; k++) {
		s ^= s >> 12;
		s ^= s << 25;
		s ^= s >> 27;
	}
	s = (s ^ (s >> 30)) * 0xbf58476d1ce4e5b9ul;
	out[i] = s ^ (s >> 31);
}

// How many steps numbers take to 1, after Collatz.
kernel void collatz(device uint* out, VALUE(uint) from THREADS) {
	uint n = from + IN_GRID(x), steps = 0;
	while (n != 1) {
		n = (n & 1) ? 3 * n + 1 : n / 2;
		steps++;
	}
	out[IN_GRID(x)] = steps;
}
