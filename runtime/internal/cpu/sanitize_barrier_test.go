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
		name: "a loop of which lanes break out", kind: driver.CheckBarrier,
		body: `
for (uint k = 0; k < 4; k++) { // here
	if (k * 40 > t) break;
	threadgroup_barrier(mem_flags::mem_threadgroup); // here
}`,
		mend: [2]string{"k * 40 > t", "k > 2"},
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
	},
}
