package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

var barrierPairs = []pair{
	{
		name: "half of the simd-groups return", kind: driver.CheckBarrier,
		body: `
s[t] = in[i];
if (t >= 64) return; // here
threadgroup_barrier(mem_flags::mem_threadgroup); // here
x[i] = s[t ^ 63];`,
		mend: [2]string{"if (t >= 64) return;", "if (in[0] == 1) return;"},
		message: "reach: thread (0, 0, 0) and 63 more did, and thread (64, 0, 0) and 63 more did not: " +
			"returned at test.metal:2:14",
	}, {
		name: "some lanes return", kind: driver.CheckBarrier,
		body: `
if (t == 7) return; // here
threadgroup_barrier(mem_flags::mem_none); // here`,
		mend:    [2]string{"return;", "x[0] = 1;"},
		message: "and thread (7, 0, 0) did not: returned",
	}, {
		name: "a barrier in a branch for some simd-groups", kind: driver.CheckBarrier,
		body: `
if (t < 64) // here
	threadgroup_barrier(mem_flags::mem_threadgroup); // here`,
		mend:    [2]string{"t < 64", "t < 128"},
		message: "did not: passed it by at test.metal:1:1",
	}, {
		name: "a barrier in a branch for some lanes", kind: driver.CheckBarrier,
		body: `
if (lane < 16) { // here
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
	x[i] = 1;
}`,
		mend: [2]string{"if (lane < 16) {", "{"},
	}, {
		name: "different barriers", kind: driver.CheckBarrier,
		body: `
if (simd == 0)
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
else
	threadgroup_barrier(mem_flags::mem_threadgroup); // here`,
		mend:    [2]string{"simd == 0", "simd < 4"},
		message: "waiting at another barrier at test.metal:4:2",
	}, {
		name: "loops of different rounds", kind: driver.CheckBarrier,
		body: `
for (uint k = 0; k < t / 32; k++) // here
	threadgroup_barrier(mem_flags::mem_threadgroup); // here`,
		mend:    [2]string{"t / 32", "4"},
		message: "out of the loop at test.metal:1:1",
	}, {
		name: "a loop that lanes break out of", kind: driver.CheckBarrier,
		body: `
for (uint k = 0; k < 4; k++) {
	if (k * 40 > t) break; // here
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
}`,
		mend:    [2]string{"k * 40 > t", "k > 2"},
		message: "thread (40, 0, 0) and 87 more did, and thread (0, 0, 0) and 39 more did not: broke out at test.metal:2:18",
	}, {
		name: "a return in a loop", kind: driver.CheckBarrier,
		body: `
for (uint k = 0; k < 4; k++) {
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
	if (in[t] == 0 && t == 65) return; // here
}`,
		mend: [2]string{"return", "x[0] = k"},
	}, {
		name: "a case of a switch", kind: driver.CheckBarrier,
		body: `
switch (simd) { // here
case 0: threadgroup_barrier(mem_flags::mem_threadgroup); break; // here
default: x[i] = 1;
}`,
		mend: [2]string{"switch (simd)", "switch (simd * 0)"},
	}, {
		name: "a barrier on one side of a condition", kind: driver.CheckBarrier,
		head: "bool sync() { threadgroup_barrier(mem_flags::mem_threadgroup); return true; }\n",
		body: `
bool both = t > 70 && sync(); // here
x[i] = both;`,
		mend: [2]string{"t > 70 && sync()", "sync() && t > 70"},
	}, {
		name: "a continue before the barrier", kind: driver.CheckBarrier,
		body: `
for (uint k = 0; k < 4; k++) {
	if (t == 50 + k) continue; // here
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
}`,
		mend:    [2]string{"continue;", "x[i] = k;"},
		message: "and thread (50, 0, 0) did not: continued at test.metal:2:19",
	}, {
		name: "simd-groups that meet in different rounds", kind: driver.CheckBarrier,
		body: `
for (uint k = 0; k < 4; k++) { // here
	if (k == simd) continue;
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
}`,
		mend:    [2]string{"k == simd", "k == 2"},
		message: "and thread (32, 0, 0) and 95 more did not: in another round of the loop at",
	}, {
		name: "an inner loop of other rounds", kind: driver.CheckBarrier,
		body: `
for (uint k = 0; k < 2; k++) {
	for (uint j = 0; j < 2 + simd * k; j++) { // here
		x[i] += j;
		threadgroup_barrier(mem_flags::mem_threadgroup); // here
	}
}`,
		mend:    [2]string{"2 + simd * k", "2 + k"},
		message: "and thread (0, 0, 0) and 31 more did not: out of the loop at test.metal:2:2",
	}, {
		name: "a function that some threads leave before its barrier", kind: driver.CheckBarrier,
		body: `
auto share = [&](uint v) {
	if (v == 7) return; // here
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
};
share(t);`,
		mend:    [2]string{"share(t)", "share(4)"},
		message: "thread (7, 0, 0) did not: returned at test.metal:2:14",
	}, {
		name: "a break out of a switch before its barrier", kind: driver.CheckBarrier,
		body: `
switch (in[0]) {
case 0:
	if (simd == 2) break; // here
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
}`,
		mend:    [2]string{"simd == 2", "simd == 4"},
		message: "thread (64, 0, 0) and 31 more did not: broke out at test.metal:3:17",
	}, {
		name: "the other branch of a branch", kind: driver.CheckBarrier,
		body: `
if (in[0] == 0) {
	if (simd != 1) { // here
		for (uint k = 0; k < 2; k++)
			threadgroup_barrier(mem_flags::mem_threadgroup); // here
	}
}`,
		mend:    [2]string{"simd != 1", "simd != 4"},
		message: "and thread (32, 0, 0) and 31 more did not: passed it by at test.metal:2:2",
	}, {
		name: "a ternary", kind: driver.CheckBarrier,
		head: "uint sync(uint v) { threadgroup_barrier(mem_flags::mem_threadgroup); return v; }\n",
		body: `
x[i] = t & 32 ? sync(t) : 0; // here`,
		mend: [2]string{"t & 32 ?", "in[0] == 0 ?"},
	}, {
		name: "a loop whose condition has the barrier", kind: driver.CheckBarrier,
		head: "bool next(uint k, uint n) { threadgroup_barrier(mem_flags::mem_threadgroup); return k < n; }\n",
		body: `
uint k = 0;
do k++; while (next(k, 1 + t / 64)); // here
x[i] = k;`,
		mend: [2]string{"1 + t / 64", "3"},
	}, {
		name: "the partial last simd-group", kind: driver.CheckBarrier,
		body: `
if (i + lane < 128) { // here
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
}`,
		mend: [2]string{"i + lane < 128", "i - lane < 128"},
	}, {
		name: "a barrier that one thread waits at", kind: driver.CheckBarrier,
		body: `
if (t == 0) { // here
	s[0] = in[0];
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
}
x[i] = t;`,
		mend:    [2]string{"threadgroup_barrier(mem_flags::mem_threadgroup)", "x[0] = 0"},
		message: "thread (0, 0, 0) did, and thread (1, 0, 0) and 126 more did not: passed it by",
	}, {
		name: "a loop that data ends", kind: driver.CheckBarrier,
		body: `
uint k = 0;
while (true) {
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
	k += 1 + in[i] + simd / 3;
	if (k >= 4) break; // here
}`,
		mend: [2]string{"simd / 3", "simd / 4"},
	},
}
