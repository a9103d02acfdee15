// If, loops, switch, && and ||, calls.
#include <metal_stdlib>
using namespace metal;

static uint smaller(uint a, uint b) {
	if (a < b)
		return a;
	return b;
}

kernel void branches(device uint* x, constant uint& n, uint i [[thread_position_in_grid]]) {
	if (i >= n || x[i] == 0 && n > 4)
		return;
	if (true)
		x[i] = smaller(x[i], i > 3 ? n : x[0]);
	else
		x[i] = 1;
}

kernel void loops(device uint* x, uint i [[thread_position_in_grid]]) {
	uint sum = 0;
	for (uint k = 0; k < i; k++) {
		if (x[k] == 1)
			continue;
		if (x[k] == 2)
			break;
		sum += x[k];
	}
	do
		sum /= 2;
	while (sum > 10);
	for (;;)
		if (sum++ > 20)
			break;
	x[i] = sum;
}

kernel void cases(device int* x, uint i [[thread_position_in_grid]]) {
	int y;
	switch (x[i]) {
	case -1:
	case 1:
		y = 2;
	case 2:
		y += 3;
		break;
	case 3:
		return;
	}
	x[i] = y;
}

static float falls(float v) {
	if (v > 0)
		return 1;
}

static float always(float v) {
	for (;;)
		v++;
}

kernel void ends(device float* x) {
	x[0] = falls(x[0]);
	if (x[0] > 2)
		x[0] = always(1);
}
