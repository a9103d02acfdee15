package cpu

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var storingKernels = flag.Int("storingkernels", 25, "how many kernels whose threads store rows are compared")

// TestThreadsThatStoreRowsStoreWhatTheInterpreterDoes: each has a row of its own, of any length, along which it stores
// words, and reads others, of buffers that may be the same memory, to the end of a loop, or to the end of a buffer.
func TestThreadsThatStoreRowsStoreWhatTheInterpreterDoes(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*storingKernels) {
		r := rand.New(rand.NewPCG(seed, 27))
		k := newStoringKernel(r)
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			defer dev.Close()
			grid := driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{k.threads, 1, 1}}
			return runSharing(t, dev, k.source, grid, 3, k.words, seed, k.same,
				uint32(1), uint32(k.stride), uint32(k.count))
		})
		if err != nil {
			t.Errorf("seed %d, %d threads, %d words, stride %d, %d rounds, shared %d: %v\n%s", seed, k.threads, k.words,
				k.stride, k.count, k.same, err, k.source)
		}
	}
}

// runSharing runs a kernel that takes some buffers of so many random words each, and then values. The second and the
// third buffer may be at an offset in the first. It returns the bits of all, if the kernel has run.
func runSharing(t testing.TB, dev *Device, source string, grid driver.Grid, count, words int, seed uint64,
	same [2]int, values ...any,
) ([]uint64, error) {
	t.Helper()
	fill := rand.New(rand.NewPCG(seed, 1))
	buffers, args := make([][]uint32, count), make([]any, count)
	for i := range buffers {
		buffers[i] = make([]uint32, words)
		for j := range buffers[i] {
			buffers[i][j] = fill.Uint32() &^ 0x40004000
		}
		args[i] = buffers[i]
	}
	d, results := dispatchOf(t, dev, source, grid, append(args, values...)...)
	for i, at := range same {
		if at >= 0 {
			b := &d.Buffers[1+i]
			b.Memory, b.Offset, b.Length = d.Buffers[0].Memory, at, b.Length-at
		}
	}
	done, err := run(t.Context(), t, dev, d)
	if !done {
		return nil, err
	}
	for i := range results {
		copy(bytesOfSlice(results[i].to), results[i].memory.Bytes())
	}
	return bitsOfAll(buffers...), err
}

// TestThreadsWhoseRowsAreInOneSetOfTheCacheStoreWhatTheInterpreterDoes: several lines of each wait to be stored. The
// last rows may end within these lines, or the buffer does.
func TestThreadsWhoseRowsAreInOneSetOfTheCacheStoreWhatTheInterpreterDoes(t *testing.T) {
	t.Parallel()
	const threads, stride = 64, 512
	for _, loop := range []string{
		"for (uint k = 0; k < count; k++) { sum += a[l * s + k]; b[l * s + k] = sum; }",
		"for (uint k = 3; k < count - 20; k++) { sum += a[l * s + k]; b[l * s + k] = sum; }",
		"for (uint k = 0; k < count; k++) { sum += a[k]; b[(63 - l) * s + k] = sum; }",
		"for (uint k = 17; k < count; k++) { b[l * s + k] = sum; sum += b[l * s + k - 17] + k; }",
		"for (uint k = 0; k < count; k++) { if (l < 32 || k < 300) b[l * s + k] = k; if (k == 333) break; }",
		"for (uint k = 0; k < count + 9; k++) { b[l * s + k] = k; c[l * s + k] = sum++; }",
	} {
		for _, count := range []uint32{190, stride} {
			source := `
kernel void test(device uint* a, device uint* b, device uint* c, constant uint& s, constant uint& count,
		uint l [[thread_index_in_threadgroup]]) {
	uint sum = l;
	` + loop + `
}`
			err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
				defer dev.Close()
				var buffers [3][]uint32
				for i := range buffers {
					buffers[i] = make([]uint32, threads*stride)
					for j := range buffers[i] {
						buffers[i][j] = uint32(i + j)
					}
				}
				grid := driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{threads, 1, 1}}
				d, results := dispatchOf(t, dev, source, grid, buffers[0], buffers[1], buffers[2], uint32(stride), count)
				_, err := run(t.Context(), t, dev, d)
				for i := range results {
					copy(bytesOfSlice(results[i].to), results[i].memory.Bytes())
				}
				return bitsOfAll(buffers[:]...), err
			})
			if err != nil {
				t.Errorf("%d rounds of %s: %v", count, loop, err)
			}
		}
	}
}

// storingKernel is a kernel whose threads store rows of so many words, count of them. The second and third buffer may
// be at an offset in the first.
type storingKernel struct {
	source                        string
	threads, stride, count, words int
	same                          [2]int
}

func newStoringKernel(r *rand.Rand) (k storingKernel) {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	k.threads = []int{32, 64, 64, 96, 40, 17}[r.IntN(6)]
	k.stride = []int{8, 16, 17, 33, 64, 64, 100, 128}[r.IntN(8)]
	k.count = []int{3, 9, 30, k.stride, k.stride, k.stride + 5}[r.IntN(6)]
	k.words = 96*k.stride*[]int{1, 1, 2, 5}[r.IntN(4)] + []int{0, 400, -40, -400}[r.IntN(4)]
	if r.IntN(4) == 0 {
		k.words = max(512, k.threads*k.stride-r.IntN(100))
	}
	k.same = [2]int{-1, -1}
	if r.IntN(3) == 0 {
		k.same[r.IntN(2)] = []int{0, 4, 64, 1024}[r.IntN(4)]
	}
	row := func() string { return one("l", "l", "l", "(95 - l)", "(l ^ 1)") }
	step := one(fmt.Sprint(k.stride), "s", "s")
	at := func() string {
		return fmt.Sprintf("%s * %s + k%s", row(), step, one("", "", "", " + 1", " - 1", " * 2", " ^ 1", " / 2"))
	}
	load := func() string {
		return one("sum += a["+at()+"];", "sum += a["+at()+"];", "sum ^= ((device uchar*)a)["+at()+"];", "sum += a[k];",
			"sum *= 3;", "sum += "+one("a", "b", "c")+"["+at()+"];", "")
	}
	store := func() string {
		w := one("b", "b", "b", "b", "b", "b", "c", "a")
		s := one("%s[%s] = sum;", "%s[%s] = sum;", "%s[%s] = sum;", "%s[%s] = sum;",
			"%[1]s[%[2]s] = sum; %[1]s[%[2]s + 1] = k;",
			"if (sum & 3) %s[%s] = sum;", "if (k & 16) %s[%s] = sum;", "*(device uint2*)(%s + (%s & ~1u)) = uint2(sum, k);",
			"*(device uint4*)(%s + (%s) * 4) = uint4(sum, k, l, 7);", "((device ushort*)%s)[%s] = sum;")
		return fmt.Sprintf(s, w, at())
	}
	body := load() + load()
	if r.IntN(2) == 0 { // what the threads store of their rows, have stored, or store next, or of those beside them
		row := one("l", "l", "(95 - l)")
		body += fmt.Sprintf("sum += b[%s * %s + k%s];", row, step,
			one("", " - 1", " - 1", " - 2", " + 1", " - 17", " - s", " - s - 1", " + s - 3", " + s"))
		body += fmt.Sprintf("b[%s * %s + k] = sum;", row, step)
	} else {
		body += store()
	}
	if r.IntN(3) == 0 {
		body += store()
	}
	body += load() + one("", "", "", "if (sum % 61 == 3) break;", "if (k + l == 70) return;", "if (k == 40) continue;",
		"for (uint j = 0; j < 20; j++) { "+load()+" }", "for (uint k = 0; k < 20; k++) { "+store()+" }")
	k.source = fmt.Sprintf(`
kernel void test(device uint* a, device uint* b, device uint* c,
		constant uint& n, constant uint& s, constant uint& count, uint l [[thread_index_in_threadgroup]]) {
	if (%s) return;
	uint sum = l;
	for (uint round = 0; 20 * round < count; round++) {
		%s { %s }
		%s
		sum += round;
	}
	%s
}`, one("l > 1000", "l > 1000", "l > 1000", "l >= 61", "l % 5 == 1"),
		one("for (uint k = 0; k < count; k++)", "for (uint k = 0; k < count; k++)", "for (uint k = 0; k < count; k += 2)",
			"for (int k = int(count) - 1; k >= 0; k--)", "for (uint k = l % 4; k < count; k++)",
			"for (uint k = 0, e = n * 30; k < e; k += n)", "for (uint k = 0; k < 8 + l; k++)"),
		body, one("", "", "uint k = round; "+load(), "uint k = round; "+store()), one("", "b[l] = sum;", "c[l * s] = sum;"))
	return k
}
