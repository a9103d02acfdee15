package msl

// bodyTest is the body of a kernel with what checking gives: statements or
// errors, one to a line.
type bodyTest struct{ name, body, want string }

var bodyTests = []bodyTest{
	{"element", `out[tid] = in[tid] * 2;`, `out[tid] = (in[tid] * 2:float)`},
	{"small integers", `uchar a = 1;
uchar b = a + a;
a += b;
a <<= 1;
short s = -a;`, `a<uchar> = 1:uchar
b<uchar> = uchar((int(a) + int(a)))
a += int(b) in int
a <<= 1:int in int
s<short> = short(-int(a))`},
	{"half", `half h = 1.5h;
half g = h * 2;
float f = h * 2.0f;
h += f;
h = h * h;
h *= 2.0f;`, `h<half> = 1.5:half
g<half> = (h * 2:half)
f<float> = (float(h) * 2:float)
h += f in float
h = (h * h)
h *= 2:float in float`},
	{"vectors", `float4 v = 1;
v = v * 2;
v *= in[0];
v += float4(1, v.xyz);
bool4 c = v < 0;
v = select(v, 1, c);`, `v<float4> = float4(1:float)
v = (v * float4(2:float))
v *= float4(in[0:int]) in float4
v += float4{1:float, v.xyz} in float4
c<bool4> = (v < float4(0:float)):bool4
v = metal::select(v, float4(1:float), c)`},
	{"vector operators", `char4 cc = char4(1);
cc = cc + cc;
cc = cc << 1;
uchar4 uc = uchar4(cc);
uint4 w = u4[tid] >> uint4(0, 8, 16, 24);
w = w >> 4;`, `cc<char4> = char4(1:char)
cc = (cc + cc)
cc = (cc << int4(1:int))
uc<uchar4> = uchar4(cc)
w<uint4> = (u4[tid] >> uint4{0:uint, 8:uint, 16:uint, 24:uint})
w = (w >> int4(4:int))`},
	{"packed vectors", `float3 x = p3[tid];
p3[tid] = x + p3[0];
p3[tid].x += 1;
p3[0] *= 2.0f;
float y = p3[0][1];`, `x<float3> = float3(p3[tid])
p3[tid] = packed_float3((x + float3(p3[0:int])))
p3[tid].x += 1:float in float
p3[0:int] *= float3(2:float) in float3
y<float> = p3[0:int][1:int]`},
	{"matrices", `float4x4 m = float4x4(1);
float4 r = m * float4(1);
m[0][1] = 2;
m[1] = r;
m = m * m;
m *= 2;
r = r * m;
m = transpose(m);
float d = determinant(m);
float2x3 n = float2x3(1,2,3,4,5,6);
float3x2 nt = transpose(n);
m = float4x4(r, r, r, r);`, `m<float4x4> = float4x4(1:float)
r<float4> = (m * float4(1:float)):float4
m[0:int][1:int] = 2:float
m[1:int] = r
m = (m * m)
m *= 2:float in float4x4
r = (r * m)
m = metal::transpose(m)
d<float> = metal::determinant(m):float
n<float2x3> = float2x3{float3{1:float, 2:float, 3:float}, float3{4:float, 5:float, 6:float}}
nt<float3x2> = metal::transpose(n):float3x2
m = float4x4{r, r, r, r}`},
	{"pointers", `device const float* a = in + tid;
a += 4;
a++;
++a;
float x = *a++;
x = a[-1];
x = *(a - 2);
long dist = a - in;
bool e = a < in + 3;
a = tid > 3 ? in : out;
if (a) {}
e = !a;
a = nullptr;
a = 0;
e = a == nullptr;`, `a<device const float*> = (in +p tid)
a += 4:int
a++
++a
x<float> = *a++
x = a[-1:int]
x = *(a -p 2:int)
dist<long> = (a p-p in)
e<bool> = (a < (in +p 3:int)):bool
a = ((tid > 3:uint):bool ? in : device const float*(out))
if bool(a) { }
e = !bool(a)
a = device const float*(0:ulong)
a = device const float*(0:ulong)
e = (a == device const float*(0:ulong)):bool`},
	{"arrays", `float arr[4] = {1, 2};
thread float* t = arr;
t = &arr[1];
*t = 3;
float s = first(arr) + first(in) + first(tg) + first(&arr[2]);
int n = sizeof(arr) / sizeof(arr[0]);`, `arr<float[4] addressed> = float[4]{1:float, 2:float}
t<thread float*> = decay(arr)
t = &arr[1:int]
*t = 3:float
s<float> = (((first(thread const float*(decay(arr))) + first(in)) + first(threadgroup const float*(tg))) + ` +
		`first(thread const float*(&arr[2:int])))
n<int> = 4:int`},
	{"structs", `P z = {1, 2, {3, 4}};
P zz = {};
Q qq = {float3(1), 2, 3, 4, 5, 6, 7};
Q q2{z, 4};
z = q[1].p;
q->i = 3;
q[0].h.x = z.w[2];
P m = make(3);
z = P{float3(1), 2};
z = P();`, `z<P> = P{float3(1:float), 2:uint, float[4]{3:float, 4:float}}
zz<P> = P{}
qq<Q> = Q{P{float3(1:float), 2:uint, float[4]{3:float, 4:float, 5:float, 6:float}}, 7:int}
q2<Q> = Q{z, 4:int}
z = q[1:int].p
*q.i = 3:int
q[0:int].h.x = half(z.w[2:int])
m<P> = make(3:uint)
z = P{float3(1:float), 2:uint}
z = P{}`},
	{"inferred arrays", `float arr[] = {1, 2, 3};
float grid[2][3] = {{1, 2, 3}, {4}};
float flat[2][2] = {1, 2, 3};
grid[1][2] = arr[0];`, `arr<float[3]> = float[3]{1:float, 2:float, 3:float}
grid<float[2][3]> = float[2][3]{float[3]{1:float, 2:float, 3:float}, float[3]{4:float}}
flat<float[2][2]> = float[2][2]{float[2]{1:float, 2:float}, float[2]{3:float}}
grid[1:int][2:int] = arr[0:int]`},
	{"local constants", `constexpr uint n = eight * 2;
const uint nn = n + 1;
float buf[n][nn];
buf[0][1] = n;
threadgroup float sh[n * 2];
sh[tid] = nn;
threadgroup float* sp = sh;`, `nn<const uint> = 17:uint
buf<float[16][17]>
buf[0:int][1:int] = 16:float
sh[tid] = float(nn)
sp<threadgroup float*> = decay(sh)`},
	{"program constants", `float f = table[tid] + third + eight + ones.x;
if (flag) f = 1;`, `f<float> = (((table[tid] + 0.33333334:float) + 8:float) + ones.x)
if flag f = 1:float`},
	{"enums", `E e = B;
int i = e + 1;
F fx = F::X;
if (fx == F::Y) i = int(fx);
e = E(3);
uint u = A;
switch (e) { case A: i = 1; break; case B: default: i = 2; }`, `e<E> = 5:E
i<int> = (int(e) + 1:int)
fx<F> = 0:F
if (fx == 1:F):bool i = int(fx)
e = 3:E
u<uint> = 0:uint
switch int(e) { case 0: i = 1:int; break; case 5 default: i = 2:int; }`},
	{"switch", `switch (tid) { case 0: case 1: out[0] = 1; case eight: { out[1] = 2; break; } default: break; }`,
		`switch tid { case 0 1: out[0:int] = 1:float; case 8: { out[1:int] = 2:float; break }; case default: break; }`},
	{"references", `float l = 1;
bump(l);
bump(l, 2);
thread float& rr = l;
rr = 2;
const float cl = l;
device float& o = out[tid];
o += 1;
auto ref = o;
auto& ar = o;
const auto pp = in;
auto* qqq = out;`, `l<float> = 1:float
bump(l, 1:float)
bump(l, 2:float)
rr<float&> = l
rr = 2:float
cl<const float> = l
o<device float&> = out[tid]
o += 1:float in float
ref<float> = o
ar<device float&> = o
pp<const device const float*> = in
qqq<device float*> = out`},
	{"sizes of variables", `float x[3];
float y[sizeof(x)];
using float4 = half;
float z[sizeof(ones)];
float4 w;`, `x<float[3]>
y<float[12]>
z<float[16]>
w<half>`},
	{"overloads", `float f = twice(1) + twice(1.0f) + twice(short(1));`,
		`f<float> = ((float(twice(1:int)) + twice(1:float)) + float(twice(1:int)))`},
	{"library overloads", `P z;
int i = ns::get(ns::S{1}) + ns::k;
i = max(i, z);
i = max(i, 3);
float f = max(1.0f, 2.5f);
uint m = min(tid, 4096u);
f = metal::fast::exp(f);
f = precise::sqrt(2);
f = fma(f, f, 1);`, `z<P>
i<int> = (ns::get(ns::S{1:int}) + 3:int)
i = max(i, z)
i = metal::max(i, 3:int)
f<float> = metal::max(1:float, 2.5:float)
m<uint> = metal::min(tid, 4096:uint)
f = metal::fast::exp(f)
f = metal::precise::sqrt(2:float)
f = metal::fma(f, f, 1:float)`},
	{"frexp and what else returns through references", `int i = 0;
float f = frexp(out[0], i);
float g;
f = modf(f, g);
f = sincos(f, g);
f = ldexp(f, 2);
int4 i4;
float4 v = frexp(float4(1), i4);`, `i<int> = 0:int
f<float> = metal::frexp(out[0:int], i)
g<float>
f = metal::modf(f, g)
f = metal::sincos(f, g)
f = metal::ldexp(f, 2:int)
i4<int4>
v<float4> = metal::frexp(float4(1:float), i4)`},
	{"barriers", `threadgroup_barrier(mem_flags::mem_threadgroup);
threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
simdgroup_barrier(mem_flags::mem_none);
atomic_thread_fence(mem_flags::mem_device, memory_order_relaxed);`, `metal::threadgroup_barrier(2:mem_flags):void
metal::threadgroup_barrier(3:mem_flags):void
metal::simdgroup_barrier(0:mem_flags):void
metal::atomic_thread_fence(1:mem_flags, 0:memory_order, 2:thread_scope):void`},
	{"atomics", `uint u = atomic_fetch_add_explicit(&at[0], 1, memory_order_relaxed);
atomic_store_explicit(at, u, memory_order_relaxed);
u = atomic_load_explicit(at + 1, memory_order_relaxed);
threadgroup atomic_int ai;
int x = atomic_exchange_explicit(&ai, 3, memory_order_relaxed);
bool ok = atomic_compare_exchange_weak_explicit(&ai, &x, 2, memory_order_relaxed, memory_order_relaxed);`,
		`u<uint> = metal::atomic_fetch_add_explicit(&at[0:int], 1:uint, 0:memory_order)
metal::atomic_store_explicit(at, u, 0:memory_order):void
u = metal::atomic_load_explicit((at +p 1:int), 0:memory_order):uint
x<int addressed> = metal::atomic_exchange_explicit(&ai, 3:int, 0:memory_order)
ok<bool> = metal::atomic_compare_exchange_weak_explicit(&ai, &x, 2:int, 0:memory_order, 0:memory_order):bool`},
	{"simd-groups", `float f = simd_sum(out[0]);
f = simd_shuffle_down(f, 4);
f = simd_shuffle_and_fill_up(f, 0.0f, 1);
bool b = simd_all(f > 0) && simd_is_first();
simd_vote v = simd_ballot(b);
ulong bits = ulong(v);
bits = (ulong)simd_active_threads_mask();
b = v.all();
simd_vote::vote_t vt = static_cast<simd_vote::vote_t>(v);
int4 i4 = simd_max(int4(1));
uint u = simd_or(tid);
f = quad_broadcast(f, 1);`, `f<float> = metal::simd_sum(out[0:int])
f = metal::simd_shuffle_down(f, 4:ushort)
f = metal::simd_shuffle_and_fill_up(f, 0:float, 1:ushort, 0:ushort)
b<bool> = (metal::simd_all((f > 0:float):bool) && metal::simd_is_first():bool)
v<simd_vote> = metal::simd_ballot(b):simd_vote
bits<ulong> = ulong(v)
bits = ulong(metal::simd_active_threads_mask():simd_vote)
b = metal::simd_vote_all(v):bool
vt<ulong> = ulong(v)
i4<int4> = metal::simd_max(int4(1:int))
u<uint> = metal::simd_or(tid)
f = metal::quad_broadcast(f, 1:ushort)`},
	{"simd-group matrices", `simdgroup_float8x8 a, b(0), c = simdgroup_float8x8(1);
simdgroup_load(a, in + 8, 64);
simdgroup_load(b, tg, 8, ulong2(1, 2), true);
simdgroup_load(b, tg, 8, 0, true);
simdgroup_multiply(c, a, b);
simdgroup_multiply_accumulate(c, a, b, c);
c = a * b;
simdgroup_store(c, out + 1, 32);
simdgroup_matrix<half, 8, 8> h8 = make_filled_simdgroup_matrix<half, 8, 8>(1.0h);
simdgroup_matrix<float, 8, 8> acc[4];
acc[1] = a;`, `a<simdgroup_matrix<float, 8, 8>>
b<simdgroup_matrix<float, 8, 8>> = metal::simdgroup_matrix_diagonal(0:float):simdgroup_matrix<float, 8, 8>
c<simdgroup_matrix<float, 8, 8>> = metal::simdgroup_matrix_diagonal(1:float):simdgroup_matrix<float, 8, 8>
metal::simdgroup_load(a, (in +p 8:int), 64:ulong, ulong2(0:ulong), false:bool):void
metal::simdgroup_load(b, tg, 8:ulong, ulong2{1:ulong, 2:ulong}, true:bool):void
metal::simdgroup_load(b, tg, 8:ulong, ulong2(0:ulong), true:bool):void
metal::simdgroup_multiply(c, a, b):void
metal::simdgroup_multiply_accumulate(c, a, b, c):void
c = metal::simdgroup_matrix_product(a, b)
metal::simdgroup_store(c, (out +p 1:int), 32:ulong, ulong2(0:ulong), false:bool):void
h8<simdgroup_matrix<half, 8, 8>> = metal::make_filled_simdgroup_matrix(1:half):simdgroup_matrix<half, 8, 8>
acc<simdgroup_matrix<float, 8, 8>[4]>
acc[1:int] = a`},
	{"as_type", `uint u = as_type<uint>(out[0]);
half2 h = as_type<half2>(u);
float4 f = as_type<float4>(u4[0]);
f = float4(h, h);
f = float4(uint4(1));
f.xy = all(h.yx == h) ? float2(1) : float2(2);`, `u<uint> = as_type<uint>(out[0:int])
h<half2> = as_type<half2>(u)
f<float4> = as_type<float4>(u4[0:int])
f = float4{float2(h), float2(h)}
f = float4(uint4(1:uint))
f.xy = (metal::all((h.yx == h):bool2):bool ? float2(1:float) : float2(2:float))`},
	{"limits", `float m = numeric_limits<float>::max() + INFINITY - FLT_MAX + M_PI_F + HALF_MAX;
m = -INFINITY;
uint um = UINT_MAX;
um = numeric_limits<uint>::max();
int im = INT_MIN;
im = numeric_limits<int>::lowest();`, `m<float> = +Inf:float
m = -Inf:float
um<uint> = 4294967295:uint
um = 4294967295:uint
im<int> = -2147483648:int
im = -2147483648:int`},
	{"loops", `for (uint i = 0, j = 1; i < 4 && j; ++i, j--) { if (i == 2) continue; else break; } while (tid) {}
do { out[0]--; } while (false);
for (;;) { break; }`,
		`loop (i<uint> = 0:uint; j<uint> = 1:uint; ((i < 4:uint):bool && bool(j)); (++i, j--)) { if (i == 2:uint):bool ` +
			`continue else break }
loop (; bool(tid); ) { }
do { out[0:int]-- } while false:bool
loop (; ; ) { break }`},
	{"literals", `int x = tid, y = 0x80000000, z = 4000000000;
long l = 5000000000;
ulong ul = 0xFFFFFFFFFFFFFFFF;
x = 'a';
bool b = 3;
b = !x;
x = ~b;
x = +b;
x = -true;
ul = 1ul << 40;
x = 1 << tid;`, `x<int> = int(tid)
y<int> = -2147483648:int
z<int> = -294967296:int
l<long> = 5000000000:long
ul<ulong> = 18446744073709551615:ulong
x = 97:int
b<bool> = true:bool
b = !bool(x)
x = ~int(b)
x = int(b)
x = -1:int
ul = 1099511627776:ulong
x = (1:int << tid)`},
	{"if constexpr", `if constexpr (eight == 8) { out[0] = 1; } else { out[0] = 2; }
static_assert(eight == 8, "eight");
static_assert(sizeof(P) == 48);
if constexpr (eight > 8) out[0] = 3;`, `{ { out[0:int] = 1:float } }
{ }`},
	{"local types", `struct L { float a; int b; };
L l = {1, 2};
using V = float4;
typedef float Fl;
V v = V(1);
Fl f = l.a;
enum { AA, BB = 7 };
int i = BB;
const int loc = 3;
float arr[loc];
float ar2[BB + loc];`, `l<L> = L{1:float, 2:int}
v<float4> = float4(1:float)
f<float> = l.a
i<int> = 7:int
loc<const int> = 3:int
arr<float[3]>
ar2<float[10]>`},
	{"pointer casts", `device uint* du = (device uint*)out;
device const uchar* bytes = (device const uchar*)in;
ulong addr = (ulong)out;
du = reinterpret_cast<device uint*>(out);
device float4* o4 = (device float4*)(out + 4);
o4[0].zw = float2(1);
device void* vp = out;`, `du<device uint*> = device uint*(out)
bytes<device const uchar*> = device const uchar*(in)
addr<ulong> = ulong(out)
du = device uint*(out)
o4<device float4*> = device float4*((out +p 4:int))
o4[0:int].zw = float2(1:float)
vp<device void*> = device void*(out)`},
	{"static constants", `static constexpr constant float tab[] = {1, 2, 3};
constexpr float ct[2] = {1, 2};
out[0] = tab[1] + ct[tid];
constant float* cp = table;
out[1] = cp[0];`, `ct<const float[2]> = float[2]{1:float, 2:float}
out[0:int] = (tab[1:int] + ct[tid])
cp<constant float*> = decay(table)
out[1:int] = cp[0:int]`},
	{"templates of types", `vec<float, 3> v3 = vec<float, 3>(1, 2, 3);
array<float, 4> ar = {1, 2, 3, 4};
float s = ar[2];
packed_half3 ph = packed_half3(half3(1));
half3 h3 = ph;
v3 = float3(ph);`, `v3<float3> = float3{1:float, 2:float, 3:float}
ar<float[4]> = float[4]{1:float, 2:float, 3:float, 4:float}
s<float> = ar[2:int]
ph<packed_half3> = packed_half3(half3(1:half))
h3<half3> = half3(ph)
v3 = float3(ph)`},
	{"relational", `bool b = all(float4(1) == float4(2)) || any(pos > 1);
bool3 nb = !(pos == 0);
float3 fp = float3(pos);
uint idx = pos.x + pos.y * 4 + dot(fp, fp);
fp = normalize(cross(fp, fp));
fp = clamp(fp, 0.0f, 1.0f);
fp = mix(fp, 1, 0.5);
float len = length(fp.xy);`,
		`b<bool> = (metal::all((float4(1:float) == float4(2:float)):bool4):bool || metal::any((pos > ` +
			`uint3(1:uint)):bool3):bool)
nb<bool3> = !(pos == uint3(0:uint)):bool3
fp<float3> = float3(pos)
idx<uint> = uint((float((pos.x + (pos.y * 4:uint))) + metal::dot(fp, fp):float))
fp = metal::normalize(metal::cross(fp, fp))
fp = metal::clamp(fp, float3(0:float), float3(1:float))
fp = metal::mix(fp, float3(1:float), float3(0.5:float))
len<float> = metal::length(fp.xy):float`},
	{"integers", `U u;
u.f = 1;
uint bits = u.u;
int i = 3;
i = (i, 4);
(void)i;
uint c = popcount(tid) + clz(tid) + abs(-3) + absdiff(3, 5);
uchar ch = popcount(uchar(3));
ushort us = min(ushort(1), ushort(2));
float4 pk = unpack_unorm4x8_to_float(tid);
uint pu = pack_float_to_unorm4x8(pk);`, `u<U>
u.f = 1:float
bits<uint> = u.u
i<int> = 3:int
i = (i, 4:int)
i
c<uint> = (((metal::popcount(tid) + metal::clz(tid)) + uint(metal::abs(-3:int))) + metal::absdiff(3:int, 5:int):uint)
ch<uchar> = metal::popcount(3:uchar)
us<ushort> = metal::min(1:ushort, 2:ushort)
pk<float4> = metal::unpack_unorm4x8_to_float(tid):float4
pu<uint> = metal::pack_float_to_unorm4x8(pk):uint`},
	{"pointers to arrays", `float w[2][3];
thread float (*row)[3] = w;
row[1][2] = 1;
thread float (&whole)[2][3] = w;
whole[1][1] = 2;
float f = norm1(1.0f);
int a = tid < 3 ? 1 : 2.5f;
half hh = tid ? 1.0h : 2.0h;
const thread float* cpt = &w[0][0];`, `w<float[2][3] addressed>
row<thread float[3]*> = decay(w)
row[1:int][2:int] = 1:float
whole<float[2][3]&> = w
whole[1:int][1:int] = 2:float
f<float> = norm1(float4(1:float))
a<int> = int(((tid < 3:uint):bool ? 1:float : 2.5:float))
hh<half> = (bool(tid) ? 1:half : 2:half)
cpt<thread const float*> = thread const float*(&w[0:int][0:int])`},
	{"bfloat", `bfloat bf = bfloat(1.0f);
float f = bf;
bf = 2;
f = bf * 2.0f;
bf = bf + bf;
float g = bf * 1.0h;
half hm = max(1.0h, 2.0h);
f = max(float(hm), 2.0f);
hm = pow(hm, 2.0h);
f = sqrt(float(2u));
f = floor(tid / 2.0);`, `bf<bfloat> = 1:bfloat
f<float> = float(bf)
bf = 2:bfloat
f = (float(bf) * 2:float)
bf = (bf + bf)
g<float> = (float(bf) * 1:float)
hm<half> = metal::max(1:half, 2:half)
f = metal::max(float(hm), 2:float)
hm = metal::pow(hm, 2:half)
f = metal::sqrt(2:float)
f = metal::floor((float(tid) / 2:float))`},
	{"braces", `float4 a = {1}, b{1, 2}, c = float4{a.xy, 3, 4};
float2x2 m = {{1, 2}, {3}};
a = {5};
float f{2};`, `a<float4> = float4{1:float, 0:float, 0:float, 0:float}
b<float4> = float4{1:float, 2:float, 0:float, 0:float}
c<float4> = float4{a.xy, 3:float, 4:float}
m<float2x2> = float2x2{float2{1:float, 2:float}, float2{3:float, 0:float}}
a = float4{5:float, 0:float, 0:float, 0:float}
f<float> = 2:float`},
	{"auto", `auto* a = in;
const auto* b = out;
device auto* c = out;
auto d = tg;
auto e = 1.5h;
auto g = u4[0];
const auto h = 2;`, `a<device const float*> = in
b<device const float*> = device const float*(out)
c<device float*> = out
d<threadgroup float*> = tg
e<half> = 1.5:half
g<uint4> = u4[0:int]
h<const int> = 2:int`},
	{"function constants", `bool b = is_function_constant_defined(flag) ? flag : true;
bool n = in == NULL;
int digits = numeric_limits<float>::digits;`, `b<bool> = (metal::is_function_constant_defined(flag) ? flag : true:bool)
n<bool> = (in == device const float*(0:ulong)):bool
digits<int> = 24:int`},
	{"ranks", `float f = max(1.0f, 2.0f);
f = twice(short(2));
int r = max(1, P{});
constant float& t = table[1];
thread const float& cr = out[0];
const thread float& x = tid;
device const float4& v = *(device const float4*)in;`, `f<float> = metal::max(1:float, 2:float)
f = float(twice(2:int))
r<int> = max(1:int, P{})
t<constant const float&> = table[1:int]
cr<const float> = out[0:int]
x<const float> = float(tid)
v<device const float4&> = *device const float4*(in)`},
	{"default member initialisers", `struct D { int a = 3; int b = 4; float w[2] = {1}; };
D e{};
D z;
D arr[2] = {{7}};
const D k;
z = D();
struct O { int n; D d; P p; } o = {1};
struct R { D d; int i{eight}; } r{{}};`, `e<D> = D{3:int, 4:int, float[2]{1:float}}
z<D> = D{3:int, 4:int, float[2]{1:float}}
arr<D[2]> = D[2]{D{7:int, 4:int, float[2]{1:float}}, D{3:int, 4:int, float[2]{1:float}}}
k<const D> = D{3:int, 4:int, float[2]{1:float}}
z = D{3:int, 4:int, float[2]{1:float}}
o<O> = O{1:int, D{3:int, 4:int, float[2]{1:float}}, P{}}
r<R> = R{D{3:int, 4:int, float[2]{1:float}}, 8:int}`},
	{"filled matrix without rows", `auto m = make_filled_simdgroup_matrix<float, 8>(0.5f);
auto n = make_filled_simdgroup_matrix<float, 8, 8>(1);`,
		`m<simdgroup_matrix<float, 8, 8>> = metal::make_filled_simdgroup_matrix(0.5:float):simdgroup_matrix<float, 8, 8>
n<simdgroup_matrix<float, 8, 8>> = metal::make_filled_simdgroup_matrix(1:float):simdgroup_matrix<float, 8, 8>`},
	{"logical operators of vectors", `float4 f = 1;
bool4 b = f > 0 && f < 1;
b = b || tid;`, `f<float4> = float4(1:float)
b<bool4> = ((f > float4(0:float)):bool4 & (f < float4(1:float)):bool4)
b = (b | bool4(bool(tid)))`},
	{"addresses of constants", `constant float& r = third;
constant float* pt = &third;
constant auto& s = eight;
const float t = third;
float x = third + *pt;
thread const float& copy = third;`, `r<constant const float&> = third
pt<constant float*> = &third
s<constant const uint&> = eight
t<const float> = 0.33333334:float
x<float> = (0.33333334:float + *pt)
copy<const float> = 0.33333334:float`},
	{"declarations in a switch",
		`switch (tid) { case 1: int z; static constexpr int c = 1; constant float d = 2; break; case 2: { int y = 1; ` +
			`break; } default: int x = 3; }`,
		`switch tid { case 1: z<int>; break; case 2: { y<int> = 1:int; break }; case default: x<int> = 3:int; }`},
	{"braces that narrow nothing", `uchar c{255};
half h{2048};
float f = {16777216};
short2 s{-1, 2};
bool b{1};
uint u{tid};`, `c<uchar> = 255:uchar
h<half> = 2048:half
f<float> = 1.6777216e+07:float
s<short2> = short2{-1:short, 2:short}
b<bool> = true:bool
u<uint> = tid`},
}

var bodyErrorTests = []bodyTest{
	{"half is neither float nor int", `twice(2.0h);`,
		`a.metal:31:1: the call of twice is ambiguous: the functions at a.metal:13:1 and a.metal:14:1 take (half) equally ` +
			`well`},
	{"braces that narrow", `uchar c{256};
int i = {1.5f};
float f{16777217};
half h{1e6f};
int2 v{1, out[0]};
struct S { uint u; bool b; } s = {-1}, t{1, 2};
uint a[2] = {1, -1};
return;
i = int{out[0]};`, `a.metal:31:9: braces do not narrow 256 to uchar, which does not hold it
a.metal:32:10: braces do not narrow float to int
a.metal:33:9: braces do not narrow 16777217 to float, which does not hold it
a.metal:34:8: braces do not narrow 1e+06 to half, which does not hold it
a.metal:35:14: braces do not narrow float to int
a.metal:36:35: braces do not narrow -1 to uint, which does not hold it
a.metal:36:45: braces do not narrow 2 to bool, which does not hold it
a.metal:37:17: braces do not narrow -1 to uint, which does not hold it
a.metal:39:12: braces do not narrow float to int`},
	{"jumps over declarations", `switch (tid) { case 1: int z = 1; break; case 2: break; default: break; }
switch (tid) { case 1: const int y = 1; break; default: break; }
struct D { int a = 1; };
switch (tid) { case 1: D d; break; default: break; }`,
		`a.metal:31:42: case jumps over the declaration of z: put it in braces
a.metal:32:48: case jumps over the declaration of y: put it in braces
a.metal:34:36: case jumps over the declaration of d: put it in braces`},
	{"initial values of fields", `struct D { int a = b; int b = 1; } d;
struct L { int n = L{}.n; } l;
struct V { int n = nothing; } v;
threadgroup D shared;
struct W { int n = 1; } big[100000];`, `a.metal:31:20: b has no value yet where this one is computed
a.metal:32:16: the initial value of n depends on itself
a.metal:33:20: unknown name nothing
a.metal:34:15: threadgroup variable shared cannot be of type D, whose fields have initial values
a.metal:35:25: W[100000] is too large for fields with initial values`},
	{"types first needed where errors are not reported", `struct L { Unknown a; };
float x[true ? 1 : sizeof(L().a)];
L l;
struct M { float a[0]; };
half y = make({ int(sizeof(M)) });`, `a.metal:31:12: unknown type Unknown
a.metal:34:20: a size must be a positive integer, this is 0
a.metal:35:15: cannot convert {...} to uint`},
	{"logical operators", `bool4 a = float4(1) && true;
bool4 b = bool4(1) || bool3(1);
if (bool2(1) && true) {}`, `a.metal:31:11: an operand of && must be a scalar, not float4: use all() or any()
a.metal:32:20: operator || does not take bool4 and bool3
a.metal:33:14: the condition of if must be a scalar, not bool2: use all() or any()`},
	{"constants are constant", `thread float* z = &third;
eight += 1;
thread float& r = third;
constant float* s = &(third + 1);`,
		`a.metal:31:19: cannot convert constant float* to thread float*: the address spaces constant and thread differ
a.metal:32:7: cannot assign to this: it is a value, not a variable
a.metal:33:19: a reference to thread float cannot refer to this: the address spaces constant and thread differ
a.metal:34:21: this has no address: it is a value, not a variable`},
	{"unknown name", `v;`, `a.metal:31:1: unknown name v`},
	{"unknown names", `x = 1;
nothing(2);
metal::nowhere(1);
ns::none = 2;`, `a.metal:31:1: unknown name x
a.metal:32:1: unknown function nothing
a.metal:33:1: unknown function metal::nowhere
a.metal:34:1: unknown name ns::none`},
	{"operators", `float4 a = 1;
int4 b = 2;
a = a * b;
a = b;
float3 c = a;
int i = a;
a % 2;
a & a;
1.5f % 2;`, `a.metal:33:7: operator * does not take float4 and int4
a.metal:34:5: cannot convert int4 to float4
a.metal:35:12: cannot convert float4 to float3
a.metal:36:9: cannot convert float4 to int
a.metal:37:3: operator % does not take float4 and int
a.metal:38:3: operator & does not take float4 and float4
a.metal:39:6: operator % does not take float and int`},
	{"assignments", `in[0] = 1;
p.n = 2;
table[0] = 1;
const int c = 1;
c = 2;
c++;
3 = 4;
float4 v = 1;
v.xx = 2;
eight = 2;
first(in) = 3;`, `a.metal:31:7: cannot assign to this: what the pointer points to is const
a.metal:32:5: cannot assign to this: it is in the constant address space
a.metal:33:10: cannot assign to this: it is in the constant address space
a.metal:35:3: cannot assign to this: c is const
a.metal:36:2: cannot assign to this: c is const
a.metal:37:3: cannot assign to this: it is a value, not a variable
a.metal:39:6: cannot assign to a swizzle that names an element twice
a.metal:40:7: cannot assign to this: it is a value, not a variable
a.metal:41:11: cannot assign to this: it is a value, not a variable`},
	{"pointers", `thread float* t = in;
device float* o = in;
threadgroup float* s = out;
device int* di = out;
thread float* z = 3;
device float* y = tg;`,
		`a.metal:31:19: cannot convert device const float* to thread float*: the address spaces device and thread differ
a.metal:32:19: cannot convert device const float* to device float*: what it points to is const
a.metal:33:24: cannot convert device float* to threadgroup float*: the address spaces device and threadgroup differ
a.metal:34:18: cannot convert device float* to device int*
a.metal:35:19: cannot convert int to thread float*
a.metal:36:19: cannot convert threadgroup float* to device float*: the address spaces threadgroup and device differ`},
	{"references", `float x = 1;
device float& r = x;
thread float& q;
thread float& w = 1;
const float c = 2;
thread float& m = c;
float4 v;
thread float& e = v.x;
thread float* pe = &v.x;
bump(out[0]);
bump(c);`, `a.metal:32:19: a reference to device float cannot refer to this: the address spaces thread and device differ
a.metal:33:15: q is declared twice in this block; the first is at a.metal:29:93
a.metal:33:15: reference q needs to be initialised
a.metal:34:19: a reference cannot refer to this: it is a value, not a variable
a.metal:36:19: a reference to float cannot refer to this: c is const
a.metal:38:20: a reference cannot refer to an element of a vector
a.metal:39:20: an element of a vector has no address
a.metal:40:9: a reference to thread float cannot refer to this: the address spaces device and thread differ
a.metal:41:6: a reference to float cannot refer to this: c is const`},
	{"calls", `bump(1, 2, 3);
bump();
twice(1, 2);
amb(1, 1);
noBody(1);
loop(3);
same(1);
k(out);
first(out, 1);
first(p);
same(1, 2);
same<float, int>(1);`, `a.metal:31:1: bump takes 1 to 2 arguments, these are 3
a.metal:32:1: bump takes 1 to 2 arguments, these are 0
a.metal:33:1: no function twice takes (int, int)
a.metal:34:1: the call of amb is ambiguous: the functions at a.metal:27:1 and a.metal:27:29 take (int, int) equally well
a.metal:35:1: noBody is declared but has no body
a.metal:38:1: k is a kernel: it cannot be called
a.metal:39:1: no function first takes (device float*, int)
a.metal:40:1: no function first takes (P)
a.metal:41:1: no function same takes (int, int): a.metal:23:23: same takes at most 1 arguments
a.metal:42:1: no function same<...> takes (int): a.metal:42:5: same takes 1 template arguments, these are 2`},
	{"return", `return 1;`, `a.metal:31:8: k returns nothing, this is int`},
	{"jumps", `break;
continue;
case 1:;`, `a.metal:31:1: unexpected "break": no loop or switch is open here
a.metal:32:1: unexpected "continue": no loop is open here
a.metal:33:1: unexpected "case": no switch is open here`},
	{"switch", `switch (tid) { case 1: case 1: break; default: break; default: break; case 2.5f: break; }
switch (out[0]) { case 1: break; }
switch (tid) { case p.n: break; }`, `a.metal:31:29: the switch has two labels 1; the first is at a.metal:31:21
a.metal:31:55: the switch has two default labels
a.metal:31:76: a label must be an integer, not float
a.metal:32:12: a switch needs an integer, not float
a.metal:33:22: a label must be a constant expression`},
	{"conditions", `if (float4(1) == float4(1)) {}
float4 v = true ? float4(1) : int4(1);
v = bool4(true) ? v : v;
while (p) {}
!p;
-p;
p + 1;
p ? 1 : 2;`, `a.metal:31:15: the condition of if must be a scalar, not bool4: use all() or any()
a.metal:32:17: the sides of ?: do not go together: float4 and int4
a.metal:33:5: the condition of ?: must be a scalar, not bool4: use select()
a.metal:34:8: the condition of while must be a bool, not P
a.metal:35:2: the operand of ! must be a bool, not P
a.metal:36:1: operator - does not take P
a.metal:37:3: operator + does not take P and int
a.metal:38:1: the condition of ?: must be a bool, not P`},
	{"structs", `P z = {1, 2, {3, 4, 5, 6, 7}};
P y = {1, 2, {3}, 4};
z.q = 1;
z->n = 2;
in.x;
float4 v;
v.q = 1;
v.xr;
v.xyzww;
in[0].x;
float2 w;
w.z;`, `a.metal:31:27: too many initial values for float[4]
a.metal:32:19: too many initial values for P
a.metal:33:2: P has no field q
a.metal:34:2: P is no pointer
a.metal:35:3: device const float* is a pointer: use -> for its fields
a.metal:37:2: float4 has no elements q
a.metal:38:2: float4 has no elements xr
a.metal:39:2: float4 has no elements xyzww
a.metal:40:6: float has no member x
a.metal:42:2: float2 has no elements z`},
	{"declarations", `int a[2] = {1, 2, 3};
int b[];
int c[tid];
int d[0];
int e[-1];
int a;
void vv;
device float g;
static int h = 2;
constexpr int cc = tid;
const int i;
auto j;`, `a.metal:31:19: too many initial values for int[2]
a.metal:32:5: b needs its size or initial values
a.metal:33:7: tid has no value that is known here
a.metal:34:7: a size must be a positive integer, this is 0
a.metal:35:7: a size must be a positive integer, this is -1
a.metal:36:5: a is declared twice in this block; the first is at a.metal:31:5
a.metal:37:6: vv cannot be of type void
a.metal:38:14: g cannot be in the device address space: only what a pointer points to can
a.metal:39:12: static variable h must be constant
a.metal:40:15: the value of constexpr cc is no constant expression
a.metal:41:11: constant i has no initial value
a.metal:42:6: auto variable j has no initial value`},
	{"conversions", `as_type<uint>(1.0h);
as_type<P>(1);
float4(1, 2);
float4(1, 2, 3, 4, 5);
float4(float3(1));
float4x4(1, 2);
P(1, 2);
uint(1, 2);
uint(p);
float3(float4(1));
int(in);`, `a.metal:31:1: as_type<uint> does not take half: both must be scalars or vectors of one size
a.metal:32:1: as_type<P> does not take int: both must be scalars or vectors of one size
a.metal:33:1: float4 needs 4 elements, these are 2
a.metal:34:1: float4 needs 4 elements, these are 5
a.metal:35:1: float4 needs 4 elements, these are 3
a.metal:36:1: float4x4 is made of a scalar, 4 columns or 16 scalars
a.metal:37:1: P cannot be made of 2 values
a.metal:38:1: uint cannot be made of 2 values
a.metal:39:6: cannot convert P to uint
a.metal:40:1: float3 needs 3 elements, these are 4
a.metal:41:5: cannot convert device const float* to int`},
	{"atomics", `threadgroup float s[4] = {1};
threadgroup float t[];
atomic_uint au;
atomic_fetch_add_explicit(at, 1);
atomic_fetch_add_explicit(out, 1, memory_order_relaxed);
at[0] = 1;
uint u = at[0];
atomic_store_explicit(&tid, 1, memory_order_relaxed);`,
		`a.metal:31:19: threadgroup variable s cannot have an initial value other than zero
a.metal:32:19: threadgroup variable t needs its size
a.metal:33:13: au cannot be atomic: atomics are in device or threadgroup memory
a.metal:34:1: atomic_fetch_add_explicit takes 3 arguments, these are 2
a.metal:35:27: atomic_fetch_add_explicit needs a pointer to an atomic in device or threadgroup memory, not device float*
a.metal:36:7: an atomic_uint is only read and written with the atomic functions
a.metal:37:12: cannot convert atomic_uint to uint
a.metal:38:23: atomic_store_explicit needs a pointer to an atomic in device or threadgroup memory, not thread uint*`},
	{"library", `dot(1.0f, 2.0f);
cross(float4(1), float4(2));
max(float4(1), int4(1));
fma(1, 2);
exp(p);
simd_sum(p);
threadgroup_barrier(3);
threadgroup_barrier();
all(float4(1));
normalize(1);
popcount(1.5f);
length(pos);
clamp(p, 1, 2);
exp(1, 2);`, `a.metal:31:1: dot does not take (float, float)
a.metal:32:1: cross does not take (float4, float4)
a.metal:33:1: max does not take (float4, int4)
a.metal:34:1: fma takes 3 arguments, these are 2
a.metal:35:1: exp does not take (P)
a.metal:36:1: simd_sum does not take (P)
a.metal:37:21: cannot convert int to mem_flags
a.metal:38:1: threadgroup_barrier takes 1 argument, these are 0
a.metal:39:1: all does not take (float4)
a.metal:40:1: normalize does not take (int)
a.metal:41:1: popcount does not take (float)
a.metal:42:1: length does not take (uint3)
a.metal:43:1: clamp does not take (P, int, int)
a.metal:44:1: exp takes 1 argument, these are 2`},
	{"assertions", `{ static_assert(eight == 9, "no"); }
static_assert(tid == 1);
if constexpr (tid == 1) {}`, `a.metal:31:3: static_assert fails
a.metal:32:19: the condition of static_assert is no constant expression
a.metal:33:19: the condition of if constexpr is no constant expression`},
	{"enums", `F f = X;
F g = 1;
int i = F::X;
E e = 2;
E h = F::X;
F::X + 1;
B = 2;
E::A;`, `a.metal:31:7: unknown name X
a.metal:32:7: cannot convert int to F
a.metal:33:9: cannot convert F to int
a.metal:34:7: cannot convert int to E
a.metal:35:7: cannot convert F to E
a.metal:36:6: operator + does not take F and int
a.metal:37:3: cannot assign to this: it is a value, not a variable`},
	{"pointer operators", `out + 1.5f;
out * 2;
out + out;
out - tg;
out == tg;
out += in;
*out[0];
**out;
&1;
&(1 + 2);
out[1.5f];
out[p];
tid[0];
pos[3];
out->x;`, `a.metal:31:5: operator + does not take device float* and float
a.metal:32:5: operator * does not take device float* and int
a.metal:33:5: operator + does not take device float* and device float*
a.metal:34:5: operator - does not take device float* and threadgroup float*
a.metal:35:5: operator == does not take device float* and threadgroup float*
a.metal:36:5: operator += does not take device float* and device const float*
a.metal:37:1: float is no pointer
a.metal:38:1: float is no pointer
a.metal:39:1: this has no address: it is a value, not a variable
a.metal:40:1: this has no address: it is a value, not a variable
a.metal:41:5: an index must be an integer, not float
a.metal:42:5: an index must be an integer, not P
a.metal:43:4: uint has no elements
a.metal:44:5: index 3 is outside of uint3
a.metal:45:4: float has no member x`},
	{"simd-group matrices", `simdgroup_float8x8 m;
simdgroup_load(m, hp);
simdgroup_store(m, in);
simdgroup_multiply(m, 1, m);
simdgroup_load(1, in);
m + m;
m * 2;
make_filled_simdgroup_matrix(1);
m.thread_elements();
make_filled_simdgroup_matrix<float, 4, 4>(1);`,
		`a.metal:32:19: simdgroup_load needs a const device or threadgroup pointer to float, not device half*
a.metal:33:20: simdgroup_store needs a device or threadgroup pointer to float, not device const float*
a.metal:34:23: simdgroup_multiply needs a simdgroup_matrix, not int
a.metal:35:16: simdgroup_load needs a simdgroup_matrix, not int
a.metal:36:3: operator + does not take simdgroup_matrix<float, 8, 8> and simdgroup_matrix<float, 8, 8>
a.metal:37:3: operator * does not take simdgroup_matrix<float, 8, 8> and int
a.metal:38:1: make_filled_simdgroup_matrix needs its type: make_filled_simdgroup_matrix<float, 8, 8>(x)
a.metal:40:1: simdgroup_matrix<float, 4, 4> is no matrix type`},
	{"values", `"text";
float x = {1, 2};
float4 y = {1, 2, 3, 4, 5};
x = y;
y = "a";
(void)nowhere;
thread float* a = nullptr;
sizeof(nowhere);
sizeof(void);
numeric_limits<P>::max();
numeric_limits<int>::infinite();
float(1)(2);
max;
twice(2u);`, `a.metal:32:11: float cannot be made of 2 values
a.metal:33:12: float4 needs 4 elements, these are 5
a.metal:34:5: cannot convert float4 to float
a.metal:35:5: cannot convert constant char* to float4
a.metal:36:7: unknown name nowhere
a.metal:38:8: unknown name nowhere
a.metal:39:1: void has no size
a.metal:40:1: numeric_limits<P> has no max
a.metal:41:1: numeric_limits<int> has no infinite
a.metal:42:9: float cannot be called
a.metal:43:1: max is a function: a call needs its arguments
a.metal:44:1: the call of twice is ambiguous: the functions at a.metal:13:1 and a.metal:14:1 take (uint) equally well`},
	{"type as value", `P.n;`, `a.metal:31:1: P is a type, not a value`},
	{"scopes", `int x;
int x;
{ int x; }
for (int x = 0; ; ) { int x; }
int tid;
struct L {};
struct L {};
unknown u;
device unknown* v;
vec<float, 5> w;
u + 1;
v[0];`, `a.metal:32:5: x is declared twice in this block; the first is at a.metal:31:5
a.metal:35:5: tid is declared twice in this block; the first is at a.metal:30:52
a.metal:37:1: L is declared twice in this block; the first is at a.metal:36:1
a.metal:38:1: unknown type unknown
a.metal:39:8: unknown type unknown
a.metal:40:1: vec<float, 5> is no vector type`},
}
