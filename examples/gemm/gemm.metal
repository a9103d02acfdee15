/// Products of matrices, by tiles in threadgroup memory.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

constant constexpr int BK = 16; // columns of a tile of a, and rows of one of b

/// A tile of a product: each thread has 4 x 4 elements in registers.
template <int BM, int BN>
struct ByThreads {
    int row, column; // of the first of these elements
    float4 sums[4];

    ByThreads(int id) : row(id / (BN / 4) * 4), column(id % (BN / 4) * 4) {
        for (int i = 0; i < 4; i++) sums[i] = 0;
    }

    /// Adds the product of two tiles.
    template <typename T>
    void add(threadgroup const T* a, threadgroup const T* b) thread {
        a += row * BK;
        b += column;
        for (int k = 0; k < BK; k++, b += BN) {
            const float4 y = float4(b[0], b[1], b[2], b[3]);
            for (int i = 0; i < 4; i++) sums[i] += float(a[i * BK + k]) * y;
        }
    }

    void store(threadgroup float* c) const thread {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) c[(row + i) * BN + column + j] = sums[i][j];
        }
    }
};

/// A tile of a product: each simd-group has 4 x 4 matrices of 8 x 8 elements.
template <int BM, int BN>
struct BySimdgroups {
    int row, column; // of the first element of these matrices
    simdgroup_float8x8 sums[4][4];

    BySimdgroups(int id) : row(id / 32 / (BN / 32) * 32), column(id / 32 % (BN / 32) * 32) {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) sums[i][j] = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
        }
    }

    /// Adds the product of two tiles.
    template <typename T>
    void add(threadgroup const T* a, threadgroup const T* b) thread {
        for (int k = 0; k < BK; k += 8) {
            simdgroup_matrix<T, 8, 8> x[4], y[4];
            for (int i = 0; i < 4; i++) {
                simdgroup_load(x[i], a + (row + 8 * i) * BK + k, BK);
                simdgroup_load(y[i], b + k * BN + column + 8 * i, BN);
            }
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 4; j++) simdgroup_multiply_accumulate(sums[i][j], x[i], y[j], sums[i][j]);
            }
        }
    }

    void store(threadgroup float* c) const thread {
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++) simdgroup_store(sums[i][j], c + (row + 8 * i) * BN + column + 8 * j, BN);
        }
    }
};

/// Fetches a tile of a matrix, with zeros where the tile goes beyond it.
template <int ROWS, int COLUMNS, int THREADS, typename T>
void fetch(threadgroup T* tile, device const T* matrix, uint2 size, uint2 at, int id) {
    for (int i = id; i < ROWS * COLUMNS; i += THREADS) {
        const uint2 from = at + uint2(i % COLUMNS, i / COLUMNS);
        tile[i] = all(from < size) ? matrix[size_t(from.y) * size.x + from.x] : T(0);
    }
}

/// Multiplies two matrices, whose elements are stored row by row.
///
/// A threadgroup computes a tile of BM x BN elements of the product, from tiles of a and b that it fetches to
/// threadgroup memory one after the other. It adds in floats, whatever T is.
// metalgen:threadgroups (ceil_div(n, BN), ceil_div(m, BM), 1)
// metalgen:threads (THREADS, 1, 1)
template <typename T, template <int, int> class Tile, int BM, int BN, int THREADS>
kernel void gemm(
    device const T* a, // [m, k]
    device const T* b, // [k, n]
    device T* c,       // [m, n]
    constant uint& m,
    constant uint& n,
    constant uint& k,
    uint2 group [[threadgroup_position_in_grid]],
    uint id [[thread_index_in_threadgroup]]) {
    threadgroup T tileA[BM * BK], tileB[BK * BN];
    threadgroup float tileC[BM * BN];
    const uint row = group.y * BM, column = group.x * BN;

    Tile<BM, BN> tile(id);
    for (uint step = 0; step < k; step += BK) {
        fetch<BM, BK, THREADS>(tileA, a, uint2(k, m), uint2(step, row), id);
        fetch<BK, BN, THREADS>(tileB, b, uint2(n, k), uint2(column, step), id);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        tile.add(tileA, tileB);
        threadgroup_barrier(mem_flags::mem_threadgroup); // before the next tiles take their place
    }

    tile.store(tileC);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (int i = id; i < BM * BN; i += THREADS) {
        const uint y = row + i / BN, x = column + i % BN;
        if (y < m && x < n) c[size_t(y) * n + x] = T(tileC[i]);
    }
}

#define INSTANCE(NAME, ...) template [[host_name(NAME)]] kernel decltype(gemm<__VA_ARGS__>) gemm<__VA_ARGS__>;

INSTANCE("gemm_threads_32_f32", float, ByThreads, 32, 32, 64)
INSTANCE("gemm_threads_32_f16", half, ByThreads, 32, 32, 64)
INSTANCE("gemm_threads_64_f32", float, ByThreads, 64, 64, 256)
INSTANCE("gemm_threads_64_f16", half, ByThreads, 64, 64, 256)
INSTANCE("gemm_simdgroups_32_f32", float, BySimdgroups, 32, 32, 32)
INSTANCE("gemm_simdgroups_32_f16", half, BySimdgroups, 32, 32, 32)
INSTANCE("gemm_simdgroups_64_f32", float, BySimdgroups, 64, 64, 128)
INSTANCE("gemm_simdgroups_64_f16", half, BySimdgroups, 64, 64, 128)
