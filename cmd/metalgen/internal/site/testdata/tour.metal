// A tour of what a page can show.
#include <metal_stdlib>
using namespace metal;

constant bool has_mask [[function_constant(0)]]; // whether there is a mask
constant uint width_of [[function_constant(1)]];
constant uint tile = is_function_constant_defined(width_of) ? width_of : 16;

enum class Mode : uint { Fast = 1, Exact = 2 }; // how

struct Flags {
    uint kind : 3;   // what it is
    uint on : 1;
    uint level : 12;
    uint rest : 16;
};

union Word { float f; uint u; uchar4 bytes; ushort halves[2]; };

/// Blocks of weights, four bits each.
struct block_q4 {
    half d;          // scale
    uchar qs[16];    // two weights a byte
};

struct Params {
    uchar mode;         // of work
    float3 origin;      // where it begins
    ulong stride;       // bytes from row to row
    float4x4 view;
    uint ne[4];         // sizes
    Word word;
    Flags flags;
    float table[64];
    char last;
};

/// Copies `a` to `b`:
/// - in order
/// - without a copy of its own
// metalgen:grid (p.ne[0], p.ne[1], p.ne[2])
// metalgen:threads (8, 4, 2)
kernel void tour(
    device const block_q4* blocks [[buffer(0)]], // [p.ne[0] * p.ne[1]] the weights
    device float* out [[buffer(1)]],
    constant Params& p [[buffer(2)]],
    device const float* mask [[buffer(3), function_constant(has_mask)]],
    texture2d<half, access::write> img [[texture(0)]],
    array<texture2d<float>, 4> maps [[texture(1)]],
    sampler s [[sampler(0)]],
    threadgroup float4* tmp [[threadgroup(0)]],
    uint3 at [[thread_position_in_grid]]) {
    out[at.x] = tile;
}

/// Divides rows by their root mean square.
// metalgen:threadgroups (rows, 1, 1)
// metalgen:threads (256, 1, 1)
template <typename T, int N>
kernel void rms_norm(
    device const T* x,      // [rows, dim]
    device T* y,            // [rows, dim]
    constant uint& rows, constant uint& dim, constant float& eps,
    uint row [[threadgroup_position_in_grid]]) { }

template [[host_name("rms_norm_f32")]]  kernel void rms_norm<float, 4>(device const float*, device float*, constant uint&, constant uint&, constant float&, uint);
template [[host_name("rms_norm_f16")]]  kernel void rms_norm<half, 8>(device const half*, device half*, constant uint&, constant uint&, constant float&, uint);

#define UNARY(NAME, OP) kernel void NAME(device float* x [[buffer(0)]], constant uint& n [[buffer(1)]], uint i [[thread_position_in_grid]]) { if (i < n) x[i] = OP(x[i]); }
UNARY(cosine, cos)
UNARY(sine, sin)
// metalgen:grid (nx, ny, 1)
kernel void small(device float* x, constant uint& nx, constant uint& ny, uint2 at [[thread_position_in_grid]]) { x[at.x] = at.y; }
// metalgen:threadgroups (100, 40, 2)
// metalgen:threads (16, 16, 1)
kernel void fixed_grid(device float* x, uint2 at [[threadgroup_position_in_grid]]) { x[at.x] = at.y; }
