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

// The same for rows that all have as many elements, which lie side by side by their position in a row.
kernel void spmv_ell(device const float* values, device const uint* columns, device const float* x, device float* out,
		VALUE(uint) rows, VALUE(uint) width THREADS) {
	const uint row = IN_GRID(x);
	if (row >= rows) return;
	float sum = 0;
	for (uint k = 0; k < width; k++) sum += values[k * rows + row] * x[columns[k * rows + row]];
	out[row] = sum;
}

// One level of a breadth-first search: the nodes that an edge leads to from the frontier and that were not visited.
kernel void bfs(device const uint* starts, device const uint* edges, device const uchar* frontier,
		device const uchar* visited, device uchar* next, VALUE(uint) nodes THREADS) {
	const uint node = IN_GRID(x);
	if (node >= nodes || !frontier[node]) return;
	for (uint i = starts[node]; i < starts[node + 1]; i++) {
		const uint to = edges[i];
		if (!visited[to]) next[to] = 1;
	}
}

// The forces of Lennard and Jones on atoms, from lists of their neighbours.
kernel void md(device const float4* positions, device const uint* neighbours, device float4* forces,
		VALUE(uint) atoms, VALUE(uint) count, VALUE(float) cutoff THREADS) {
	const uint i = IN_GRID(x);
	if (i >= atoms) return;
	const float4 at = positions[i];
	float fx = 0, fy = 0, fz = 0;
	for (uint k = 0; k < count; k++) {
		const float4 other = positions[neighbours[k * atoms + i]];
		const float dx = at.x - other.x, dy = at.y - other.y, dz = at.z - other.z;
		const float squared = dx * dx + dy * dy + dz * dz;
		if (squared < cutoff) {
			const float r2 = 1.0f / squared, r6 = r2 * r2 * r2;
			const float force = r2 * r6 * (1.5f * r6 - 2.0f);
			fx += dx * force;
			fy += dy * force;
			fz += dz * force;
		}
	}
	forces[i] = float4(fx, fy, fz, 0.0f);
}
