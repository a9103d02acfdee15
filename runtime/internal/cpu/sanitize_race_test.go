package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

const fence = "threadgroup_barrier(mem_flags::mem_threadgroup);"

var racePairs = []pair{
	{
		name: "a tree without a barrier", kind: driver.CheckRace,
		body: `
s[t] = in[i];
threadgroup_barrier(mem_flags::mem_threadgroup);
for (uint n = 64; n > 0; n /= 2) {
	if (t < n) s[t] += s[t + n]; // here
}
if (t == 0) x[g] = s[0];`,
		mend:    [2]string{"\n}\nif", "\n" + fence + " }\nif"},
		message: "with no threadgroup_barrier(mem_flags::mem_threadgroup) between; here 0 was written, then 0 read; ",
	}, {
		name: "a tree whose first barrier is missing", kind: driver.CheckRace,
		body: `
s[t] = in[i]; // here
for (uint n = 64; n > 0; n /= 2) {
	if (t < n) s[t] += s[t + n]; // here
	threadgroup_barrier(mem_flags::mem_threadgroup);
}
if (t == 0) x[g] = s[0];`,
		mend: [2]string{"in[i];", "in[i]; " + fence},
	}, {
		name: "a scan that lacks the second of two barriers", kind: driver.CheckRace,
		body: `
s[t] = in[i];
threadgroup_barrier(mem_flags::mem_threadgroup);
for (uint n = 1; n < 128; n *= 2) {
	uint v = t >= n ? s[t - n] : 0; // here
	threadgroup_barrier(mem_flags::mem_threadgroup);
	s[t] += v; // here
}
x[i] = s[t];`,
		mend: [2]string{"+= v;", "+= v; " + fence},
	}, {
		name: "a barrier that orders nothing", kind: driver.CheckRace,
		body: `
s[t] = in[i]; // here
threadgroup_barrier(mem_flags::mem_none);
x[i] = s[127 - t]; // here`,
		mend:    [2]string{"mem_none", "mem_threadgroup"},
		message: "and the barrier between, at test.metal:2:1, has no mem_flags::mem_threadgroup",
	}, {
		name: "a barrier for other memory", kind: driver.CheckRace,
		body: `
x[i] = in[i]; // here
threadgroup_barrier(mem_flags::mem_threadgroup);
y[i] = x[i ^ 64]; // here`,
		mend:    [2]string{"mem_threadgroup", "mem_threadgroup | mem_flags::mem_device"},
		message: "has no mem_flags::mem_device",
	}, {
		name: "a loop over tiles that lacks its second barrier", kind: driver.CheckRace,
		body: `
uint sum = 0;
for (uint k = 0; k < 4; k++) {
	s[t] = in[k * 128 + t]; // here
	threadgroup_barrier(mem_flags::mem_threadgroup);
	for (uint j = 0; j < 128; j++) sum += s[j] * t; // here
}
x[i] = sum;`,
		mend: [2]string{"* t;", "* t; " + fence},
	}, {
		name: "a maximum overwritten while others read it", kind: driver.CheckRace,
		body: `
uint m = simd_max(in[i]);
if (lane == 0) s[simd] = m;
threadgroup_barrier(mem_flags::mem_threadgroup);
m = max(max(s[0], s[1]), max(s[2], s[3])); // here
uint sum = simd_sum(in[i] - m);
if (lane == 0) s[simd] = sum; // here
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[0] + s[1] + s[2] + s[3];`,
		mend: [2]string{"s[3]));", "s[3])); " + fence},
	}, {
		name: "all threads store to one element", kind: driver.CheckRace,
		body: `
s[0] = 1; // here
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[0];`,
		mend:    [2]string{"s[0] = 1;", "if (t == 0) s[0] = 1;"},
		message: "of one simd-group write it at once",
	}, {
		name: "two lanes store to one element", kind: driver.CheckRace,
		body:    "x[i / 2] = in[i]; // here",
		mend:    [2]string{"i / 2", "i"},
		message: "race on x[48]: thread (97, 0, 0) and thread (96, 0, 0) of one simd-group write it at once",
	}, {
		name: "a histogram without atomics", kind: driver.CheckRace, groups: 2,
		body: "x[in[i] % 16]++; // here",
		mend: [2]string{"x[in[i] % 16]++", "atomic_fetch_add_explicit(&a[in[i] % 16], 1, memory_order_relaxed)"},
	}, {
		name: "threadgroups that read what others write", kind: driver.CheckRace, groups: 2,
		body: `
x[i] = in[i]; // here
y[i] = x[i ^ 128]; // here`,
		mend:    [2]string{"i ^ 128", "i"},
		message: "nothing orders threadgroups of one dispatch",
	}, {
		name: "threadgroups that barriers are to order", kind: driver.CheckRace, groups: 3,
		body: `
x[i] = in[i]; // here
threadgroup_barrier(mem_flags::mem_device);
if (g > 0) y[i] = x[i - 128]; // here`,
		mend: [2]string{"i - 128", "i ^ 1"},
	}, {
		name: "threadgroups that store the same value", kind: driver.CheckRace, groups: 2,
		body: "if (t == 0) x[7] = 1; // here",
		mend: [2]string{"t == 0", "i == 0"},
	}, {
		name: "neighbours in a buffer that is worked on in place", kind: driver.CheckRace,
		body: "x[i + 1] += x[i]; // here",
		mend: [2]string{"+= x[i]", "+= in[i]"},
	}, {
		name: "an atomic that one thread reads plainly", kind: driver.CheckRace,
		body: `
atomic_fetch_add_explicit(&a[0], in[i], memory_order_relaxed); // here
device uint* plain = (device uint*)a;
if (t == 0) x[g] = plain[0]; // here`,
		mend:    [2]string{"device uint* plain", "threadgroup_barrier(mem_flags::mem_device); device uint* plain"},
		message: "writes it atomically",
	}, {
		name: "a plain store to what others load atomically", kind: driver.CheckRace,
		body: `
device uint* plain = (device uint*)a;
if (t == 64) plain[3] = 9; // here
uint v = atomic_load_explicit(&a[3], memory_order_relaxed); // here
x[i] = v;`,
		mend: [2]string{"plain[3] = 9", "atomic_store_explicit(&a[3], 9, memory_order_relaxed)"},
	}, {
		name: "the last threadgroup, which no fence lets see the others", kind: driver.CheckRace, groups: 3,
		body: `
threadgroup uint last[1];
x[i] = in[i] + 1; // here
threadgroup_barrier(mem_flags::mem_device);
if (t == 0) {
	uint n = atomic_fetch_add_explicit(&a[0], 1, memory_order_relaxed);
	atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
	last[0] = n == 2;
}
threadgroup_barrier(mem_flags::mem_threadgroup);
if (last[0]) y[t] = x[t] + x[128 + t] + x[256 + t]; // here`,
		mend: [2]string{
			"uint n",
			"atomic_thread_fence(mem_flags::mem_device, memory_order_release, thread_scope_device); uint n",
		},
	}, {
		name: "the last threadgroup, which does not acquire", kind: driver.CheckRace, groups: 3,
		body: `
threadgroup uint last[1];
x[i] = in[i] + 1; // here
threadgroup_barrier(mem_flags::mem_device);
if (t == 0) {
	atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
	uint n = atomic_fetch_add_explicit(&a[0], 1, memory_order_relaxed);
	last[0] = n == 2;
}
threadgroup_barrier(mem_flags::mem_threadgroup);
if (last[0]) y[t] = x[t] + x[128 + t] + x[256 + t]; // here`,
		mend: [2]string{
			"last[0] =",
			"atomic_thread_fence(mem_flags::mem_device, memory_order_acquire, thread_scope_device); last[0] =",
		},
	}, {
		name: "the last threadgroup, where a fence knows nothing of the others", kind: driver.CheckRace, groups: 3,
		body: `
threadgroup uint last[1];
x[i] = in[i] + 1; // here
threadgroup_barrier(mem_flags::mem_none);
if (t == 0) {
	atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
	uint n = atomic_fetch_add_explicit(&a[0], 1, memory_order_relaxed);
	atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
	last[0] = n == 2;
}
threadgroup_barrier(mem_flags::mem_threadgroup);
if (last[0]) y[t] = x[t] + x[128 + t] + x[256 + t]; // here`,
		mend: [2]string{"mem_none", "mem_device"},
	}, {
		name: "a relaxed fence", kind: driver.CheckRace, groups: 3,
		body: `
threadgroup uint last[1];
x[i] = in[i] + 1; // here
threadgroup_barrier(mem_flags::mem_device);
if (t == 0) {
	atomic_thread_fence(mem_flags::mem_device, memory_order_relaxed, thread_scope_device);
	uint n = atomic_fetch_add_explicit(&a[0], 1, memory_order_relaxed);
	atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
	last[0] = n == 2;
}
threadgroup_barrier(mem_flags::mem_threadgroup);
if (last[0]) y[t] = x[t] + x[128 + t] + x[256 + t]; // here`,
		mend: [2]string{"memory_order_relaxed, thread_scope", "memory_order_acq_rel, thread_scope"},
	}, {
		name: "a flag in threadgroup memory", kind: driver.CheckRace,
		body: `
if (t == 0) s[0] = 0;
threadgroup_barrier(mem_flags::mem_threadgroup);
if (in[i] == 0 && lane == 0) s[0] = 1; // here
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[0];`,
		mend: [2]string{"s[0] = 1;", "atomic_store_explicit((threadgroup atomic_uint*)s, 1, memory_order_relaxed);"},
	}, {
		name: "bytes of one word", kind: driver.CheckRace,
		body: `
device uchar* bytes = (device uchar*)x;
bytes[i] = 1; // here
bytes[i ^ 33] = 2; // here`,
		mend: [2]string{"i ^ 33", "i"},
	}, {
		name: "halves that overlap by one byte", kind: driver.CheckRace,
		body: `
device packed_uchar3* triples = (device packed_uchar3*)x;
device uchar* bytes = (device uchar*)x;
triples[i] = packed_uchar3(1, 2, 3); // here
if (t == 64) bytes[3 * 32 + 2] = 1; // here`,
		mend: [2]string{"3 * 32 + 2", "3 * 64 + 2"},
	}, {
		name: "vectors whose ends overlap", kind: driver.CheckRace,
		body: `
device packed_float4* v = (device packed_float4*)(x + 2 * i);
*v = float4(1); // here`,
		mend: [2]string{"2 * i", "4 * i"},
	}, {
		name: "fields of one struct", kind: driver.CheckRace,
		head: "struct P { uint n; half h; uchar low, high; };",
		body: `
device P* p = (device P*)x;
p[i].low = 1; // here
if (t > 0) p[i - 1].low = 2; // here`,
		mend: [2]string{"low = 2", "high = 2"},
	}, {
		name: "bit-fields of one integer", kind: driver.CheckRace,
		head: "struct P { uint a : 8; uint b : 8; };",
		body: `
device P* p = (device P*)x;
p[i].a = 1; // here
if (t > 0) p[i - 1].b = 2; // here`,
		mend: [2]string{"if (t > 0) p[i - 1].b", "p[i].b"},
	}, {
		name: "a struct that is copied while one field changes", kind: driver.CheckRace,
		head: "struct P { uint n; float4 v; };",
		body: `
device P* p = (device P*)x;
p[i].v = 1; // here
P other = p[i ^ 32]; // here
y[i] = other.n;`,
		mend: [2]string{"P other = p[i ^ 32];", "uint n = p[i ^ 32].n; struct { uint n; } other{n};"},
	}, {
		name: "two arguments with one memory", kind: driver.CheckRace,
		body: `
device uint* z = x + 64;
z[i] = 1; // here
y[i] = x[i]; // here`,
		mend: [2]string{"x + 64", "x + 128"},
	}, {
		name: "a pointer that a loop moves", kind: driver.CheckRace,
		body: `
device uint* p = x + i;
for (uint k = 0; k < 3; k++) {
	*p = k; // here
	p += 64;
}`,
		mend: [2]string{"+= 64", "+= 128"},
	}, {
		name: "a matrix that two simd-groups store", kind: driver.CheckRace,
		body: `
simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8>(1.0f);
simdgroup_store(m, (device float*)x + 32 * simd, 8); // here`,
		mend: [2]string{"32 * simd", "64 * simd"},
	}, {
		name: "a matrix that is loaded before all have stored", kind: driver.CheckRace,
		body: `
s[t] = in[i]; // here
simdgroup_float8x8 m;
simdgroup_load(m, (threadgroup float*)s + 64 * (simd / 2), 8); // here
simdgroup_store(m, (device float*)x + 64 * simd, 8);`,
		mend: [2]string{"in[i];", "in[i]; " + fence},
	}, {
		name: "a reduction that trusts lockstep", kind: driver.CheckRaceSimdgroup,
		body: `
s[t] = in[i];
threadgroup_barrier(mem_flags::mem_threadgroup);
if (t < 32) {
	for (uint n = 16; n > 0; n /= 2) {
		if (t < n) s[t] += s[t + n]; // here
	}
}`,
		mend:    [2]string{"\n\t}", "\n\tsimdgroup_barrier(mem_flags::mem_threadgroup); }"},
		message: "only lockstep orders the lanes of a simd-group",
	}, {
		name: "an exchange that trusts lockstep", kind: driver.CheckRaceSimdgroup,
		body: `
s[t] = in[i]; // here
x[i] = s[t ^ 1]; // here`,
		mend: [2]string{"in[i];", "in[i]; simdgroup_barrier(mem_flags::mem_threadgroup);"},
	}, {
		name: "a shuffle, which orders no memory", kind: driver.CheckRaceSimdgroup,
		body: `
s[t] = in[i]; // here
uint v = simd_shuffle_xor(in[i], 1);
x[i] = s[t ^ 1] + v; // here`,
		mend: [2]string{"s[t ^ 1]", "s[t]"},
	}, {
		name: "a simdgroup_barrier for other memory", kind: driver.CheckRaceSimdgroup,
		body: `
x[i] = in[i]; // here
simdgroup_barrier(mem_flags::mem_threadgroup);
y[i] = x[i ^ 3]; // here`,
		mend: [2]string{"mem_threadgroup", "mem_device"},
	}, {
		name: "a simdgroup_barrier between simd-groups", kind: driver.CheckRace,
		body: `
s[t] = in[i]; // here
simdgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[127 - t]; // here`,
		mend: [2]string{"simdgroup_barrier", "threadgroup_barrier"},
	}, {
		name: "the initial value of a variable of the threadgroup", kind: driver.CheckRace,
		body: `
threadgroup uint sums[4] = {0}; // here
if (lane == 0) sums[simd] = in[i]; // here
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = sums[t % 4];`,
		mend: [2]string{"if (lane", fence + " if (lane"},
	}, {
		name: "a variable of the threadgroup in a function", kind: driver.CheckRace,
		head: "uint all(threadgroup uint* of, uint t, uint v) { of[t] = v; return of[127 - t]; }\n",
		body: `
threadgroup uint local[128];
x[i] = all(local, t, in[i]);`,
		mend: [2]string{"all(local, t, in[i])", "in[i]"},
	},
}
