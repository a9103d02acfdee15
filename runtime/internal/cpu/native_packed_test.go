package cpu

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var packedKernels = flag.Int("packedkernels", 24, "how many kernels whose threads have elements in a row are compared")

// TestThreadsWithElementsInARowDoWhatTheInterpreterDoes: each loads and stores a few, right after those of the thread
// before or with something in between, in buffers that begin and end anywhere.
func TestThreadsWithElementsInARowDoWhatTheInterpreterDoes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*packedKernels) {
		r := rand.New(rand.NewPCG(seed, 27))
		source, threads, bytes, stored := packedKernel(r)
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			data, results := make([]uint32, (bytes+3)/4), make([]uint32, (stored+3)/4)
			fill := rand.New(rand.NewPCG(seed, 1))
			for i := range data {
				data[i] = fill.Uint32()
			}
			grid := driver.Grid{Threadgroups: [3]int{2, 1, 1}, Threads: [3]int{threads, 1, 1}}
			err := executeOn(t.Context(), t, dev, source, grid, data, results, uint32(threads), shared(8192))
			return bitsOfAll(results), err
		})
		if err != nil {
			t.Errorf("seed %d, %d threads, %d and %d bytes: %v\n%s", seed, threads, bytes, stored, err, source)
		}
	}
}

// packedKernel returns a kernel, and the bytes of its buffers: they may be too few.
func packedKernel(r *rand.Rand) (source string, threads, bytes, stored int) {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	type element struct {
		name string
		size int
	}
	elements := []element{{"uchar", 1}, {"char", 1}, {"ushort", 2}, {"short", 2}, {"uint", 4}, {"int", 4}}
	from, to := elements[r.IntN(len(elements))], elements[r.IntN(len(elements))]
	apart, count := 1+r.IntN(20), 1+r.IntN(10)
	threads = []int{32, 64, 40, 17}[r.IntN(4)]
	more := func() int { return []int{0, 0, 4, 64, -4, -80}[r.IntN(6)] }
	skew, skewed := r.IntN(4), r.IntN(2)
	bytes = max(4, (2*threads*apart+skew)*from.size+more())
	stored = max(4, (2*threads*count+skewed)*to.size+more())
	var loads, stores strings.Builder
	for range 1 + r.IntN(5) {
		fmt.Fprintf(&loads, "\t\tsum = sum * 3 + uint(w[i * %d + %d]);\n", apart, r.IntN(apart+2))
	}
	for n := range count {
		fmt.Fprintf(&stores, "\t\to[%d] = %s(sum >> %d);\n", n, to.name, 3*n)
	}
	space, memory := "device", "results"
	if r.IntN(4) == 0 {
		space, memory, stored = "threadgroup", "t", 4096
		fmt.Fprintf(&stores, "\t\tfor (uint k = 0; k < 4; k++) results[i * 4 + k] = t[l * 4 + k];\n")
	}
	return fmt.Sprintf(`kernel void test(device const uchar* data, device uint* results, constant uint& n,
		threadgroup uint* t, uint i [[thread_position_in_grid]], uint l [[thread_index_in_threadgroup]]) {
	for (uint k = 0; k < 4; k++) t[l * 4 + k] = 0;
	device const %s* w = (device const %[1]s*)data + %d;
	%s uchar* bytes = (%[3]s uchar*)%s;
	if (%s) {
		uint sum = i;
%s		%[3]s %s* o = (%[3]s %[7]s*)bytes + %s * %d + %d;
%s	}
}`, from.name, skew, space, memory, one("true", "true", "l % 5 != 1", "l > 2", "n > 20"), loads.String(), to.name,
		map[string]string{"device": "i", "threadgroup": "l"}[space], count, skewed, stores.String()), threads, bytes, stored
}
