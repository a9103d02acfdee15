package cpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// oddKernels do what MSL leaves open, or numbers that do not fit where kinds are kept.
var oddKernels = []struct{ name, body string }{
	{"a negated long whose step is the least int", `long a = (long)i * -2147483648L, b = -a, c = ~a;
		x[4*i] = (uint)b; x[4*i+1] = (uint)(b >> 32); x[4*i+2] = (uint)c; x[4*i+3] = (uint)(c >> 32);`},
	{"a negated uint whose step is the least int", `uint a = i * 0x80000000u; x[i] = -a; x[i+100] = ~a;`},
	{"a product of steps that has more than 64 bits", `long a = (long)i * 2147483647L, b = a * 4294967299L;
		x[2*i] = (uint)b; x[2*i+1] = (uint)(b >> 32);`},
	{"a pointer to arrays of terabytes", `device uint (*p)[1ul << 40] = (device uint (*)[1ul << 40])x;
		x[i] = p[i - l][i] + 1; p += (i & 32) / 32; (*p)[i] = 3;`},
	{"pointers that are made of constants and products", `
		device uint* p = reinterpret_cast<device uint*>(1ul << 48);
		device uint* q = reinterpret_cast<device uint*>((1ul << 49) * (ulong)(y[0] | 1)); x[i] = p[i] + q[i];`},
	{"a pointer made of a number, in front of an object", `ulong n = 0x0001fffffffffff0ul;
		device uint* p = reinterpret_cast<device uint*>(n); x[i] = p[i + 8];`},
	{"a matrix that some lanes load, in rows that overlap", `simdgroup_float8x8 m(-1.0f);
		threadgroup float* w = (threadgroup float*)t + i / 32 * 512;
		for (uint k = 0; k < 8; k++) w[l % 32 * 8 + k] = k * l;
		if (l % 32 < 20) simdgroup_load(m, w + 3, 0);
		simdgroup_store(m, w + (y[2] & 7), 1);
		for (uint k = 0; k < 8; k++) x[i * 8 + k] = as_type<uint>(w[l % 32 * 8 + k]);`},
	{"a matrix with elements in some lanes", `simdgroup_half8x8 m(1.0h);
		for (uint j = 0; j < (y[8] & 3u) + 1; j++) {
			simdgroup_store(m, (device half*)x + i / 32 * 512 + (y[2] & 7), 1, ulong2(0, 0), true);
			m.thread_elements()[0] = half(l) + 8.0h;
		}`},
	{"a matrix whose columns overlap", `
		simdgroup_float8x8 m(1.0f); m.thread_elements()[0] = l; m.thread_elements()[1] = -l;
		simdgroup_store(m, (device float*)x + i / 32 * 64, 1, ulong2(0, 0), true);`},
	{"a product where some lanes are active", `simdgroup_float8x8 m(3.0f), o(2.0f);
		if (l % 3) { m.thread_elements()[0] = l; simdgroup_multiply_accumulate(o, m, m, o); }
		simdgroup_store(o, (device float*)x + i / 32 * 64, 8);`},
	{"arrays that are made anew in some lanes", `
		for (uint k = 0; k < 3 + (i & 3); k++) {
			uint a[5]; a[(k + i) % 5] = k + 7;
			if (i % 3 != k) { ushort b[7]; uchar c[3] = {1, 2, 3}; b[(y[k] + i) % 7] = i; x[i] += b[k] + c[i % 3]; }
			x[i] += a[y[k + 1] % 5] + a[(k + i) % 5];
		}`},
	{"rows so far apart that those of some lanes come round", `
		ulong at = l * (ulong(y[0] >> 3) << 59 | 8); uint s = 0;
		if (l == 0 || l == 8) for (uint k = 0; k < y[1] % 2 + 7; k++) s = s * 3 + y[at + k];
		x[i] = s;`},
	{"bytes four apart, the last ones outside", `device uchar* b = (device uchar*)(x + 4090); b[l * 4 + 3] = l;`},
	{"tables of bytes at the end of a buffer, and beyond", `uchar v = ((device const uchar*)y)[i * 3];
		device const uchar* c = (device const uchar*)(y + 240); x[i] = c[v & 63];
		device const uchar* b = (device const uchar*)(y + 240) + 1; x[i + 128] = b[v & 31]; x[i + 192] = b[v & 63];`},
	{"a division in the choice that a loop begins with", `
		for (int d = y[0] > 8 ? int(i / y[0]) : 0; d < 30; d += 8) x[d + i] += 1;`},
}

// TestNativeCodeIsTheInterpretersEqualWhereMSLLeavesItOpen runs what no kernel should do: what comes of it may be
// anything, but not one thing in machine code and another in the interpreter.
func TestNativeCodeIsTheInterpretersEqualWhereMSLLeavesItOpen(t *testing.T) {
	t.Parallel()
	for _, tt := range oddKernels {
		for _, n := range []int{64, 40} {
			err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
				x, y := make([]uint32, 4096), make([]uint32, 256)
				for i := range y {
					y[i] = uint32(i*i*3456789 + 9)
				}
				err := executeOn(t.Context(), t, dev, `kernel void test(device uint* x, device const uint* y,
					threadgroup uint* t, uint i [[thread_position_in_grid]],
					uint l [[thread_index_in_threadgroup]]) { `+tt.body+" }",
					driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{n, 1, 1}}, x, y, shared(16384))
				if err != nil { // how far the other threadgroup has come is chance
					return nil, err
				}
				return bitsOfAll(x), nil
			})
			if err != nil {
				t.Errorf("%s, %d threads: %v", tt.name, n, err)
			}
		}
	}
}

// TestIndexesThatAreSumsHaveTheirPartsUntilTheyAreRead has a register that only the index of a store is a sum of, and
// one that is made between the two, and could take its place.
func TestIndexesThatAreSumsHaveTheirPartsUntilTheyAreRead(t *testing.T) {
	t.Parallel()
	err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
		x, y := make([]uint32, 4096), make([]uint32, 512)
		err := executeOn(t.Context(), t, dev, `uint down(int n, uint a) {
				if (n <= 0) return 7u;
				uint z = down(n - 1, 25u * a); return z * 3u + 12u;
			}
			kernel void test(device uint* x, device const uint* y, constant uint& a, uint i [[thread_position_in_grid]],
				uint l [[thread_index_in_simdgroup]], uint n [[threads_per_grid]]) {
				uint unused = down(3, n);
				int k = int(l & 3u);
				do {
					int j = int(i % 5u); while (j-- > 0) {}
					((device uchar*)x)[(14u * n + i) * 4u + 3u] = 17u <= y[i + 282] ? uchar(73) : uchar(a);
				} while (--k > 0 && false);
				for (uint j = 0; j < min(l + 6u, 11u); j++) {}
			}`, threads(64), x, y, uint32(2))
		return bitsOfAll(x), err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNativeCodeDividesByOneNumber that it knows, or that is the same in all lanes: by multiplying.
func TestNativeCodeDividesByOneNumber(t *testing.T) {
	t.Parallel()
	divisors := []int64{1, 2, 3, 5, 7, 9, 10, 64, 641, 1000, 65535, 65537, 1<<30 + 1, 1<<31 - 1}
	numbers := []uint32{0, 1, 2, 1<<31 - 1, 1 << 31, 1<<31 + 1, 1<<32 - 1, 1<<32 - 2}
	for i := uint32(1); len(numbers) < 160; i += i/3 + 1 {
		numbers = append(numbers, i*0x9e3779b9, i)
	}
	for _, d := range slices.Clone(divisors) {
		divisors = append(divisors, -d)
	}
	for _, d := range append(divisors, 1<<31, 1<<32-1, 1<<32-5, -1<<31) {
		list := slices.Clone(numbers)
		for k := range uint32(32) { // at both sides of multiples
			list = append(list, uint32(d)*(k*k*k+k)-1, uint32(d)*(k*k*k+k), -uint32(d)*k-1, -uint32(d)*k)
		}
		list = list[:len(list)/32*32]
		for _, by := range []string{"n", fmt.Sprintf("%du", uint32(d))} {
			x := make([]uint32, 4*len(list))
			source := fmt.Sprintf(`kernel void test(device uint* x, device const uint* y, constant uint& n,
				uint i [[thread_position_in_grid]]) {
				uint a = y[i], b = %s; int s = int(a), d = int(b);
				x[4 * i] = a / b; x[4 * i + 1] = a %% b; x[4 * i + 2] = uint(s / d); x[4 * i + 3] = uint(s %% d);
			}`, by)
			dev := Open(driver.Options{})
			dev.nativeAfter = 0
			if err := executeOn(t.Context(), t, dev, source, threads(len(list)), x, list, uint32(d)); err != nil {
				t.Fatal(err)
			}
			for i, a := range list {
				want := []uint32{a / uint32(d), a % uint32(d), uint32(int32(a) / int32(d)), uint32(int32(a) % int32(d))}
				if got := x[4*i : 4*i+4]; !slices.Equal(got, want) {
					t.Fatalf("%d by %d as %s: got %d, want %d", a, uint32(d), by, got, want)
				}
			}
		}
	}
}
