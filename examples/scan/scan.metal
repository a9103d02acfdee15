/// Prefix sums of any length, and what they are good for: keeping some elements of many.
#include <metal_stdlib>
using namespace metal;

constant constexpr uint THREADS = 256;       // of a threadgroup
constant constexpr uint BLOCK = 4 * THREADS; // elements that a threadgroup scans, four a thread

/// Sums the elements before each one, within blocks of BLOCK elements, and whole blocks. The sums may take the place of
/// the elements.
// metalgen:threadgroups (ceil_div(n, BLOCK), 1, 1)
// metalgen:threads (THREADS, 1, 1)
kernel void scan_blocks(
    device const uint* elements, // [n]
    device uint* before,         // [n] sums within blocks
    device uint* sums,           // [ceil_div(n, BLOCK)] of the blocks
    constant uint& n,
    uint block [[threadgroup_position_in_grid]],
    uint id [[thread_position_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]],
    uint group [[simdgroup_index_in_threadgroup]]) {
    // Each thread sums its own elements,
    const uint first = block * BLOCK + 4 * id;
    uint4 mine = 0;
    for (uint i = 0; i < 4; i++) {
        if (first + i < n) mine[i] = elements[first + i];
    }
    const uint sum = mine[0] + mine[1] + mine[2] + mine[3];

    // each simd-group the sums of its threads,
    uint offset = simd_prefix_exclusive_sum(sum);
    threadgroup uint groups[THREADS / 32];
    if (lane == 31) groups[group] = offset + sum;
    threadgroup_barrier(mem_flags::mem_threadgroup);

    // and each thread those of the simd-groups before its own.
    for (uint g = 0; g < group; g++) offset += groups[g];
    if (id == THREADS - 1) sums[block] = offset + sum;

    for (uint i = 0; i < 4; i++) {
        if (first + i < n) before[first + i] = offset;
        offset += mine[i];
    }
}

/// Adds the sum of all blocks before its own to each sum within a block.
kernel void add_sums(
    device uint* before,     // [n]
    device const uint* sums, // [ceil_div(n, BLOCK)] of all blocks before each
    constant uint& n,
    uint i [[thread_position_in_grid]]) {
    if (i < n) before[i] += sums[i / BLOCK];
}

/// Writes a 1 for each number that is a prime, and a 0 for the others.
kernel void mark_primes(
    device uint* marks, // [n] of 0, 1, 2 ...
    constant uint& n,
    uint i [[thread_position_in_grid]]) {
    if (i >= n) return;
    bool prime = i == 2 || (i > 2 && i % 2 == 1);
    for (uint d = 3; prime && d <= i / d; d += 2) prime = i % d != 0;
    marks[i] = prime;
}

/// Keeps the numbers that have a 1, in their order. The sum of the ones before each says where it goes.
kernel void keep(
    device const uint* marks,  // [n] of 0, 1, 2 ...
    device const uint* before, // [n] ones before each
    device uint* kept,         // [n] at most
    constant uint& n,
    uint i [[thread_position_in_grid]]) {
    if (i < n && marks[i] != 0) kept[before[i]] = i;
}
