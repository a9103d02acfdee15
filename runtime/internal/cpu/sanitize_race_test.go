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
		name: "a sum to which all threads add", kind: driver.CheckRace, groups: 3,
		body: "x[0] += in[i]; // here",
		mend: [2]string{"x[0] += in[i]", "atomic_fetch_add_explicit(a, in[i], memory_order_relaxed)"},
		message: "; += reads and writes in two steps, which no barrier makes one; use " +
			"atomic_fetch_add_explicit on an atomic; threadgroup",
	}, {
		name: "a product of all threads", kind: driver.CheckRace,
		body: "s[0] *= in[i]; // here",
		mend: [2]string{"s[0]", "s[t]; y[i]"},
		message: "it reads and writes in two steps, which no barrier makes one; use an atomic and a loop " +
			"around atomic_compare_exchange_weak_explicit",
	}, {
		name: "a sum that one thread starts", kind: driver.CheckRace,
		body: `
if (t == 40) x[g] = 0; // here
x[g] += in[t]; // here`,
		mend:   [2]string{"x[g] += in[t];", ""},
		hidden: []uint64{5, 7, 10, 12, 20},
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
		message: "race on x[0]: thread (1, 0, 0) and thread (0, 0, 0) of one simd-group write it at once",
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
if (lane == 0) sums[simd] = in[i] + 1; // here
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
	}, {
		name: "a loop that shifts an array in place", kind: driver.CheckRace,
		body: "if (t < 127) x[t] = x[t + 1] + 1; // here",
		mend: [2]string{"x[t + 1]", "in[t + 1]"},
	}, {
		name: "a stencil in place", kind: driver.CheckRace,
		body: `
for (uint k = 0; k < 2; k++) {
	uint sum = x[(t + 127) % 128] + x[(t + 1) % 128]; // here
	x[t] = sum + k; // here
	threadgroup_barrier(mem_flags::mem_device);
}`,
		mend: [2]string{"% 128];", "% 128]; threadgroup_barrier(mem_flags::mem_device);"},
	}, {
		name: "a stencil between two buffers that swap too early", kind: driver.CheckRace,
		body: `
device uint* from = x;
device uint* to = y;
for (uint k = 0; k < 3; k++) {
	to[t] = from[(t + 40) % 128] + 1; // here
	device uint* other = from;
	from = to;
	to = other;
}`,
		mend:    [2]string{"to = other;", "to = other; threadgroup_barrier(mem_flags::mem_device);"},
		message: "race on y[",
	}, {
		name: "an index that two threads compute alike", kind: driver.CheckRace,
		body: "x[(i * 7) % 96] = i; // here",
		mend: [2]string{"% 96", "% 128"},
	}, {
		name: "rows of a picture that is one too narrow", kind: driver.CheckRace,
		body: `
uint row = t / 32, column = t % 32;
x[row * 31 + column] = t; // here`,
		mend:    [2]string{"* 31", "* 32"},
		message: "race on x[31]: thread (32, 0, 0) writes it, and thread (31, 0, 0) writes it at",
	}, {
		name: "a transposed tile without a barrier", kind: driver.CheckRace,
		head: "struct Tile { uint row[16]; };",
		body: `
threadgroup Tile tile[8];
tile[t / 16].row[t % 16] = in[i] + t; // here
x[i] = tile[t % 8].row[t / 8]; // here`,
		mend:    [2]string{"+ t;", "+ t; " + fence},
		message: "race on tile[4].row[12]: thread (76, 0, 0) writes it, and thread (100, 0, 0) reads it at",
	}, {
		name: "two tiles in turn that begin with the same one", kind: driver.CheckRace,
		body: `
uint sum = 0;
for (uint k = 0; k < 4; k++) {
	threadgroup uint* tile = s + k / 2 % 2 * 128;
	tile[t] = in[t] + k; // here
	threadgroup_barrier(mem_flags::mem_threadgroup);
	sum += tile[127 - t]; // here
}
x[i] = sum;`,
		mend: [2]string{"k / 2 % 2", "k % 2"},
	}, {
		name: "a halo that is loaded behind the barrier", kind: driver.CheckRace,
		body: `
s[t + 1] = in[i];
threadgroup_barrier(mem_flags::mem_threadgroup);
if (t == 0) s[0] = s[129] = 7; // here
x[i] = s[t] + s[t + 2]; // here`,
		mend: [2]string{"= 7;", "= 7; " + fence},
	}, {
		name: "a sort that exchanges without barriers", kind: driver.CheckRace,
		body: `
s[t] = 128 - t;
threadgroup_barrier(mem_flags::mem_threadgroup);
for (uint k = 0; k < 4; k++) {
	uint other = t ^ 64 >> k;
	uint mine = s[t], its = s[other]; // here
	threadgroup_barrier(mem_flags::mem_none);
	s[t] = t < other ? min(mine, its) : max(mine, its); // here
	threadgroup_barrier(mem_flags::mem_threadgroup);
}
x[i] = s[t];`,
		mend: [2]string{"mem_none", "mem_threadgroup"},
	}, {
		name: "counters that are cleared while others count", kind: driver.CheckRace,
		body: `
threadgroup atomic_uint* bins = (threadgroup atomic_uint*)s;
if (t < 16) s[t] = 0; // here
atomic_fetch_add_explicit(&bins[t % 16], 1, memory_order_relaxed); // here
threadgroup_barrier(mem_flags::mem_threadgroup);
if (t < 16) x[t] = s[t];`,
		mend:    [2]string{"= 0;", "= 0; " + fence},
		message: "writes it atomically",
	}, {
		name: "counters that are read before all have counted", kind: driver.CheckRace,
		body: `
threadgroup atomic_uint* bins = (threadgroup atomic_uint*)s;
if (t < 16) s[t] = 0;
threadgroup_barrier(mem_flags::mem_threadgroup);
atomic_fetch_add_explicit(&bins[t % 16], 1, memory_order_relaxed); // here
if (t < 16) x[t] = s[t]; // here`,
		mend: [2]string{"memory_order_relaxed);", "memory_order_relaxed); " + fence},
	}, {
		name: "a list that threads append to", kind: driver.CheckRace, groups: 2,
		body: `
if (lane == 0) {
	uint n = x[0]++; // here
	y[i] = n;
}`,
		mend: [2]string{"x[0]++", "atomic_fetch_add_explicit(&a[0], 1, memory_order_relaxed)"},
	}, {
		name: "half of an atomic pair", kind: driver.CheckRace, groups: 2,
		body: `
if (lane == 0) {
	atomic_fetch_max_explicit(&a[0], i, memory_order_relaxed);
	device uint* where = (device uint*)a;
	where[1] = i; // here
}`,
		mend: [2]string{"where[1] = i", "atomic_store_explicit(&a[1], i, memory_order_relaxed)"},
	}, {
		name: "a message without fences", kind: driver.CheckRace, groups: 2,
		body: `
if (g == 0 && t == 0) {
	x[5] = 42; // here
	atomic_store_explicit(&a[0], 1, memory_order_relaxed);
}
if (g == 1 && t == 0) {
	uint there = atomic_load_explicit(&a[0], memory_order_relaxed);
	y[0] = there < 2 ? x[5] : 0; // here
}`,
		mend: [2]string{"there < 2", "there > 2"},
	}, {
		name: "a fence for other memory", kind: driver.CheckRace, groups: 3,
		body: `
threadgroup uint last[1];
x[i] = in[i] + 1; // here
threadgroup_barrier(mem_flags::mem_device);
if (t == 0) {
	atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_device);
	uint n = atomic_fetch_add_explicit(&a[0], 1, memory_order_relaxed);
	atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
	last[0] = n == 2;
}
threadgroup_barrier(mem_flags::mem_threadgroup);
if (last[0]) y[t] = x[t] + x[128 + t] + x[256 + t]; // here`,
		mend: [2]string{"mem_flags::mem_threadgroup, memory", "mem_flags::mem_device, memory"},
	}, {
		name: "results of other threadgroups, which are there only sometimes", kind: driver.CheckRace, groups: 4,
		body: `
if (t == 0) {
	x[g] = g + 1; // here
	uint sum = 0;
	for (uint k = 0; k <= g; k++) sum += x[k]; // here
	y[g] = sum;
}`,
		mend: [2]string{"sum += x[k]", "sum += k + 1"},
	}, {
		name: "threadgroups that overlap by one element", kind: driver.CheckRace, groups: 3,
		body: `
x[127 * g + t] = i; // here`,
		mend:    [2]string{"127 * g", "128 * g"},
		message: ": nothing orders threadgroups of one dispatch",
	}, {
		name: "a total that each threadgroup adds to", kind: driver.CheckRace, groups: 2,
		body: `
uint sum = simd_sum(in[i] + 1);
if (lane == 0) s[simd] = sum;
threadgroup_barrier(mem_flags::mem_threadgroup);
if (t == 0) x[0] += s[0] + s[1] + s[2] + s[3]; // here`,
		mend: [2]string{"x[0] +=", "x[g] +="},
	}, {
		name: "three components in the place of four", kind: driver.CheckRace,
		body: `
device packed_float3* v = (device packed_float3*)(x + 2 * i);
*v = float3(1, 2, 3); // here`,
		mend: [2]string{"2 * i", "3 * i"},
	}, {
		name: "a component of a vector that another thread stores", kind: driver.CheckRace,
		body: `
device float4* v = (device float4*)x;
v[i] = float4(i); // here
v[(i + 64) % 128].y = 2; // here`,
		mend: [2]string{"(i + 64) % 128", "i"},
	}, {
		name: "a swizzle over a neighbour's components", kind: driver.CheckRaceSimdgroup,
		body: `
threadgroup float4* v = (threadgroup float4*)s;
if (t & 1) v[t / 2].xz = float2(t); // here
else v[t / 2].zw = float2(t); // here`,
		mend: [2]string{"].zw = float2(t)", "].yw = float2(t)"},
	}, {
		name: "halves of a word, where one is a float", kind: driver.CheckRace,
		body: `
device half* h = (device half*)x;
h[2 * i] = 1.5h; // here
if (t == 0) x[64] = 7; // here`,
		mend: [2]string{"x[64]", "x[640]"},
	}, {
		name: "a flag of one byte beside others", kind: driver.CheckRace,
		body: `
threadgroup bool* seen = (threadgroup bool*)s;
seen[t] = true; // here
if (t > 0 && t % 32 == 0) seen[t - 1] = false; // here`,
		mend: [2]string{"seen[t - 1]", "seen[t]"},
	}, {
		name: "long words over a pair of short ones", kind: driver.CheckRace,
		body: `
device ulong* wide = (device ulong*)x;
wide[t] = t; // here
if (t == 0) x[65] = 1; // here`,
		mend: [2]string{"x[65]", "x[650]"},
	}, {
		name: "an array in a struct, copied while it changes", kind: driver.CheckRace,
		head: "struct Row { uint v[4]; uint n; };",
		body: `
device Row* rows = (device Row*)x;
rows[t].v[t % 4] = t; // here
Row other = rows[(t + 32) % 128]; // here
y[i] = other.v[0];`,
		mend: [2]string{"(t + 32) % 128", "t"},
	}, {
		name: "columns of a matrix", kind: driver.CheckRace,
		body: `
threadgroup float2x2* m = (threadgroup float2x2*)s;
m[t / 2][0] = float2(t); // here
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = m[t / 2][0].x;`,
		mend: [2]string{"m[t / 2][0] = ", "m[t / 2][t % 2] = "},
	}, {
		name: "a matrix that is stored over others' elements", kind: driver.CheckRace,
		body: `
simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8>(2.0f);
threadgroup float* f = (threadgroup float*)s;
f[t] = 1;
simdgroup_store(m, f + 128 + 8 * simd, 16); // here
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = f[t];`,
		mend: [2]string{"f + 128 + 8 * simd, 16", "f + 128 + 8 * simd, 32"},
	}, {
		name: "a matrix that is loaded from what others still store", kind: driver.CheckRace,
		body: `
threadgroup half* h = (threadgroup half*)s;
h[t] = half(t); // here
simdgroup_barrier(mem_flags::mem_threadgroup);
simdgroup_half8x8 m;
simdgroup_load(m, h, 16, ulong2(0, 0), true); // here
simdgroup_store(m, (device half*)x + 64 * simd, 8);`,
		mend: [2]string{"simdgroup_barrier", "threadgroup_barrier"},
	}, {
		name: "a variable of the threadgroup for what is a thread's", kind: driver.CheckRace,
		body: `
threadgroup uint square;
square = t * t; // here
x[i] = square; // here`,
		mend:    [2]string{"threadgroup uint square", "uint square"},
		message: "race on square: ",
	}, {
		name: "what thread 0 alone has computed", kind: driver.CheckRace,
		body: `
threadgroup float scale;
if (t == 0) scale = 0.5f; // here
y[i] = scale * in[i]; // here`,
		mend:    [2]string{"0.5f;", "0.5f; " + fence},
		message: "race on scale: ",
	}, {
		name: "a pointer of either of two buffers", kind: driver.CheckRace,
		body: `
device uint* p = t < 64 ? x : y;
p[t % 64] = t; // here
if (t < 64) y[t] = 1; // here`,
		mend: [2]string{"y[t] = 1", "y[t + 64] = 1"},
	}, {
		name: "a lane that writes and others that read", kind: driver.CheckRaceSimdgroup,
		body: `
if (lane == 0) s[simd] = in[i] + 5; // here
x[i] = s[simd]; // here`,
		mend: [2]string{"+ 5;", "+ 5; simdgroup_barrier(mem_flags::mem_threadgroup);"},
	}, {
		name: "lanes that take turns with one element", kind: driver.CheckRaceSimdgroup,
		body: `
for (uint k = 0; k < 4; k++) {
	if (lane == k) s[simd] = k; // here
}`,
		mend: [2]string{"s[simd]", "s[4 * simd + k]"},
	}, {
		name: "a matrix that is stored and read by lanes", kind: driver.CheckRaceSimdgroup,
		body: `
simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8>(3.0f);
threadgroup float* f = (threadgroup float*)s + 64 * simd;
simdgroup_store(m, f, 8); // here
y[i] = f[lane]; // here`,
		mend: [2]string{"f, 8);", "f, 8); simdgroup_barrier(mem_flags::mem_threadgroup);"},
	}, {
		name: "bytes that lanes compact", kind: driver.CheckRaceSimdgroup,
		body: `
threadgroup uchar* bytes = (threadgroup uchar*)s + 32 * simd;
bytes[lane] = uchar(t); // here
uchar even = lane < 16 ? bytes[2 * lane] : 0; // here
x[i] = even;`,
		mend: [2]string{"uchar(t);", "uchar(t); simdgroup_barrier(mem_flags::mem_threadgroup);"},
	}, {
		name: "a prefix sum that trusts lockstep", kind: driver.CheckRaceSimdgroup,
		body: `
threadgroup uint* row = s + 32 * simd;
row[lane] = in[i] + 1;
simdgroup_barrier(mem_flags::mem_threadgroup);
for (uint n = 1; n < 32; n *= 2) {
	uint v = lane >= n ? row[lane - n] : 0; // here
	row[lane] += v; // here
	simdgroup_barrier(mem_flags::mem_threadgroup);
}
x[i] = row[lane];`,
		mend: [2]string{": 0;", ": 0; simdgroup_barrier(mem_flags::mem_threadgroup);"},
	},
}
