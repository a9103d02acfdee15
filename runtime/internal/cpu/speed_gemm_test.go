package cpu

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// gemm is the product of square matrices, by simd-groups that have one of 16 rows and columns of the result each.
const gemm = `kernel void test(device const T* a, device const T* b, device float* c, constant uint& n,
	uint2 group [[threadgroup_position_in_grid]], uint s [[simdgroup_index_in_threadgroup]]) {
	a += (32 * group.y + s / 2 * 16) * n;
	b += 32 * group.x + s % 2 * 16;
	c += (32 * group.y + s / 2 * 16) * n + 32 * group.x + s % 2 * 16;
	simdgroup_matrix<T, 8, 8> x0, x1, y0, y1;
	simdgroup_float8x8 sum00(0), sum01(0), sum10(0), sum11(0);
	for (uint k = 0; k < n; k += 8) {
		simdgroup_load(x0, a + k, n);
		simdgroup_load(x1, a + 8 * n + k, n);
		simdgroup_load(y0, b + k * n, n);
		simdgroup_load(y1, b + k * n + 8, n);
		simdgroup_multiply_accumulate(sum00, x0, y0, sum00);
		simdgroup_multiply_accumulate(sum01, x0, y1, sum01);
		simdgroup_multiply_accumulate(sum10, x1, y0, sum10);
		simdgroup_multiply_accumulate(sum11, x1, y1, sum11);
	}
	simdgroup_store(sum00, c, n);
	simdgroup_store(sum01, c + 8, n);
	simdgroup_store(sum10, c + 8 * n, n);
	simdgroup_store(sum11, c + 8 * n + 8, n);
}`

// gemmArrays is the same with 32 rows and columns each, in arrays of matrices.
const gemmArrays = `kernel void test(device const T* a, device const T* b, device float* c, constant uint& n,
	uint2 group [[threadgroup_position_in_grid]], uint s [[simdgroup_index_in_threadgroup]]) {
	const uint row = 64 * group.y + s / 2 * 32, column = 64 * group.x + s % 2 * 32;
	simdgroup_matrix<T, 8, 8> x[4], y[4];
	simdgroup_float8x8 sum[4][4];
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) sum[i][j] = simdgroup_float8x8(0);
	for (uint k = 0; k < n; k += 8) {
		for (int i = 0; i < 4; i++) {
			simdgroup_load(x[i], a + (row + 8 * i) * n + k, n);
			simdgroup_load(y[i], b + k * n + column + 8 * i, n);
		}
		for (int i = 0; i < 4; i++)
			for (int j = 0; j < 4; j++) simdgroup_multiply_accumulate(sum[i][j], x[i], y[j], sum[i][j]);
	}
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) simdgroup_store(sum[i][j], c + (row + 8 * i) * n + column + 8 * j, n);
}`

// gemmBlocks has weights of 4 bits, in blocks of 32 with a scale, and keeps tiles of 64 rows and 32 columns in
// threadgroup memory as half: the kernel of many a language model.
const gemmBlocks = `#define UNROLL _Pragma("clang loop unroll(full)")
struct Block { half scale; uchar bits[16]; };
void widen(device const Block* from, short upper, thread half4x4& to) {
	device const ushort* bits = (device const ushort*)from + 1;
	const float low = upper ? from->scale / 16.h : from->scale, high = low / 256.f, least = -8.h * from->scale;
	const ushort mask = upper ? 0x00F0 : 0x000F;
	float4x4 m;
	for (int k = 0; k < 8; k++) {
		m[k / 2][k % 2 * 2] = low * (bits[k] & mask) + least;
		m[k / 2][k % 2 * 2 + 1] = high * (bits[k] & mask << 8) + least;
	}
	to = half4x4(m);
}
kernel void test(device const Block* a, device const T* b, device float* c, constant uint& n,
	uint2 group [[threadgroup_position_in_grid]], ushort t [[thread_index_in_threadgroup]],
	ushort s [[simdgroup_index_in_threadgroup]]) {
	threadgroup half rows[64 * 32], columns[32 * 32];
	const short row = t / 2, column = t / 4, part = t % 4;
	device const Block* x = a + (64 * group.y + row) * (n / 32);
	device const T* y = b + (32 * group.x + column) * n + 8 * part;
	simdgroup_half8x8 p[4], q[2];
	simdgroup_float8x8 sum[8];
	for (short k = 0; k < 8; k++) sum[k] = make_filled_simdgroup_matrix<float, 8>(0.f);
	for (uint done = 0; done < n; done += 32) {
		half4x4 tile;
		widen(x, t % 2, tile);
		threadgroup_barrier(mem_flags::mem_threadgroup);
		UNROLL for (short k = 0; k < 16; k++) {
			const short block = 8 * (t % 2 * 2 + k / 8) + row / 8;
			*(rows + 64 * block + k % 8 * 8 + row % 8) = tile[k / 4][k % 4];
		}
		threadgroup half* place = columns + 64 * (4 * part + column / 8) + column % 8 * 8;
		*(threadgroup half2x4*)place = (half2x4)*(device const float2x4*)y;
		x++;
		y += 32;
		threadgroup_barrier(mem_flags::mem_threadgroup);
		threadgroup const half* from = rows + 4 * 64 * (s % 2);
		threadgroup const half* with = columns + 2 * 64 * (s / 2);
		UNROLL for (short k = 0; k < 4; k++) {
			UNROLL for (short j = 0; j < 4; j++) simdgroup_load(p[j], from + 64 * j, 8, 0, false);
			UNROLL for (short j = 0; j < 2; j++) simdgroup_load(q[j], with + 64 * j, 8, 0, false);
			UNROLL for (short j = 0; j < 8; j++) simdgroup_multiply_accumulate(sum[j], q[j / 4], p[j % 4], sum[j]);
			from += 8 * 64;
			with += 4 * 64;
		}
	}
	device float* to = c + (64 * group.y + 32 * (s & 1)) + (32 * group.x + 16 * (s >> 1)) * n;
	for (short k = 0; k < 8; k++) simdgroup_store(sum[k], to + 8 * (k % 4) + 8 * n * (k / 4), n, 0, false);
}`

// gemmClasses is made of class templates: loaders, which copy tiles of 64 rows to threadgroup memory as structs of
// bytes, and fragments that threads put together for matrices.
const gemmClasses = `#define UNROLL _Pragma("clang loop unroll(full)")
template <typename U, short Rows, short Columns, short Pitch> struct Loader {
	static constant constexpr const short count = Rows * Columns / 128, across = Columns / count, down = 128 / across;
	struct alignas(16) Row { uchar bytes[count * sizeof(U)]; };
	const uint pitch;
	const short row, column;
	threadgroup U* to;
	device const U* from;
	Loader(device const U* a, uint p, threadgroup U* tile, ushort t) thread : pitch(p), row(t / across),
		column(t % across * count), to(tile + row * Pitch + column), from(a + row * p + column) {}
	void load() const thread {
		UNROLL for (short k = 0; k < Rows; k += down)
			*(threadgroup Row*)&to[k * Pitch] = *(device const Row*)&from[k * pitch];
	}
};
template <short Rows, short Columns> struct Fragments {
	float2 parts[Rows * Columns] = {float2(0)};
	thread float2& at(short row, short column) thread { return parts[row * Columns + column]; }
	template <short Down, short Across, short Pitch> void load(const threadgroup float* from) thread {
		UNROLL for (short j = 0; j < Rows; j++)
			UNROLL for (short k = 0; k < Columns; k++)
				UNROLL for (short e = 0; e < 2; e++) at(j, k)[e] = from[j * Down * Pitch + k * Across + e];
	}
};
void multiply(thread float2& d, thread float2& a, thread float2& b, thread float2& c) {
	simdgroup_float8x8 w, x, y, z;
	reinterpret_cast<thread float2&>(x.thread_elements()) = a;
	reinterpret_cast<thread float2&>(y.thread_elements()) = b;
	reinterpret_cast<thread float2&>(z.thread_elements()) = c;
	simdgroup_multiply_accumulate(w, x, y, z);
	d = reinterpret_cast<thread float2&>(w.thread_elements());
}
struct Product {
	Fragments<4, 1> x;
	Fragments<1, 4> y;
	Fragments<4, 4> sum;
	short row, column;
	Product(ushort s, ushort lane) thread {
		row = s / 2 * 8 + (lane / 4 & 4) + lane / 2 % 4;
		column = s % 2 * 8 + (lane / 4 & 2) * 2 + lane % 2 * 2;
	}
	void add(const threadgroup float* a, const threadgroup float* b) thread {
		a += row * 20 + column % 8;
		b += row % 8 * 68 + column;
		UNROLL for (short k = 0; k < 16; k += 8) {
			x.template load<16, 8, 20>(a);
			y.template load<8, 16, 68>(b);
			UNROLL for (short j = 0; j < 4; j++)
				UNROLL for (short i = 0; i < 4; i++) {
					const short at = j % 2 ? 3 - i : i;
					multiply(sum.at(j, at), x.at(j, 0), y.at(0, at), sum.at(j, at));
				}
			a += 8;
			b += 8 * 68;
		}
	}
	thread float* elements() thread { return reinterpret_cast<thread float*>(sum.parts); }
	void store(device float* c, uint n) thread {
		UNROLL for (short k = 0; k < 32; k++) elements()[k] = elements()[k] * 1.0f;
		c += row * n + column;
		UNROLL for (short j = 0; j < 4; j++)
			UNROLL for (short k = 0; k < 4; k++)
				UNROLL for (short e = 0; e < 2; e++) c[j * 16 * n + k * 16 + e] = sum.at(j, k)[e];
	}
};
kernel void test(device const T* a, device const T* b, device float* c, constant uint& n,
	uint2 group [[threadgroup_position_in_grid]], ushort t [[thread_index_in_threadgroup]],
	ushort s [[simdgroup_index_in_threadgroup]], ushort lane [[thread_index_in_simdgroup]]) {
	threadgroup T x[64 * 20], y[16 * 68];
	Product product(s, lane);
	Loader<T, 64, 16, 20> rows(a + 64 * group.y * n, n, x, t);
	Loader<T, 16, 64, 68> columns(b + 64 * group.x, n, y, t);
	for (uint done = 0; done < n; done += 16) {
		threadgroup_barrier(mem_flags::mem_threadgroup);
		rows.load();
		columns.load();
		threadgroup_barrier(mem_flags::mem_threadgroup);
		product.add(x, y);
		rows.from += 16;
		columns.from += 16 * n;
	}
	product.store(c + 64 * group.y * n + 64 * group.x, n);
}`

// BenchmarkGemm is the product of matrices of 512 rows and columns by simdgroup_matrix.
func BenchmarkGemm(b *testing.B) {
	const n = 512
	r := rand.New(rand.NewPCG(3, 2))
	x, y := f32(normal(r, n*n, 1)), f32(normal(r, n*n, 1))
	for _, t := range []struct {
		name, kind, source string
		x, y               *array
		rows, columns      int // of the result that a threadgroup has
		transposed         bool
	}{
		{"float", "float", gemm, x, y, 32, 32, false}, {"half", "half", gemm, f16(x.v), f16(y.v), 32, 32, false},
		{"arrays", "float", gemmArrays, x, y, 64, 64, false}, {"classes", "float", gemmClasses, x, y, 64, 64, false},
		{"blocks", "float", gemmBlocks, weightBlocks(r, n*n), y, 64, 32, true},
	} {
		b.Run(t.name, func(b *testing.B) {
			dev := Open(options())
			defer dev.Close()
			d, results := dispatchOf(b, dev, "typedef "+t.kind+" T;\n"+t.source,
				driver.Grid{Threadgroups: [3]int{n / t.columns, n / t.rows, 1}, Threads: [3]int{128, 1, 1}},
				t.x.bytes, t.y.bytes, make([]float32, n*n), uint32(n))
			repeat(b, dev, d)
			flops(b, 2*n*n*n)
			const row, column = 300, 217
			at, want := row*n+column, 0.0
			if t.transposed {
				at = column*n + row
			}
			for k := range n {
				if t.transposed {
					want += t.x.v[row*n+k] * t.y.v[column*n+k]
				} else {
					want += t.x.v[row*n+k] * t.y.v[k*n+column]
				}
			}
			got := float64(math.Float32frombits(binary.LittleEndian.Uint32(results[2].memory.Bytes()[4*at:])))
			if math.Abs(got-want) > 1e-3*math.Sqrt(n) {
				b.Errorf("element (%d, %d) is %g, want %g", row, column, got, want)
			}
		})
	}
}

// weightBlocks are n random weights of 4 bits as gemmBlocks has them.
func weightBlocks(r *rand.Rand, n int) *array {
	a := &array{v: make([]float64, n)}
	for i := 0; i < n; i += 32 {
		scale := fmath.HalfBits(float32(r.Float64()*0.02 + 0.001))
		a.bytes = binary.LittleEndian.AppendUint16(a.bytes, scale)
		for k := range 16 {
			v := r.Uint32() & 255
			a.bytes = append(a.bytes, byte(v))
			a.v[i+k] = float64(fmath.HalfFromBits(scale)) * float64(int(v&15)-8)
			a.v[i+k+16] = float64(fmath.HalfFromBits(scale)) * float64(int(v>>4)-8)
		}
	}
	return a
}
