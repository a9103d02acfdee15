// Functions that call themselves.
#include <metal_stdlib>
using namespace metal;

static uint odd(uint n, thread uint& calls);
static uint even(uint n, thread uint& calls) {
	uint a[2] = {n, 1};
	calls++;
	return n == 0 ? a[1] : odd(n - 1, calls);
}
static uint odd(uint n, thread uint& calls) {
	if (n == 0)
		return 0;
	return even(n - 1, calls);
}

kernel void test(device uint* x, uint i [[thread_position_in_grid]]) {
	uint calls = 0;
	x[i] = even(i, calls) + calls;
}
