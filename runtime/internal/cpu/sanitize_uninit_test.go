package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

// uninitPairs use what nothing has written.
var uninitPairs = []pair{
	{
		name: "a sum that begins with nothing", kind: driver.CheckUninit,
		body: `
uint sum; // here
for (uint k = 0; k < 4; k++) sum += in[i + k];
x[i] = sum; // here`,
		mend:    [2]string{"sum;", "sum = 0;"},
		message: "uninitialised sum: thread (0, 0, 0) stores a result of it to x; it is declared at test.metal:1:6",
	}, {
		name: "a branch that sets a variable on one side only", kind: driver.CheckUninit,
		body: `
uint v; // here
if (in[i] == 1) v = 2;
if (v > 1) x[i] = 1; // here`,
		mend:    [2]string{"v;", "v = 0;"},
		message: "uninitialised v: thread (0, 0, 0) branches on it",
	}, {
		name: "a loop that ends by nothing", kind: driver.CheckUninit,
		body: `
uint n; // here
for (uint k = 0; k < n; k++) x[i] = k; // here`,
		mend: [2]string{"uint n;", "uint n = 3;"},
	}, {
		name: "an array with a gap", kind: driver.CheckUninit,
		body: `
uint acc[4]; // here
for (uint k = 0; k < 3; k++) acc[k] = in[i];
uint sum = 0;
for (uint k = 0; k < 4; k++) sum += acc[k]; // here
x[i] = sum; // here`,
		mend:    [2]string{"k < 4; k++", "k < 3; k++"},
		message: "uninitialised acc[3]: thread (0, 0, 0) reads it at test.metal:4:40 and stores a result of it to x",
	}, {
		name: "an index", kind: driver.CheckUninit,
		body: `
uint at; // here
x[i + (at & 7)] = 0; // here`,
		mend:    [2]string{"at;", "at = 0;"},
		message: "computes an index of it",
	}, {
		name: "an element of threadgroup memory that no thread writes", kind: driver.CheckUninit,
		body: `
if (t > 0) s[t] = in[i];
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[t ^ 1]; // here`,
		mend:    [2]string{"if (t > 0) ", ""},
		message: "uninitialised s[0]: thread (1, 0, 0) reads it at test.metal:3:9 and stores a result of it to x",
	}, {
		name: "a component of a vector", kind: driver.CheckUninit,
		body: `
uint4 v; // here
v.x = 1; v.y = 2; v.w = 3;
uint sum = v.x + v.y + v.z + v.w;
x[i] = sum; // here`,
		mend:    [2]string{"v.x = 1;", "v.x = 1; v.z = 0;"},
		message: "uninitialised v.z:",
	}, {
		name: "a field of a struct", kind: driver.CheckUninit, head: "struct P { uchar n; float v; };",
		body: `
P p; // here
p.v = 1;
P q = p;
x[i] = q.n; // here`,
		mend:    [2]string{"p.v = 1;", "p.v = 1; p.n = 2;"},
		message: "uninitialised p.n:",
	}, {
		name: "the counter of an atomic", kind: driver.CheckUninit,
		body: `
threadgroup atomic_uint count; // here
atomic_fetch_add_explicit(&count, 1, memory_order_relaxed); // here
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = atomic_load_explicit(&count, memory_order_relaxed);`,
		mend: [2]string{
			"atomic_fetch_add",
			"if (t == 0) atomic_store_explicit(&count, 0, memory_order_relaxed); " + fence + " atomic_fetch_add",
		},
		message: "uninitialised count:",
	}, {
		name: "a value of a lane that has none", kind: driver.CheckUninit,
		body: `
uint v; // here
if (lane < 16) v = in[i];
uint sum = simd_sum(v);
x[i] = sum; // here`,
		mend: [2]string{"simd_sum(v)", "simd_shuffle(v, lane % 16)"},
	}, {
		name: "a field of bits", kind: driver.CheckUninit, head: "struct P { uint a : 3; uint b : 5; uint c : 24; };",
		body: `
P p; // here
p.a = 1;
p.c = 2;
if (p.b == 2) x[i] = 1; // here`,
		mend: [2]string{"p.b == 2", "p.a + p.c == 2"},
	}, {
		name: "a byte of a word", kind: driver.CheckUninit,
		body: `
uchar bytes[4]; // here
bytes[0] = 1; bytes[1] = 2; bytes[3] = 4;
uint word = *(thread uint*)bytes; // here
x[i] = word & 0xFFFFFF; // here`,
		mend:    [2]string{"0xFFFFFF", "0xFF00FFFF"},
		message: "uninitialised bytes[2]:",
	}, {
		name: "a message", kind: driver.CheckUninit, head: "#include <metal_logging>\n",
		body: `
uint v; // here
if (t == 0) os_log_default.log("%u", v); // here`,
		mend:    [2]string{"v;", "v = 0;"},
		message: "prints it",
	}, {
		name: "a matrix", kind: driver.CheckUninit,
		body: `
simdgroup_float8x8 sum, one = make_filled_simdgroup_matrix<float, 8>(1.0f); // here
simdgroup_multiply_accumulate(sum, one, one, sum);
simdgroup_store(sum, (device float*)x + 64 * simd, 8); // here`,
		mend: [2]string{"one, sum);", "one, one);"},
	}, {
		name: "a row of a matrix", kind: driver.CheckUninit,
		body: `
simdgroup_float8x8 m;
threadgroup float* rows = (threadgroup float*)s + 64 * simd;
for (uint k = lane; k < 56; k += 32) rows[k] = 1;
simdgroup_barrier(mem_flags::mem_threadgroup);
simdgroup_load(m, rows, 8); // here
simdgroup_multiply(m, m, simdgroup_float8x8(1.0f));
simdgroup_store(m, rows, 8);
simdgroup_barrier(mem_flags::mem_threadgroup);
for (uint k = lane; k < 64; k += 32) x[256 * g + 64 * simd + k] = rows[k]; // here`,
		mend: [2]string{"k < 64; k += 32) x", "k < 56; k += 32) x"},
	},
}
