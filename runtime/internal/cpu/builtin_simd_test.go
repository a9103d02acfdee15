package cpu

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The result of a group function in a lane depends on what the lanes of its group hold.
// The functions of 4-groups are those of simd-groups on four lanes.

// groupInput is what one group sees, as cells.
type groupInput struct {
	data   []uint64
	fill   []uint64
	active []bool
	by     []int // what each lane passes
	same   int   // what all lanes pass
	modulo int
}

// groupReductions join the active lanes.
var groupReductions = []struct {
	name    string
	neutral float64
	class   string // of types: "" for all numbers
	join    func(s *scalar, a, b uint64) uint64
}{
	{"sum", 0, "", addCells},
	{"product", 1, "", multiplyCells},
	{"max", 0, "", func(s *scalar, a, b uint64) uint64 { return s.ordered(a, b)[1] }},
	{"min", 0, "", func(s *scalar, a, b uint64) uint64 { return s.ordered(a, b)[0] }},
	{"and", 0, "integers", func(_ *scalar, a, b uint64) uint64 { return a & b }},
	{"or", 0, "integers", func(_ *scalar, a, b uint64) uint64 { return a | b }},
	{"xor", 0, "integers", func(_ *scalar, a, b uint64) uint64 { return a ^ b }},
}

func addCells(s *scalar, a, b uint64) uint64 {
	if s.digits > 0 {
		return s.cell(math.Float64frombits(a) + math.Float64frombits(b))
	}
	return s.wrap(a + b)
}

func multiplyCells(s *scalar, a, b uint64) uint64 {
	if s.digits > 0 {
		return s.cell(math.Float64frombits(a) * math.Float64frombits(b))
	}
	return s.wrapped(new(big.Int).Mul(s.number(a), s.number(b)))
}

func (s *scalar) ordered(a, b uint64) [2]uint64 {
	less := a < b
	if s.digits > 0 {
		less = math.Float64frombits(a) < math.Float64frombits(b)
	} else if s.signed {
		less = int64(a) < int64(b)
	}
	if less {
		return [2]uint64{a, b}
	}
	return [2]uint64{b, a}
}

// groupMoves read another lane: which one, or one of fill. What an inactive lane
// holds is undefined.
var groupMoves = []struct {
	name string
	args string // v and w are vectors; by varies from lane to lane, same does not
	from func(g *groupInput, lane, size int) (lane2 int, fill bool)
}{
	{"broadcast", "v, same % size", func(g *groupInput, _, size int) (int, bool) { return g.same % size, false }},
	{"broadcast_first", "v", func(g *groupInput, _, _ int) (int, bool) { return slices.Index(g.active, true), false }},
	{"shuffle", "v, by % size", func(g *groupInput, lane, size int) (int, bool) { return g.by[lane] % size, false }},
	{"shuffle", "v, same % size", func(g *groupInput, _, size int) (int, bool) { return g.same % size, false }},
	{"shuffle_xor", "v, by % size",
		func(g *groupInput, lane, size int) (int, bool) { return lane ^ g.by[lane]%size, false }},
	{"shuffle_xor", "v, same % size",
		func(g *groupInput, lane, size int) (int, bool) { return lane ^ g.same%size, false }},
	{"shuffle_down", "v, by",
		func(g *groupInput, lane, size int) (int, bool) { return inGroup(lane+g.by[lane], lane, size), false }},
	{"shuffle_down", "v, same",
		func(g *groupInput, lane, size int) (int, bool) { return inGroup(lane+g.same, lane, size), false }},
	{"shuffle_up", "v, by",
		func(g *groupInput, lane, size int) (int, bool) { return inGroup(lane-g.by[lane], lane, size), false }},
	{"shuffle_up", "v, same",
		func(g *groupInput, lane, size int) (int, bool) { return inGroup(lane-g.same, lane, size), false }},
	{"shuffle_rotate_down", "v, by",
		func(g *groupInput, lane, size int) (int, bool) { return (lane + g.by[lane]) % size, false }},
	{"shuffle_rotate_down", "v, same",
		func(g *groupInput, lane, size int) (int, bool) { return (lane + g.same) % size, false }},
	{"shuffle_rotate_up", "v, by",
		func(g *groupInput, lane, size int) (int, bool) { return (lane - g.by[lane] + 32*size) % size, false }},
	{"shuffle_rotate_up", "v, same",
		func(g *groupInput, lane, size int) (int, bool) { return (lane - g.same + 32*size) % size, false }},
	{"shuffle_and_fill_down", "v, w, same % size",
		func(g *groupInput, lane, size int) (int, bool) { return filled(lane, g.same%size, size) }},
	{"shuffle_and_fill_up", "v, w, same % size",
		func(g *groupInput, lane, size int) (int, bool) { return filled(lane, -(g.same % size), size) }},
	{"shuffle_and_fill_down", "v, w, same % modulo, modulo", func(g *groupInput, lane, size int) (int, bool) {
		n := min(g.modulo, size)
		return filled(lane, g.same%n, n)
	}},
	{"shuffle_and_fill_up", "v, w, same % modulo, modulo", func(g *groupInput, lane, size int) (int, bool) {
		n := min(g.modulo, size)
		return filled(lane, -(g.same % n), n)
	}},
}

// inGroup is where up and down read: lanes that would read beyond the group keep
// their own value.
func inGroup(to, lane, size int) int {
	if to < 0 || to >= size {
		return lane
	}
	return to
}

// filled moves by a number of lanes in vectors of n: what comes from beyond the end
// is the other end of the filling data.
func filled(lane, by, n int) (int, bool) {
	start := lane / n * n
	to := lane - start + by
	return start + (to+n)%n, to < 0 || to >= n
}

// groupVotes return a bool or a vote, here as an integer.
var groupVotes = []struct {
	name string
	call string
	ref  func(holds, active uint64, lane, size int) uint64
}{
	{"all", "all(c)", func(holds, active uint64, _, _ int) uint64 { return oneIf(holds == active) }},
	{"any", "any(c)", func(holds, _ uint64, _, _ int) uint64 { return oneIf(holds != 0) }},
	{"ballot", "ballot(c)", func(holds, _ uint64, _, _ int) uint64 { return holds }},
	{"active_threads_mask", "active_threads_mask()", func(_, active uint64, _, _ int) uint64 { return active }},
	{"is_first", "is_first()",
		func(_, active uint64, lane, _ int) uint64 { return oneIf(bits.TrailingZeros64(active) == lane) }},
	{"is_helper_thread", "is_helper_thread()", func(_, _ uint64, _, _ int) uint64 { return 0 }},
	{"vote_all", "ballot(c).all()", func(holds, _ uint64, _, size int) uint64 { return oneIf(holds == 1<<size-1) }},
	{"vote_any", "ballot(c).any()", func(holds, _ uint64, _, _ int) uint64 { return oneIf(holds != 0) }},
}

func oneIf(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

func groupNames() []string {
	var names []string
	for _, prefix := range []string{"simd_", "quad_"} {
		for _, f := range groupReductions {
			names = append(names, prefix+f.name)
		}
		for _, f := range groupMoves {
			names = append(names, prefix+f.name)
		}
		for _, f := range groupVotes {
			names = append(names, prefix+f.name)
		}
		for _, f := range prefixFunctions {
			names = append(names, prefix+f.name)
		}
	}
	return names
}

var prefixFunctions = []struct {
	name      string
	neutral   float64
	inclusive bool
	join      func(s *scalar, a, b uint64) uint64
}{
	{"prefix_inclusive_sum", 0, true, addCells},
	{"prefix_exclusive_sum", 0, false, addCells},
	{"prefix_inclusive_product", 1, true, multiplyCells},
	{"prefix_exclusive_product", 1, false, multiplyCells},
}

// groupCall is one call of a kernel, with what each lane should get; not every
// lane gets something defined.
type groupCall struct {
	text string
	ref  func(g *groupInput, lane, size int) (cell uint64, defined bool)
}

func groupCalls(s *scalar) []groupCall {
	var calls []groupCall
	for _, f := range groupReductions {
		if s == boolType || f.class == "integers" && s.digits > 0 {
			continue
		}
		calls = append(calls, groupCall{f.name + "(v)", func(g *groupInput, _, _ int) (uint64, bool) {
			var r uint64
			first := true
			for i, v := range g.data {
				switch {
				case !g.active[i]:
				case first:
					r, first = v, false
				default:
					r = f.join(s, r, v)
				}
			}
			return r, true
		}})
	}
	for _, f := range prefixFunctions {
		if s == boolType {
			continue
		}
		calls = append(calls, groupCall{f.name + "(v)", func(g *groupInput, lane, _ int) (uint64, bool) {
			r := s.cell(f.neutral)
			for i, v := range g.data[:lane+1] {
				if g.active[i] && (i < lane || f.inclusive) {
					r = f.join(s, r, v)
				}
			}
			return r, true
		}})
	}
	for _, f := range groupMoves {
		calls = append(calls, groupCall{f.name + "(" + f.args + ")", func(g *groupInput, lane, size int) (uint64, bool) {
			from, fill := f.from(g, lane, size)
			if fill {
				return g.fill[from], g.active[from]
			}
			return g.data[from], g.active[from]
		}})
	}
	return calls
}

// groupCase is a way to run a group function.
type groupCase struct {
	threads int
	same    int
	modulo  int
	on      func(i int) bool // which threads take part
}

var groupCases = []groupCase{
	{32, 1, 4, func(int) bool { return true }},
	{64, 31, 32, func(int) bool { return true }},
	{20, 2, 2, func(int) bool { return true }},
	{33, 16, 16, func(int) bool { return true }},
	{64, 3, 8, func(i int) bool { return i%3 != 0 }},
	{33, 0, 4, func(i int) bool { return i%4 == 1 || i > 8 && i < 14 || i == 32 }},
	{96, 5, 16, func(i int) bool { return i >= 40 && i < 62 || i == 95 }},
}

// TestGroupFunctionsOnAllTypes covers reductions, prefixes and moves: in full
// and partial groups, and where only some lanes take part.
func TestGroupFunctionsOnAllTypes(t *testing.T) {
	t.Parallel()
	for at, s := range append(slices.Clone(numberTypes), boolType) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 2 + at%3} {
				for _, prefix := range []string{"simd_", "quad_"} {
					testGroupFunctions(t, s, n, prefix, "varying")
					testGroupFunctions(t, s, n, prefix, "alike")
					if s.digits == 0 && s != boolType && n == 1 {
						testGroupFunctions(t, s, n, prefix, "counting")
					}
				}
			}
		})
	}
}

// testGroupFunctions runs all calls on data that vary from lane to lane, that are
// alike, or that count along with the lanes: the device holds these differently.
func testGroupFunctions(t *testing.T, s *scalar, n int, prefix, data string) {
	size := width
	if prefix == "quad_" {
		size = 4
	}
	calls := groupCalls(s)
	var body strings.Builder
	for k, c := range calls {
		fmt.Fprintf(&body, "\t\ty = %s%s;\n", prefix, c.text)
		for j := range n {
			element := "y"
			if n > 1 {
				element = fmt.Sprintf("y[%d]", j)
			}
			fmt.Fprintf(&body, "\t\tr[(%d * count + i) * %d + %d] = %s;\n", k, n, j, element)
		}
	}
	elements := func(name string) string {
		var list []string
		for j := range n {
			switch data {
			case "alike":
				list = append(list, fmt.Sprintf("%s[%d]", name, j))
			case "counting":
				list = append(list, fmt.Sprintf("%s(i) * 7 + %s[0]", s.name, name))
			default:
				list = append(list, fmt.Sprintf("%s[%d * i + %d]", name, n, j))
			}
		}
		return strings.Join(list, ", ")
	}
	source := fmt.Sprintf(`kernel void test(device const %[1]s* x, device const %[1]s* z, device const ushort* bys,
		device const bool* on, device %[1]s* r,
		constant ushort& same, constant ushort& modulo, constant uint& count, uint i [[thread_position_in_grid]]) {
	const ushort size = %[2]d;
	%[3]s v(%[4]s), w(%[5]s), y;
	ushort by = bys[i];
	if (on[i]) {
%[6]s	}
}`, s.name, size, s.vectorName(n), elements("x"), elements("z"), &body)
	cases := groupCases
	if data != "varying" {
		cases = cases[1:5]
	}
	for _, c := range cases {
		rng := rand.New(rand.NewPCG(8, uint64(c.threads)))
		value := func() uint64 {
			switch {
			case s == boolType:
				return rng.Uint64() & 1
			case s.digits > 0: // exact in sums and products
				return s.cell([]float64{1, 2, 0.5, -1, 1, -0.5, -2, 1}[rng.IntN(8)])
			}
			return s.wrap(rng.Uint64() >> rng.IntN(s.bits))
		}
		x, z := make([]uint64, n*c.threads), make([]uint64, n*c.threads)
		for i := range x {
			x[i], z[i] = value(), value()
			switch {
			case data == "alike" && i >= n:
				x[i], z[i] = x[i%n], z[i%n]
			case data == "counting" && i > 0:
				x[i], z[i] = s.wrap(uint64(i*7)+x[0]), s.wrap(uint64(i*7)+z[0])
			}
		}
		by, on := make([]uint16, c.threads), make([]bool, c.threads)
		for i := range by {
			by[i], on[i] = uint16(rng.IntN(size+2)), c.on(i)
		}
		modulo := uint16(min(c.modulo, size))
		results := s.buffer(make([]uint64, len(calls)*n*c.threads))
		compute(t, source, threads(c.threads), s.buffer(x), s.buffer(z), by, on, results, uint16(c.same), modulo,
			uint32(c.threads))
		got := s.cells(results)
		for start := 0; start < c.threads; start += size {
			for j := range n {
				g := &groupInput{same: c.same, modulo: int(modulo)}
				for l := range size {
					i := start + l
					exists := i < c.threads
					g.active = append(g.active, exists && on[i])
					if !exists {
						g.data, g.fill, g.by = append(g.data, 0), append(g.fill, 0), append(g.by, 0)
						continue
					}
					g.data, g.fill, g.by = append(g.data, x[n*i+j]), append(g.fill, z[n*i+j]), append(g.by, int(by[i]))
				}
				for k, call := range calls {
					for l := range size {
						if !g.active[l] {
							continue
						}
						want, defined := call.ref(g, l, size)
						if r := got[(k*c.threads+start+l)*n+j]; defined && !s.sameCell(r, want) {
							t.Fatalf("%s%s of %s, %s, %d threads, same = %d, by = %d, modulo = %d: thread %d, element %d: %s, want %s",
								prefix, call.text, s.vectorName(n), data, c.threads, c.same, g.by[l], modulo, start+l, j, s.text(r),
								s.text(want))
						}
					}
				}
			}
		}
	}
}

func TestGroupVotesCountActiveLanes(t *testing.T) {
	t.Parallel()
	for _, prefix := range []string{"simd_", "quad_"} {
		size := width
		if prefix == "quad_" {
			size = 4
		}
		var body strings.Builder
		for k, f := range groupVotes {
			fmt.Fprintf(&body, "\t\tr[%d * count + i] = (ulong)%s%s;\n", k, prefix, f.call)
		}
		source := fmt.Sprintf(`kernel void test(device const bool* x, device const bool* on, device ulong* r,
			constant uint& count, uint i [[thread_position_in_grid]]) {
	bool c = x[i];
	if (on[i]) {
%s	}
}`, &body)
		for _, c := range groupCases {
			for _, pattern := range []func(i int) bool{
				func(int) bool { return true }, func(int) bool { return false }, func(i int) bool { return i%5 != 3 },
				func(i int) bool { return i/4%2 == 0 },
			} {
				x, on := make([]bool, c.threads), make([]bool, c.threads)
				for i := range x {
					x[i], on[i] = pattern(i), c.on(i)
				}
				r := make([]uint64, len(groupVotes)*c.threads)
				compute(t, source, threads(c.threads), x, on, r, uint32(c.threads))
				for i := range x {
					if !on[i] {
						continue
					}
					start := i / size * size
					var holds, active uint64
					for l := range size {
						if start+l < c.threads && on[start+l] {
							active |= 1 << l
							holds |= oneIf(x[start+l]) << l
						}
					}
					for k, f := range groupVotes {
						if f.name == "vote_all" && start+size > c.threads {
							continue // the specification does not say what a partial group lacks
						}
						if want := f.ref(holds, active, i-start, size); r[k*c.threads+i] != want {
							t.Fatalf("%s%s of %d threads: thread %d: %#x, want %#x", prefix, f.call, c.threads, i, r[k*c.threads+i], want)
						}
					}
				}
			}
		}
	}
}

// TestGroupFunctionsFollowLoops is about lanes that leave a loop, or a function,
// before the others.
func TestGroupFunctionsFollowLoops(t *testing.T) {
	t.Parallel()
	const n = 40
	r := make([]uint32, 3*n)
	compute(t, `uint early(uint i) {
	if (i % 3 == 0) return 100;
	return simd_sum(1u);
}
kernel void test(device uint* r, uint i [[thread_position_in_grid]]) {
	uint sum = 0;
	for (uint k = 0; k <= i % 4; k++) sum += simd_sum(1u);
	r[i] = sum;
	r[40 + i] = early(i);
	switch (i % 2) {
	case 0: r[80 + i] = simd_broadcast_first(i); break;
	default: r[80 + i] = simd_max(i);
	}
}`, threads(n), r)
	for i := range n {
		group := i / width * width
		last := min(group+width, n)
		var sum, late uint32
		first, most := -1, -1
		for l := group; l < last; l++ {
			for k := 0; k <= i%4; k++ {
				if l%4 >= k {
					sum++
				}
			}
			late += uint32(oneIf(l%3 != 0))
			if l%2 == i%2 {
				if first < 0 {
					first = l
				}
				most = l
			}
		}
		if i%3 == 0 {
			late = 100
		}
		if r[i] != sum || r[n+i] != late {
			t.Errorf("thread %d: %d and %d, want %d and %d", i, r[i], r[n+i], sum, late)
		}
		want := first
		if i%2 == 1 {
			want = most
		}
		if r[2*n+i] != uint32(want) {
			t.Errorf("thread %d after switch: %d, want %d", i, r[2*n+i], want)
		}
	}
}

// TestGroupResultsMayReplaceTheirArguments is about registers that are read and
// written by one operation.
func TestGroupResultsMayReplaceTheirArguments(t *testing.T) {
	t.Parallel()
	r := make([]uint32, 6*32)
	compute(t, `kernel void test(device uint* r, uint i [[thread_position_in_grid]]) {
	uint a = i, b = i * i, c = i, d = i + 1, e = i, g = i * i;
	a = simd_shuffle_xor(a, 1);
	b = simd_prefix_inclusive_sum(b);
	c = simd_shuffle_and_fill_up(c, c, 4);
	d = simd_sum(d);
	e = quad_shuffle_rotate_up(e, 1);
	g = quad_max(g);
	r[i] = a; r[32 + i] = b; r[64 + i] = c; r[96 + i] = d; r[128 + i] = e; r[160 + i] = g;
}`, threads(32), r)
	for i := range uint32(32) {
		squares := uint32(0)
		for k := range i + 1 {
			squares += k * k
		}
		got := []uint32{r[i], r[32+i], r[64+i], r[96+i], r[128+i], r[160+i]}
		want := []uint32{i ^ 1, squares, (i + 28) % 32, 33 * 16, i&^3 | (i+3)&3, (i | 3) * (i | 3)}
		if !slices.Equal(got, want) {
			t.Errorf("thread %d: %v, want %v", i, got, want)
		}
	}
}
