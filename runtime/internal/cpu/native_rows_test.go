package cpu

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var rowKernels = flag.Int("rowkernels", 40, "how many kernels whose threads read rows are compared")

// TestThreadsThatReadRowsReadWhatTheInterpreterDoes: each has a row of its own, of any length, which it reads along,
// from buffers that begin and end anywhere, with stores of others between its loops.
func TestThreadsThatReadRowsReadWhatTheInterpreterDoes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*rowKernels) {
		r := rand.New(rand.NewPCG(seed, 26))
		k := newRowKernel(r)
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			data, results, out := make([]uint32, (k.bytes+3)/4), make([]uint32, 2048), make([]uint32, 256)
			fill := rand.New(rand.NewPCG(seed, 1))
			for i := range data {
				data[i] = fill.Uint32() &^ 0x40004000 // no infinite floats
			}
			for i := range results {
				results[i] = fill.Uint32() &^ 0x40004000
			}
			grid := driver.Grid{Threadgroups: [3]int{k.groups, 1, 1}, Threads: [3]int{k.threads, 1, 1}}
			err := executeOn(t.Context(), t, dev, k.source, grid, data, results, out, uint32(k.threads),
				uint32(k.stride), uint32(k.count), shared(4096))
			if err != nil {
				return nil, err
			}
			return bitsOfAll(out), nil
		})
		if err != nil {
			t.Errorf("seed %d, %d threads, %d bytes: %v\n%s", seed, k.threads, k.bytes, err, k.source)
		}
	}
}

// rowKernel is a kernel whose threads read rows of so many elements, count of them, from a buffer of some bytes.
type rowKernel struct {
	source                                string
	groups, threads, stride, count, bytes int
}

func newRowKernel(r *rand.Rand) (k rowKernel) {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	elements := one("float", "int", "char", "uchar", "short", "ushort", "half", "char4", "uchar2", "short2", "float2")
	size := map[string]int{"char": 1, "uchar": 1, "short": 2, "ushort": 2, "half": 2, "uchar2": 2, "float2": 8}[elements]
	size = cmp.Or(size, 4)
	value := func(at string) string {
		switch elements {
		case "char4", "uchar2", "short2", "float2":
			return fmt.Sprintf("(float(%s.x) - float(%s.y))", at, at)
		}
		return fmt.Sprintf("float(%s)", at)
	}
	k.threads = []int{32, 64, 40, 17}[r.IntN(4)]
	k.stride = []int{8, 8, 16, 33, 64, 100, 128, 136}[r.IntN(8)]
	k.count = []int{3, 9, 30, k.stride, k.stride}[r.IntN(5)]
	k.bytes = max(64, 2*k.threads*k.stride*size+[]int{0, 0, 4, 64, -4, -400}[r.IntN(6)])
	memory, space := one("data", "data", "results", "results", "t"), "device"
	k.groups = 2
	switch memory {
	case "t":
		space = "threadgroup"
	case "results": // how far another threadgroup has come is chance
		k.groups = 1
	}
	row := fmt.Sprintf("%s * %s", one("i", "i", "l", "(n - 1 - l)"), one(fmt.Sprint(k.stride), "s", "s"))
	column := "k" + one("", "", " + 1", " * 2 / 2", " ^ 1")
	at, moved, apart := fmt.Sprintf("w[%s + %s]", row, column), "", size
	if r.IntN(3) == 0 { // by a pointer of each thread
		at, moved = fmt.Sprintf("w[%s]", column), fmt.Sprintf("w += %s;", row)
		apart = []int{size, size, size, 1}[r.IntN(4)]
	}
	again := one("", "", fmt.Sprintf("sum += %s;", value(fmt.Sprintf("w[i * s + k + %d]", 1+r.IntN(4)))))
	again += one("", "", "sum += floats[data[k + i] & 31];", "sum -= floats[(data[i] & 15) + n];",
		"sum += bytes[data[i * 3] % 11];", "sum += float(halves[data[k] + i & 7]);", "sum += bytes[data[i] & 15];")
	loop := one("for (uint k = 0; k < count; k++)", "for (uint k = 0; k < count; k += 2)",
		"for (int k = int(count) - 1; k >= 0; k--)", "for (uint k = l % 4; k < count; k += 3)",
		"for (uint k = 0, e = n * 30; k < e; k += n)", "for (uint k = 0; k < 8; k++)")
	store := one("", "", "results[i * 16] = as_type<uint>(sum);", "((threadgroup float*)t)[l * s] = sum;",
		"atomic_fetch_add_explicit((device atomic_uint*)results + i * 16, 7u, memory_order_relaxed);")
	k.source = fmt.Sprintf(`constant float floats[32] = {1, 2.5f, -3, 7, 9, 8, 1e9f, 4, 5, 6, 7, 8, 9, -0.0f, 12, 31};
constant char bytes[11] = {-128, 127, 3, -4, 5, 6, 7, -8, 9, 1, 0};
constant half halves[8] = {1.0h, -2.5h, 0.1h, 7.0h, 6.0h, 5.0h, -4.0h, 3.0h};
kernel void test(device const uchar* data, device uint* results, device float* out,
		constant uint& n, constant uint& s, constant uint& count, threadgroup uint* t,
		uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]]) {
	if (%s) return;
	%s const %s* w = (%s const %s*)((%s const uchar*)%s + %s * %d);
	float sum = 0;
	%s
	for (uint round = 0; 20 * round < count + 20; round++) {
		%s %s { sum += %s * (1 + k %% 3); %s %s }
		%s
		sum *= 0.5f;
	}
	out[i] = sum;
}`, one("i > 1000", "l >= 61", "l % 5 == 1", "l < 2"), space, elements, space, elements, space, memory,
		one("0", "0", "1", "3", "16", "5"), apart, moved, loop, one("", "", "for (uint j = 0; j < 3; j++)"), value(at), again,
		one("", "", store), store)
	return k
}
