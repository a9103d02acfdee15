// The kernels that TestCardSpeed measures, by the same algorithms in CUDA C++: nvcc -O3 -arch=native card.cu -o peers.
// It prints a line for each: its name, and microseconds a launch.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#define CHECK(call) check(call, #call)

void check(cudaError_t e, const char* call) {
    if (e == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(e));
    exit(1);
}

__device__ float silu(float x) { return x / (1.0f + expf(-x)); }

__global__ void swiglu(const float* gate, const float* up, float* out, unsigned dim) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < dim) out[i] = silu(gate[i]) * up[i];
}

__global__ void swiglu4(const float4* gate, const float4* up, float4* out, unsigned dim) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= dim / 4) return;
    float4 g = gate[i], u = up[i];
    out[i] = make_float4(silu(g.x) * u.x, silu(g.y) * u.y, silu(g.z) * u.z, silu(g.w) * u.w);
}

__device__ float treeSum(float value, float* scratch, unsigned tid, unsigned n) {
    scratch[tid] = value;
    __syncthreads();
    for (unsigned live = n; live > 1;) {
        unsigned keep = live / 2 + live % 2;
        if (tid < live - keep) scratch[tid] += scratch[tid + keep];
        __syncthreads();
        live = keep;
    }
    float total = scratch[0];
    __syncthreads();
    return total;
}

__global__ void normAdd(const float* residual, const float* input, const float* weight, float* output, unsigned dim,
                        unsigned rows, float eps) {
    extern __shared__ float shared[];
    if (blockIdx.x >= rows) return;
    size_t base = size_t(blockIdx.x) * dim;
    float sum = 0;
    for (unsigned i = threadIdx.x; i < dim; i += blockDim.x) {
        float v = input[base + i];
        sum += v * v;
    }
    sum = treeSum(sum, shared, threadIdx.x, blockDim.x);
    float scale = rsqrtf(sum / float(dim) + eps);
    for (unsigned i = threadIdx.x; i < dim; i += blockDim.x)
        output[base + i] = residual[base + i] + input[base + i] * scale * weight[i];
}

__device__ float warpSum(float v) {
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);
    return v;
}

__device__ float warpMax(float v) {
    for (int o = 16; o > 0; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
    return v;
}

__global__ void softmax(float* scores, unsigned length, unsigned stride) {
    __shared__ float partial[128];
    float* row = scores + size_t(blockIdx.x) * stride;
    unsigned n = min(length, stride), lane = threadIdx.x % 32, group = threadIdx.x / 32, groups = blockDim.x / 32;
    float largest = -3.4e38f;
    for (unsigned p = threadIdx.x; p < n; p += blockDim.x) largest = fmaxf(largest, row[p]);
    largest = warpMax(largest);
    if (lane == 0) partial[group] = largest;
    __syncthreads();
    largest = partial[0];
    for (unsigned g = 1; g < groups; g++) largest = fmaxf(largest, partial[g]);
    __syncthreads();
    float sum = 0;
    for (unsigned p = threadIdx.x; p < n; p += blockDim.x) {
        float e = expf(row[p] - largest);
        row[p] = e;
        sum += e;
    }
    sum = warpSum(sum);
    if (lane == 0) partial[group] = sum;
    __syncthreads();
    sum = 0;
    for (unsigned g = 0; g < groups; g++) sum += partial[g];
    __syncthreads();
    float factor = sum > 0 ? 1 / sum : 0;
    for (unsigned p = threadIdx.x; p < n; p += blockDim.x) row[p] *= factor;
}

__device__ float bf16(uint16_t bits) { return __uint_as_float(unsigned(bits) << 16); }

__device__ float dot4(unsigned w, const float* x) {
    return float(w & 15) * x[0] + float(w >> 4 & 15) * x[1] + float(w >> 8 & 15) * x[2] + float(w >> 12 & 15) * x[3];
}

__global__ void matvec4bit(const uint32_t* words, const uint16_t* scales, const uint16_t* biases, const float* x,
                           float* out, unsigned outDim, unsigned inDim, unsigned groupSize) {
    __shared__ float tile[4096];
    unsigned lane = threadIdx.x % 32, group = threadIdx.x / 32;
    size_t row = size_t(blockIdx.x) * 8 + group, groups = (inDim + groupSize - 1) / groupSize;
    bool active = group < 8 && row < outDim;
    words += row * (inDim / 8), scales += row * groups, biases += row * groups;
    float sum = 0;
    for (unsigned start = 0; start < inDim; start += 4096) {
        unsigned count = min(4096u, inDim - start);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) tile[i] = x[start + i];
        __syncthreads();
        unsigned n = active ? count / 8 : 0;
        for (unsigned i = lane; i < n; i += 32) {
            unsigned at = start + 8 * i, w = words[at / 8], g = at / groupSize;
            const float* t = tile + 8 * i;
            float q = dot4(w, t) + dot4(w >> 16, t + 4);
            float s = ((t[0] + t[4]) + (t[1] + t[5])) + ((t[2] + t[6]) + (t[3] + t[7]));
            sum += fmaf(bf16(scales[g]), q, bf16(biases[g]) * s);
        }
    }
    sum = warpSum(sum);
    if (active && lane == 0) out[row] = sum;
}

const int BM = 64, BN = 64, BK = 16, THREADS = 256;

template <int ROWS, int COLUMNS>
__device__ void fetch(float* tile, const float* matrix, uint2 size, uint2 at, int id) {
    for (int i = id; i < ROWS * COLUMNS; i += THREADS) {
        unsigned x = at.x + i % COLUMNS, y = at.y + i / COLUMNS;
        tile[i] = x < size.x && y < size.y ? matrix[size_t(y) * size.x + x] : 0.0f;
    }
}

__global__ void gemmThreads(const float* a, const float* b, float* c, unsigned m, unsigned n, unsigned k) {
    __shared__ float tileA[BM * BK], tileB[BK * BN], tileC[BM * BN];
    int id = threadIdx.x, r = id / (BN / 4) * 4, col = id % (BN / 4) * 4;
    unsigned row = blockIdx.y * BM, column = blockIdx.x * BN;
    float sums[4][4] = {};
    for (unsigned step = 0; step < k; step += BK) {
        fetch<BM, BK>(tileA, a, make_uint2(k, m), make_uint2(step, row), id);
        fetch<BK, BN>(tileB, b, make_uint2(n, k), make_uint2(column, step), id);
        __syncthreads();
        const float *x = tileA + r * BK, *y = tileB + col;
        for (int i = 0; i < BK; i++, y += BN) {
            float4 v = make_float4(y[0], y[1], y[2], y[3]);
            for (int j = 0; j < 4; j++) {
                float s = x[j * BK + i];
                sums[j][0] += s * v.x, sums[j][1] += s * v.y, sums[j][2] += s * v.z, sums[j][3] += s * v.w;
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) tileC[(r + i) * BN + col + j] = sums[i][j];
    __syncthreads();
    for (int i = id; i < BM * BN; i += THREADS) {
        unsigned y = row + i / BN, x = column + i % BN;
        if (y < m && x < n) c[size_t(y) * n + x] = tileC[i];
    }
}

template <typename T> T* device(size_t n, bool floats) {
    std::vector<T> host(n);
    uint32_t state = 1;
    for (auto& v : host) {
        state = state * 1664525 + 1013904223;
        v = floats ? T(float(state >> 8) / (1 << 23) - 1) : T(state >> 8);
    }
    T* p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    CHECK(cudaMemcpy(p, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    return p;
}

void measure(const char* name, std::function<void()> launch) {
    cudaEvent_t from, to;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    for (int i = 0; i < 5; i++) launch();
    float best = 1e9;
    for (int turn = 0; turn < 7; turn++) {
        const int runs = 20;
        CHECK(cudaEventRecord(from));
        for (int i = 0; i < runs; i++) launch();
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, from, to));
        best = std::min(best, ms * 1000 / runs);
    }
    CHECK(cudaGetLastError());
    printf("%s %.2f\n", name, best);
}

int main() {
    const unsigned n = 32 << 20, rows = 8192, dim = 4096, out = 28672, in = 8192, side = 4096;
    float *x = device<float>(n, true), *y = device<float>(n, true), *z = device<float>(n, true);
    measure("copy", [&] { CHECK(cudaMemcpyAsync(z, x, n * sizeof(float), cudaMemcpyDeviceToDevice)); });
    measure("swiglu_fused", [&] { swiglu<<<n / 256, 256>>>(x, y, z, n); });
    measure("swiglu_fused_vec4", [&] { swiglu4<<<n / 4 / 256, 256>>>((float4*)x, (float4*)y, (float4*)z, n); });
    measure("fused_norm_add_f32", [&] { normAdd<<<rows, 256, 1024>>>(x, y, x, z, dim, rows, 1e-6f); });
    measure("attn_softmax_batched", [&] { softmax<<<rows, 256>>>(z, dim, dim); });
    uint32_t* words = device<uint32_t>(size_t(out) * in / 8, false);
    uint16_t* scales = device<uint16_t>(size_t(out) * in / 64, false);
    uint16_t* biases = device<uint16_t>(size_t(out) * in / 64, false);
    measure("dequant_matvec_4bit_v3", [&] { matvec4bit<<<out / 8, 256>>>(words, scales, biases, x, z, out, in, 64); });
    dim3 grid(side / BN, side / BM);
    measure("gemm_threads_64_f32", [&] { gemmThreads<<<grid, THREADS>>>(x, y, z, side, side, side); });
}
