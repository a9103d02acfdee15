// Memory that is read by indexes: sparse matrices, graphs, lists of neighbours.

#include "prelude.h"

// One thread a row of a matrix in compressed rows.
kernel void spmv_csr(device const float* values, device const uint* columns, device const uint* starts,
		device const float* x, device float* out, VALUE(uint) rows THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	float sum = 0;
	for (uint i = starts[row]; i < starts[row + 1]; i++) sum += values[i] * x[columns[i]];
	out[row] = sum;
}
