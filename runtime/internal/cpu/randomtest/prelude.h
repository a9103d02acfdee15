// What makes a program in MSL one in C++: the names of Metal's language and library that
// random programs use, and threads that wait for one another at barriers.

#define _XOPEN_SOURCE 700 // ucontext.h on macOS
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef _Float16 half;

template <typename T, int N> using vec = T __attribute__((ext_vector_type(N)));
#define VECTORS(T) typedef vec<T, 2> T##2; typedef vec<T, 3> T##3; typedef vec<T, 4> T##4;
VECTORS(char) VECTORS(uchar) VECTORS(short) VECTORS(ushort) VECTORS(int) VECTORS(uint)
VECTORS(long) VECTORS(ulong) VECTORS(half) VECTORS(float)

// C++ has no constructors of vectors, so their names are macros before a parenthesis.
template <typename T, int N> struct maker;
template <typename T, int N, typename U> constexpr vec<T, N> converted(vec<U, N> v) {
	return __builtin_convertvector(v, vec<T, N>);
}
template <typename T> struct maker<T, 2> {
	typedef vec<T, 2> V;
	static constexpr V of(T x) { return V{x, x}; }
	static constexpr V of(T x, T y) { return V{x, y}; }
	template <typename U> static constexpr V of(vec<U, 2> v) { return converted<T, 2, U>(v); }
};
template <typename T> struct maker<T, 3> {
	typedef vec<T, 3> V;
	typedef vec<T, 2> V2;
	static constexpr V of(T x) { return V{x, x, x}; }
	static constexpr V of(T x, T y, T z) { return V{x, y, z}; }
	static constexpr V of(V2 v, T z) { return V{v[0], v[1], z}; }
	static constexpr V of(T x, V2 v) { return V{x, v[0], v[1]}; }
	template <typename U> static constexpr V of(vec<U, 3> v) { return converted<T, 3, U>(v); }
};
template <typename T> struct maker<T, 4> {
	typedef vec<T, 4> V;
	typedef vec<T, 2> V2;
	typedef vec<T, 3> V3;
	static constexpr V of(T x) { return V{x, x, x, x}; }
	static constexpr V of(T x, T y, T z, T w) { return V{x, y, z, w}; }
	static constexpr V of(V2 u, V2 v) { return V{u[0], u[1], v[0], v[1]}; }
	static constexpr V of(V2 u, T z, T w) { return V{u[0], u[1], z, w}; }
	static constexpr V of(T x, V2 u, T w) { return V{x, u[0], u[1], w}; }
	static constexpr V of(T x, T y, V2 u) { return V{x, y, u[0], u[1]}; }
	static constexpr V of(V3 u, T w) { return V{u[0], u[1], u[2], w}; }
	static constexpr V of(T x, V3 u) { return V{x, u[0], u[1], u[2]}; }
	template <typename U> static constexpr V of(vec<U, 4> v) { return converted<T, 4, U>(v); }
};
#define char2(...) maker<char, 2>::of(__VA_ARGS__)
#define char3(...) maker<char, 3>::of(__VA_ARGS__)
#define char4(...) maker<char, 4>::of(__VA_ARGS__)
#define uchar2(...) maker<uchar, 2>::of(__VA_ARGS__)
#define uchar3(...) maker<uchar, 3>::of(__VA_ARGS__)
#define uchar4(...) maker<uchar, 4>::of(__VA_ARGS__)
#define short2(...) maker<short, 2>::of(__VA_ARGS__)
#define short3(...) maker<short, 3>::of(__VA_ARGS__)
#define short4(...) maker<short, 4>::of(__VA_ARGS__)
#define ushort2(...) maker<ushort, 2>::of(__VA_ARGS__)
#define ushort3(...) maker<ushort, 3>::of(__VA_ARGS__)
#define ushort4(...) maker<ushort, 4>::of(__VA_ARGS__)
#define int2(...) maker<int, 2>::of(__VA_ARGS__)
#define int3(...) maker<int, 3>::of(__VA_ARGS__)
#define int4(...) maker<int, 4>::of(__VA_ARGS__)
#define uint2(...) maker<uint, 2>::of(__VA_ARGS__)
#define uint3(...) maker<uint, 3>::of(__VA_ARGS__)
#define uint4(...) maker<uint, 4>::of(__VA_ARGS__)
#define long2(...) maker<long, 2>::of(__VA_ARGS__)
#define long3(...) maker<long, 3>::of(__VA_ARGS__)
#define long4(...) maker<long, 4>::of(__VA_ARGS__)
#define ulong2(...) maker<ulong, 2>::of(__VA_ARGS__)
#define ulong3(...) maker<ulong, 3>::of(__VA_ARGS__)
#define ulong4(...) maker<ulong, 4>::of(__VA_ARGS__)
#define half2(...) maker<half, 2>::of(__VA_ARGS__)
#define half3(...) maker<half, 3>::of(__VA_ARGS__)
#define half4(...) maker<half, 4>::of(__VA_ARGS__)
#define float2(...) maker<float, 2>::of(__VA_ARGS__)
#define float3(...) maker<float, 3>::of(__VA_ARGS__)
#define float4(...) maker<float, 4>::of(__VA_ARGS__)

// The library. A comparison of vectors is a vector of masks.
constexpr uint min(uint a, uint b) { return b < a ? b : a; } // as constants of classes have it
template <typename T> T min(T a, T b) { return __builtin_elementwise_min(a, b); }
template <typename T> T max(T a, T b) { return __builtin_elementwise_max(a, b); }
template <typename T> T abs(T a) { return __builtin_elementwise_abs(a); }
template <typename T> T clamp(T a, T low, T high) { return min(max(a, low), high); }
inline uint popcount(uint x) { return __builtin_popcount(x); }
template <typename T> T select(T a, T b, bool c) { return c ? b : a; }
template <typename T, typename M, int N> vec<T, N> select(vec<T, N> a, vec<T, N> b, vec<M, N> c) {
	for (int i = 0; i < N; i++) a[i] = c[i] ? b[i] : a[i];
	return a;
}
template <typename M, int N> bool any(vec<M, N> c) {
	bool r = false;
	for (int i = 0; i < N; i++) r = r || c[i];
	return r;
}
template <typename M, int N> bool all(vec<M, N> c) {
	bool r = true;
	for (int i = 0; i < N; i++) r = r && c[i];
	return r;
}
template <typename T, typename U> T as_type(U x) {
	static_assert(sizeof(T) == sizeof(U));
	T r;
	memcpy(&r, &x, sizeof r);
	return r;
}

// A threadgroup is run by one thread of the machine. A barrier goes on with the next of
// its threads.
static const int threadsOfGroup = 20, groups = 2, perThread = 64, intsPerThread = 4;

struct Arguments {
	const int* ints;
	const float* floats;
	const int* same;
	long* results;
	long* scratch;
	int* shared;
};

struct Program {
	void (*run)(const int*, const float*, const int&, long*, long*, int*, uint, uint);
};

static struct {
	ucontext_t main, threads[threadsOfGroup];
	char stacks[threadsOfGroup][1 << 18];
	bool ended[threadsOfGroup];
	const Program* program;
	Arguments arguments;
	int group, thread;
} machine;

enum class mem_flags { mem_threadgroup };

static void threadgroup_barrier(mem_flags) {
	swapcontext(&machine.threads[machine.thread], &machine.main);
}

static void runThread() {
	const Arguments& a = machine.arguments;
	int l = machine.thread;
	machine.program->run(a.ints, a.floats, *a.same, a.results, a.scratch, a.shared,
		machine.group * threadsOfGroup + l, l);
	machine.ended[l] = true;
}

static void runGroup() {
	for (int l = 0; l < threadsOfGroup; l++) {
		ucontext_t& c = machine.threads[l];
		getcontext(&c);
		c.uc_stack.ss_sp = machine.stacks[l];
		c.uc_stack.ss_size = sizeof machine.stacks[l];
		c.uc_link = &machine.main;
		makecontext(&c, runThread, 0);
		machine.ended[l] = false;
	}
	for (bool more = true; more;) {
		more = false;
		for (int l = 0; l < threadsOfGroup; l++) {
			if (machine.ended[l]) continue;
			machine.thread = l;
			swapcontext(&machine.main, &machine.threads[l]);
			more = more || !machine.ended[l];
		}
	}
}

// runAll reads the arguments of each program and writes what it leaves in its buffers.
static int runAll(const Program* programs, int count) {
	static const int n = threadsOfGroup * groups;
	static int ints[n * intsPerThread], same, shared[threadsOfGroup];
	static float floats[n];
	static long results[n * perThread], scratch[n * perThread];
	machine.arguments = {ints, floats, &same, results, scratch, shared};
	for (int i = 0; i < count; i++) {
		if (fread(ints, sizeof ints, 1, stdin) != 1 || fread(floats, sizeof floats, 1, stdin) != 1 ||
			fread(&same, sizeof same, 1, stdin) != 1) return 1;
		memset(results, 0, sizeof results);
		memset(scratch, 0, sizeof scratch);
		machine.program = &programs[i];
		for (machine.group = 0; machine.group < groups; machine.group++) runGroup();
		fwrite(results, sizeof results, 1, stdout);
		fflush(stdout);
	}
	return 0;
}

#define kernel
#define device
#define constant const
#define thread
#define threadgroup
