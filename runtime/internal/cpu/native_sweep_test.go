package cpu

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var sweptKernels = flag.Int("sweptkernels", 60, "how many kernels without loops are compared, and with one")

var firstSwept = flag.Uint64("firstswept", 0, "the seed of the first kernel of straight code that is compared")

// TestKernelsWithoutLoopsDoTheSameInMachineCode: simd-groups of such kernels are swept, where all of them are inside of
// what they access. Some of these are not, in the middle or at the ends of the grid, or are not aligned, or store to
// what the next one reads.
func TestKernelsWithoutLoopsDoTheSameInMachineCode(t *testing.T) {
	compareStraight(t, newSweptKernel, true)
}

// TestLoopsOverRowsDoTheSameInMachineCode: kernels with one loop that reads and writes rows, side by side or apart, to
// the end of buffers and beyond.
func TestLoopsOverRowsDoTheSameInMachineCode(t *testing.T) {
	compareStraight(t, newLoopingKernel, false) // simd-groups take turns: where one goes wrong, others have gone on
}

// compareStraight compares what kernels leave in memory, and how they go wrong. Memory may be another one then, unless
// afterFaults is set.
func compareStraight(t *testing.T, kernel func(r *rand.Rand) sweptKernel, afterFaults bool) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // threadgroups run in their order: they store to the same words
	wrong := 0
	for i := range uint64(*sweptKernels) {
		seed := *firstSwept + i
		k := kernel(rand.New(rand.NewPCG(seed, 41)))
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			defer dev.Close()
			bits, err := runSharing(t, dev, k.source, k.grid, 4, k.words, seed, k.same,
				k.n, uint32(k.shift))
			if fault := (*driver.Fault)(nil); err != nil && !errors.As(err, &fault) {
				t.Errorf("seed %d: %v\n%s", seed, err, k.source)
			}
			if err != nil {
				wrong++
				if !afterFaults {
					return nil, err
				}
			}
			return bits, err
		})
		if err != nil {
			t.Errorf("seed %d, grid %v, %d words, n %d, shift %d, shared %d: %v\n%s", seed, k.grid, k.words, k.n, k.shift,
				k.same, err, k.source)
		}
	}
	if *sweptKernels >= 60 && wrong == 0 {
		t.Error("none goes wrong")
	}
}

// TestSweepsLoadWhatOtherCodeHasInRegisters: a number that is read so often that it has a register of its own there.
func TestSweepsLoadWhatOtherCodeHasInRegisters(t *testing.T) {
	t.Parallel()
	const n = 4096
	y, x := make([]uint32, 12*n), make([]uint32, n)
	for i := range y {
		y[i] = uint32(i) * 2654435761
	}
	grid := driver.Grid{Threadgroups: [3]int{n / 128, 1, 1}, Threads: [3]int{128, 1, 1}}
	devices := twoDevices(t)
	devices[0].Close()
	err := executeOn(t.Context(), t, devices[1], `
kernel void test(device uint* x, device const uint* y, constant uint& n, uint i [[thread_position_in_grid]]) {
	uint sum = 0;
	for (uint k = 0; k < 12; k++) sum += y[i + k * n] << k;
	x[i] = sum;
}`, grid, x, y, uint32(n))
	if err != nil {
		t.Fatal(err)
	}
	for i, got := range x {
		want := uint32(0)
		for k := range 12 {
			want += y[i+k*n] << k
		}
		if got != want {
			t.Fatalf("%d is %#x, not %#x", i, got, want)
		}
	}
}

// TestSweepsDoNoMoreThanCountUp: kernels whose simd-groups differ in more than where a row of threads is, or whose
// numbers wrap around on the way, or that know no thread.
func TestSweepsDoNoMoreThanCountUp(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n = 1 << 15
	const place, index = "uint i [[thread_position_in_grid]]", "uint l [[thread_index_in_threadgroup]]"
	row := driver.Grid{Threadgroups: [3]int{32, 1, 1}, Threads: [3]int{128, 1, 1}}
	box := driver.Grid{Threadgroups: [3]int{32, 1, 1}, Threads: [3]int{2, 16, 4}}
	for _, test := range []struct {
		args, body string
		grid       driver.Grid
	}{
		{
			index + ", uint2 t [[thread_position_in_threadgroup]], uint g [[simdgroup_index_in_threadgroup]]",
			"if (k < 9) x[l] = y[l] + g; else x[l] = t.x + t.y;", box,
		},
		{index, "uint v = y[k & 3]; (void)v;", row},
		{place, "((device ulong*)x)[i] = i + uint(k);", row},
		{place, "((device ulong*)x)[i] = ulong(y + (i + uint(k))) - ulong(y);", row},
	} {
		err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
			x, y := make([]uint32, n), make([]uint32, n)
			for i := range y {
				y[i] = uint32(i) * 2654435761
			}
			source := fmt.Sprintf("kernel void test(device uint* x, device uint* y, constant int& k, %s) { %s }", test.args,
				test.body)
			err := executeOn(t.Context(), t, dev, source, test.grid, x, y, int32(-2000))
			return bitsOfAll(x, y), err
		})
		if err != nil {
			t.Errorf("%s: %v", test.body, err)
		}
	}
}

// TestKernelsThatGoStraightOnAreSwept and no others: those whose accesses may be outside between two that are inside
// are not.
func TestKernelsThatGoStraightOnAreSwept(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body  string
		swept bool
	}{
		{"if (i < n) x[i] = y[i] * 2;", true},
		{"if (i >= n) return; x[i] = y[3 * i + 1] + y[i + k];", true},
		{"if (i < 2 || i >= n || at.y > n) return; x[at.y * n + i] = y[(at.y + 1) * n + i - 1];", true},
		{"if (n > 4) x[i] = y[i]; else x[i] = y[0];", true},
		{"x[i] = select(y[n - i], 3u, y[i] > 7);", true},
		{"for (uint j = 0; j < n; j++) x[i] += y[j];", false},
		{"if (y[i] < n) x[i] = 1;", false},        // what is loaded says who stores
		{"x[y[i]] = 1;", false},                   // or where
		{"x[y[0] + i] = 1;", false},               // which another thread may change
		{"x[min(i, n)] = 1;", false},              // not by the same from each to the next
		{"x[i * n] = 1;", false},                  // by how much is not known
		{"if (i == 5) return; x[i] = 1;", false},  // inside at both ends, and not between them
		{"if (i < 5 || i > 99) x[i] = 1;", false}, // the same
		{"x[i / 2] = y[i];", false},               // several threads store to one word
		{"x[0] = i;", false},                      // and so here
		{"x[i] = simd_shuffle_down(y[i], 1);", false},
		{"((device ulong*)x)[i] = i + k;", false}, // what wraps around on the way is another number then
		{"((device ulong*)x)[i] = ulong(y + int(i + k));", false},
		{"device uchar* p = (device uchar*)y + int((i + k) * 16); x[i] = ((device uint4*)p)[i * 4080].x;", false},
		{"atomic_fetch_add_explicit((device atomic_uint*)x, 1, memory_order_relaxed);", false},
	}
	var source strings.Builder
	source.WriteString("#include <metal_stdlib>\nusing namespace metal;\n")
	for i, test := range tests {
		fmt.Fprintf(&source, `kernel void test%d(device uint* x, device uint* y, constant uint& n, constant int& k,
			uint2 at [[thread_position_in_grid]]) { const uint i = at.x; %s }
		`, i, test.body)
	}
	file := filepath.Join(t.TempDir(), "test.metal")
	if err := os.WriteFile(file, []byte(source.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	i := 0
	(&corpus{dir: filepath.Dir(file)}).eachProgram(file, func(p *interp.Code) {
		test := tests[i]
		i++
		for _, m := range allMachines {
			code, err := machine.Make(p.Program, machine.CountingInRows(p.Program), nil, m.make, nil)
			if err != nil {
				t.Fatal(err)
			}
			if swept := code.Sweep != nil; swept != test.swept {
				t.Errorf("%s: %s is swept: %t", m.name, test.body, swept)
			}
		}
	})
	if i < len(tests) {
		t.Errorf("%d of %d kernels compile", i, len(tests))
	}
}

// sweptKernel is a kernel without loops. The second and third buffer may be at an offset in the first.
type sweptKernel struct {
	source string
	grid   driver.Grid
	words  int
	n      uint32
	shift  int32
	same   [2]int
}

func newSweptKernel(r *rand.Rand) (k sweptKernel) {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	number := func(list ...int) int { return list[r.IntN(len(list))] }
	threads := number(32, 32, 64, 96, 128, 256, 40)
	groups := number(1, 2, 3, 7, 16, 40)
	k.grid = driver.Grid{Threadgroups: [3]int{groups, 1, 1}, Threads: [3]int{threads, 1, 1}}
	switch r.IntN(6) {
	case 0:
		k.grid.Threadgroups[1] = number(2, 3)
	case 1:
		k.grid.Threads[1] = 2
	}
	all := threads * groups
	k.n = uint32(number(all, all, all, all-1, all-32, all/2, max(all-100, 0), all+100))
	k.shift = int32(number(0, 0, 0, 1, 2, 3, 32, 64, -1, -64, 1<<20, -1<<31, 1<<31-16))
	k.words = all*number(1, 1, 2, 4, 4, 8) + number(0, 0, 64, 256, -1, -64)
	k.words = max(k.words, 64)
	k.same = [2]int{-1, -1}
	if r.IntN(3) == 0 {
		k.same[r.IntN(2)] = number(0, 0, 4, 64, 128)
	}
	kinds := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		kinds[name] = one("uint", "uint", "float", "uchar", "ushort", "half", "uchar4", "uint2", "uint4", "char",
			"packed_uchar3")
	}
	var body strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&body, "\t"+format+"\n", args...) }
	index := func() string {
		scaled := one("i", "i", "i", "i", "i", "i * 2", "i * 3", "i + i", "(i << 2)", "i * 3", "n - i")
		if k.grid.Threadgroups[1] > 1 && r.IntN(2) == 0 {
			scaled = "at.y * n + " + scaled
		}
		return scaled + one("", "", "", "", "", "", "", "", " + 1", " - 1", " + 32", " - 40", " + shift", " - shift",
			" + ((device uint*)a)[shift & 7]")
	}
	signed := func(s string) string {
		if r.IntN(2) == 0 {
			return "int(" + s + ")"
		}
		return s
	}
	place := func(name string) string {
		switch r.IntN(12) {
		case 0:
			return fmt.Sprintf("(%s + %s)[%s]", name, one("shift", "1", "-1", "at.y * n"), signed(index()))
		case 1:
			return fmt.Sprintf("((device %s*)((device uchar*)%s + shift))[%s]", kinds[name], name, signed(index()))
		}
		return fmt.Sprintf("%s[%s]", name, signed(index()))
	}
	value := func(kind, of string) string {
		switch kind {
		case "uchar4", "packed_uchar3":
			return "uint(" + of + ".x) + " + of + ".z"
		case "uint2", "uint4":
			return of + ".x ^ " + of + ".y"
		}
		return "uint(" + of + ")"
	}
	guard := func() string {
		return one("i >= n", "i >= n", "i >= n", "i >= n", "i >= n", "i + 1 > n", "int(i) >= int(n) - shift",
			"i < 5", "at.y >= 2", "i == 77", "i >= n || i < 2", "i < 2 || at.y > 1 || i > n", "sum == 3")
	}
	closing := 0
	for range 2 + r.IntN(5) {
		name := one("a", "b", "c")
		switch r.IntN(8) {
		case 0, 1, 2:
			v := fmt.Sprint("v", body.Len())
			line("%s %s = %s; sum += %s;", kinds[name], v, place(name), value(kinds[name], v))
		case 3, 4:
			line("%s = %s;", place(name), made(kinds[name]))
		case 5:
			line("if (%s) return;", guard())
		case 6:
			line("if (!(%s)) {", guard())
			closing++
		case 7:
			line("sum = %s;", one("sum * 3 + i", "min(sum, i)", "sum / 3", "select(sum, i, i > 40)", "uint(exp(float(i)))",
				"sum / (n + 1)", "popcount(sum)"))
		}
	}
	name := one("b", "b", "b", "c", "a")
	line("%s = %s;%s", place(name), made(kinds[name]), strings.Repeat(" }", closing))
	k.source = fmt.Sprintf(`kernel void test(device %s* a, device %s* b, device %s* c, device uint* d,
		constant uint& n, constant int& shift, uint2 at [[thread_position_in_grid]]) {
	const uint i = at.x;
	uint sum = i;
%s}`, kinds["a"], kinds["b"], kinds["c"], &body)
	return k
}

// made is a value of a type.
func made(kind string) string {
	switch kind {
	case "uchar4", "packed_uchar3":
		return "uchar3(uchar(sum), uchar(i), uchar(sum >> 8))" + map[string]string{"uchar4": ".xyzx"}[kind]
	case "uint2":
		return "uint2(sum, i)"
	case "uint4":
		return "uint4(sum, i, n, 7)"
	case "half":
		return "half(sum & 255)"
	case "float":
		return "float(sum & 65535)"
	}
	return kind + "(sum)"
}

// newLoopingKernel is a kernel with a loop.
func newLoopingKernel(r *rand.Rand) (k sweptKernel) {
	one := func(list ...string) string { return list[r.IntN(len(list))] }
	number := func(list ...int) int { return list[r.IntN(len(list))] }
	threads, groups := number(32, 64, 64, 128, 40), number(1, 1, 2, 3)
	k.grid = driver.Grid{Threadgroups: [3]int{groups, 1, 1}, Threads: [3]int{threads, 1, 1}}
	k.n = uint32(number(0, 7, 40, 256, 512, 1000, 1024, 2048, 4000))
	k.shift = int32(number(1, 2, 32, 32, 64, 64, threads, threads*groups, 1<<20, 1<<28))
	k.words = int(k.n)*number(1, 1, 2, 4) + number(64, 128, 300, -40)
	k.words = max(k.words, 2*threads*groups)
	k.same = [2]int{-1, -1}
	if r.IntN(3) == 0 {
		k.same[r.IntN(2)] = number(0, 0, 4, 64, 128)
	}
	kinds := map[string]string{}
	for _, name := range []string{"a", "b", "c"} {
		kinds[name] = one("uint", "uint", "float", "uchar", "ushort", "half", "uint2")
	}
	var body strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&body, "\t\t"+format+"\n", args...) }
	place := func(name string) string {
		return name + "[" + one("k", "k", "k", "k", "k", "i + k", "k * 2", "k + 1", "k + n", "j", "j + k", "i", "k - 32",
			"0") + "]"
	}
	value := func(kind, of string) string {
		if kind == "uint2" {
			return of + ".x ^ " + of + ".y"
		}
		return "uint(" + of + ")"
	}
	for range 1 + r.IntN(4) {
		name := one("a", "b", "c")
		switch r.IntN(9) {
		case 0, 1, 2, 3:
			v := fmt.Sprint("v", body.Len())
			line("%s %s = %s; sum += %s;", kinds[name], v, place(name), value(kinds[name], v))
		case 4, 5:
			line("%s = %s;", place(name), made(kinds[name]))
		case 6:
			line("if (%s) %s", one("k < 100", "sum > 7", "i < n"), one("sum *= 3;", "last = k;", "break;", "continue;",
				place("b")+" = "+made(kinds["b"])+";"))
		case 7:
			line("%s", one("sum = sum * 5 + k;", "last = k;", "part += float(k);", "most = max(most, part * 2);", "j += 64;",
				"j += 1;"))
		case 8:
			line("p += %s; sum += *p;", one("32", "64", "1", "shift"))
		}
	}
	k.source = fmt.Sprintf(`kernel void test(device %s* a, device %s* b, device %s* c, device uint* d,
		constant uint& n, constant int& shift, uint i [[thread_position_in_grid]],
		uint l [[thread_position_in_threadgroup]]) {
	uint sum = i, last = 0, j = %s;
	float part = 0, most = 1;
	device const uint* p = (device const uint*)a + %s;
	for (uint k = %s; %s; k += %s) {
%s	}
	d[i] = sum; // which no loop reads: simd-groups may take turns
	d[i + %d] = last + j + uint(part) + uint(most);
}`, kinds["a"], kinds["b"], kinds["c"], one("0", "i", "l"), one("i", "l", "0"), one("i", "i", "l", "0", "n / 2"),
		one("k < n", "k < n", "k < n", "k + 1 < n", "int(k) < int(n)", "k < n && sum != 5", "k <= n"),
		one("shift", "shift", "32", "64", "1", "128"), &body, threads*groups)
	return k
}
