package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

// textureAdversaries are about texels.
var textureAdversaries = []adversary{
	{name: "each thread has its texel", proves: true, body: "image.write(uint4(i), uint2(t, g));"},
	{name: "two lanes write one texel", body: "image.write(uint4(i), uint2(t / 2, g));"},
	{name: "two simd-groups write one texel", body: "image.write(uint4(i), uint2(t % 32, g));"},
	{name: "two threadgroups write one texel", body: "image.write(uint4(i), uint2(t, g / 2));"},
	{name: "a texel of the neighbour", body: `
image.write(image.read(uint2((t + 1) % 64, g)), uint2(t, g));`},
	{name: "a texel of another threadgroup", body: `
image.write(uint4(i), uint2(t, g));
x[i] = image.read(uint2(t, (g + 1) % 4)).x;`},
	{name: "a texel that the thread has read", proves: true, body: `
image.write(image.read(uint2(t, g)) + i, uint2(t, g));`},
	{name: "a texel that all have read", body: `
uint v = image.read(uint2(0, 0)).x;
image.write(uint4(v + i), uint2(t, g));`},
	{name: "a texel that the thread has written", body: `
image.write(uint4(i), uint2(t, g));
x[i] = image.read(uint2(t, g)).x;`},
	{name: "a texel that the thread has written, after a fence", body: `
image.write(uint4(i), uint2(t, g));
image.fence();
x[i] = image.read(uint2(t, g)).x;`},
	{name: "a texel written twice by a thread", proves: true, body: `
image.write(uint4(i), uint2(t, g));
image.write(uint4(i + 1), uint2(t, g));`},
	{name: "a read below the last row", body: "x[i] = image.read(uint2(t, g + 1)).x;"},
	{name: "a read before the first texel", body: "x[i] = image.read(uint2(t - 1, g)).x;"},
	{name: "a write behind the end of a row", body: "image.write(uint4(i), uint2(t + 1, g));"},
	{name: "the same where shapes count for nothing", checks: driver.CheckRace, body: `
image.write(uint4(i), uint2(t + 1, g));`},
	{name: "an outside that a guard keeps threads from", proves: true, body: `
if (t < 63) image.write(uint4(i), uint2(t + 1, g));`},
	{name: "texels of layers", proves: true, body: "layers.write(uint4(i), uint2(t % 8, t / 8), g);"},
	{name: "texels of one layer", body: "layers.write(uint4(i), uint2(t % 8, t / 8), g / 2);"},
	{name: "a layer too many", body: "layers.write(uint4(i), uint2(t % 8, t / 8), g + 1);"},
	{name: "a column for a row of another layer", body: "layers.write(uint4(i), uint2(t % 4, t / 4), g);"},
	{name: "samples", proves: true, body: `
x[i] = uint(photo.sample(sampler(filter::linear), float2(t, g) / 40.0f).x);`},
	{name: "texels that nothing writes", proves: true, body: "x[i] = uint(photo.read(uint2(t % 16, t / 16)).x);"},
	{name: "a level that there is not", body: "x[i] = uint(photo.read(uint2(0, 0), g).x);"},
	{name: "outside of what nothing writes", body: "x[i] = uint(photo.read(uint2(t / 3, 0)).x);"},
	{name: "two textures of one memory", body: `
image.write(uint4(i), uint2(t, g));
x[i] = view.read(uint2(63 - t, g)).x;`},
	{name: "two textures that nothing writes", proves: true, body: `
x[i] = view.read(uint2(63 - t, g)).x + image.read(uint2(t, g)).x;`},
	{name: "a texel without a value", body: `
uint v;
if (i & 1) v = 3;
image.write(uint4(v), uint2(t, g));`},
	{name: "a place without a value", body: `
uint v[2];
v[i & 1] = t;
image.write(uint4(i), uint2(v[0], g));`},
	{name: "texels counted up, in doubt for another reason", body: `
image.write(image.read(uint2(t, g)) + 1, uint2(t, g));
x[i] += 1;
threadgroup_barrier(mem_flags::mem_device);
y[i] = x[i ^ 1];`},
	{name: "texels written wholly, in doubt for another reason", body: `
layers.write(uint4(i), uint2(t % 8, t / 8), g);
x[i] += 1;
threadgroup_barrier(mem_flags::mem_device);
y[i] = x[i ^ 1];`},
}

// matrixAdversaries are about matrices that simd-groups load and store.
var matrixAdversaries = []adversary{
	{name: "matrices side by side", proves: true, body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + i / 32 * 64, 8);`},
	{name: "matrices that overlap by a row", body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + i / 32 * 56, 8);`},
	{name: "matrices that overlap by an element", body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + i / 32 * 63, 8);`},
	{name: "matrices among the rows of others", proves: true, body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + i / 32 * 8, 64);`},
	{name: "one matrix of all threadgroups", body: `
simdgroup_float8x8 m(i / 32);
if (t < 32) simdgroup_store(m, (device float*)x, 8);`},
	{name: "matrices turned round", proves: true, body: `
simdgroup_half8x8 m(i / 32);
simdgroup_load(m, (device half*)x + i / 32 * 64, 8, ulong2(0, 0), true);
simdgroup_store(m, (device half*)x + i / 32 * 64, 8, ulong2(0, 0), true);`},
	{name: "matrices that differ by their place", proves: true, body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x, 64, ulong2(i / 32 * 8, 8));`},
	{name: "a matrix that lanes read at once", body: `
simdgroup_float8x8 m(1);
if (t < 32) {
	simdgroup_store(m, (threadgroup float*)s, 8);
	x[i] = s[t];
}`},
	{name: "a matrix that lanes read after a barrier of theirs", body: `
simdgroup_float8x8 m(1);
if (t < 32) {
	simdgroup_store(m, (threadgroup float*)s, 8);
	simdgroup_barrier(mem_flags::mem_threadgroup);
	x[i] = s[t];
}`},
	{name: "a matrix that another simd-group reads", body: `
simdgroup_float8x8 m(1);
if (t < 32) simdgroup_store(m, (threadgroup float*)s, 8);
simdgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[t];`},
	{name: "a matrix that all read after a barrier", proves: true, body: `
simdgroup_float8x8 m(1);
if (t < 32) simdgroup_store(m, (threadgroup float*)s, 8);
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[t];`},
	{name: "a matrix of what threads have stored", proves: true, body: `
simdgroup_float8x8 m(1);
s[t] = t;
threadgroup_barrier(mem_flags::mem_threadgroup);
simdgroup_load(m, (threadgroup float*)s, 8);
simdgroup_store(m, (device float*)x + i / 32 * 64, 8);`},
	{name: "a matrix of what threads store at once", body: `
simdgroup_float8x8 m(1);
s[t] = t;
simdgroup_barrier(mem_flags::mem_threadgroup);
simdgroup_load(m, (threadgroup float*)s, 8);
simdgroup_store(m, (device float*)x + i / 32 * 64, 8);`},
	{name: "what is stored again while others load it", body: `
simdgroup_float8x8 m(1);
for (uint k = 0; k < 3; k++) {
	s[t] = t;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	simdgroup_load(m, (threadgroup float*)s, 8);
	simdgroup_store(m, (device float*)x + i / 32 * 64, 8);
}`},
	{name: "what is stored again when all have loaded it", proves: true, body: `
simdgroup_float8x8 m(1), sum(0);
for (uint k = 0; k < 3; k++) {
	s[t] = t;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	simdgroup_load(m, (threadgroup float*)s, 8);
	simdgroup_multiply_accumulate(sum, m, m, sum);
	threadgroup_barrier(mem_flags::mem_threadgroup);
}
simdgroup_store(sum, (device float*)x + i / 32 * 64, 8);`},
	{name: "a matrix of memory that nobody has written", body: `
simdgroup_float8x8 m(1);
if (t < 63) s[t] = t;
threadgroup_barrier(mem_flags::mem_threadgroup);
simdgroup_load(m, (threadgroup float*)s, 8);
simdgroup_store(m, (device float*)x + i / 32 * 64, 8);`},
	{name: "a matrix without a value", body: `
simdgroup_float8x8 m;
simdgroup_store(m, (device float*)x + i / 32 * 64, 8);`},
	{name: "a matrix that some lanes store", body: `
simdgroup_float8x8 m(i / 32);
if (t % 32 < 20) simdgroup_store(m, (device float*)x + i / 32 * 64, 8);`},
	{name: "some lanes store what another lane reads", body: `
simdgroup_float8x8 m(i / 32);
if (t < 20) simdgroup_store(m, (threadgroup float*)s, 8);
if (t == 63) x[i] = s[60];`},
	{name: "lanes name matrices of their own", body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + (t % 32 == 0 ? 0 : i / 32 * 64), 8);`},
	{name: "lanes name rows of their own", body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + i / 32 * 64, t % 32 == 0 ? 9 : 8);`},
	{name: "a matrix whose rows are one", proves: true, body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + i / 32 * 64, 0);`},
	{name: "a matrix upwards", proves: true, body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + i / 32 * 64 + 56, -8);`},
	{name: "a matrix added to its place", proves: true, body: `
simdgroup_float8x8 m(1), sum(0);
simdgroup_load(sum, (device float*)x + i / 32 * 64, 8);
simdgroup_multiply_accumulate(sum, m, m, sum);
simdgroup_store(sum, (device float*)x + i / 32 * 64, 8);`},
	{name: "a matrix over the end of the shape", shape: 500, body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + i / 32 * 64, 8);`},
	{name: "a column over the end of the shape", shape: 64, body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + i / 32 * 8 + 1, 64, ulong2(0, 0), true);`},
	{name: "a matrix over the end of the buffer", body: `
simdgroup_float8x8 m(i / 32);
simdgroup_store(m, (device float*)x + 16000 + i / 32 * 64, 8);`},
	{name: "a matrix of what is only read, over the end of its shape", inShape: 500, body: `
simdgroup_float8x8 m(0);
simdgroup_load(m, (device const float*)in, 8);
simdgroup_store(m, (device float*)x + i / 32 * 64, 8);
simdgroup_load(m, (device const float*)in + 193, 8);`},
	{name: "words of a matrix that another thread has written", body: `
simdgroup_float8x8 m(i / 32);
if (t == 40) x[i / 64 * 64 + 13] = 1;
if (t < 32) simdgroup_store(m, (device float*)x + i / 64 * 64, 8);`},
	{name: "words of a matrix that a lane of it has written", body: `
simdgroup_float8x8 m(i / 32);
x[i / 32 * 64 + t % 32] = 1;
simdgroup_store(m, (device float*)x + i / 32 * 64, 8);`},
	{name: "matrices in doubt, though a barrier orders them", body: `
simdgroup_float8x8 m(1), sum(0);
simdgroup_load(sum, (device float*)x + i / 32 * 64, 8);
simdgroup_multiply_accumulate(sum, m, m, sum);
simdgroup_store(sum, (device float*)x + i / 32 * 64, 8);
threadgroup_barrier(mem_flags::mem_device);
y[i] = x[i / 64 * 128 + t * 2] != 0;`},
}
