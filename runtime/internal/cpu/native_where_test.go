package cpu

import (
	"slices"
	"testing"
)

// countedComparisons are comparisons of what counts up from a thread to the next with a number, as MSL has them of a, b
// and of c, d, the same words with a sign.
var countedComparisons = []struct {
	text  string
	holds func(a, b uint32) bool
}{
	{"a < b", func(a, b uint32) bool { return a < b }}, {"b < a", func(a, b uint32) bool { return b < a }},
	{"a <= b", func(a, b uint32) bool { return a <= b }}, {"b <= a", func(a, b uint32) bool { return b <= a }},
	{"a == b", func(a, b uint32) bool { return a == b }}, {"b != a", func(a, b uint32) bool { return a != b }},
	{"c < d", func(a, b uint32) bool { return int32(a) < int32(b) }},
	{"d < c", func(a, b uint32) bool { return int32(b) < int32(a) }},
	{"c <= d", func(a, b uint32) bool { return int32(a) <= int32(b) }},
	{"d <= c", func(a, b uint32) bool { return int32(b) <= int32(a) }},
}

// TestNativeCodeComparesWhatCounts from lane to lane, around the numbers at which all lanes, some or none hold, and
// where they wrap around.
func TestNativeCodeComparesWhatCounts(t *testing.T) {
	t.Parallel()
	dev := nativeDevice(t)
	defer dev.Close()
	var numbers []uint32
	for _, around := range []uint32{0, 32, 1 << 31} {
		for _, by := range []uint32{33, 31, 1, 0} {
			numbers = append(numbers, around-by, around+by)
		}
	}
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	n := len(numbers)
	for _, test := range countedComparisons {
		source := `kernel void test(device uint* x, device const uint* y, constant uint& n,
				uint i [[thread_index_in_threadgroup]]) {
			for (uint k = 0; k < n * n; k++) {
				const uint a = y[k / n] + i, b = y[k % n];
				const int c = int(a), d = int(b);
				if (` + test.text + `) x[32 * k + i] = 1;
			}
		}`
		have, want := make([]uint32, 32*n*n), make([]uint32, 32*n*n)
		for at := range want {
			if i, k := at%32, at/32; test.holds(numbers[k/n]+uint32(i), numbers[k%n]) {
				want[at] = 1
			}
		}
		if err := executeKept(t.Context(), t, dev, source, threads(32), have, numbers, uint32(n)); err != nil {
			t.Fatal(err)
		}
		for at := range want {
			if have[at] != want[at] {
				t.Fatalf("%s: with %#x and lane %d, and %#x: %d", test.text, numbers[at/32/n], at%32,
					numbers[at/32%n], have[at])
			}
		}
	}
}
