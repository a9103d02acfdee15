package cpu

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// atomicTypes are what atomics may hold, by the functions that work on them: all
// have load, store and exchange.
var atomicTypes = []struct {
	typ        *scalar
	add, order bool // fetch_add and fetch_sub; and, or, xor, min, max
}{
	{intType, true, true}, {uintType, true, true}, {ulongType, true, true}, {floatType, true, false},
	{boolType, false, false},
}

// fetchOps return the new value.
var fetchOps = []struct {
	name  string
	order bool
	ref   func(s *scalar, old, v uint64) uint64
}{
	{"add", false, addCells},
	{"sub", false, func(s *scalar, old, v uint64) uint64 {
		if s == floatType {
			return addCells(s, old, v^1<<63)
		}
		return s.wrap(old - v)
	}},
	{"and", true, func(_ *scalar, old, v uint64) uint64 { return old & v }},
	{"or", true, func(_ *scalar, old, v uint64) uint64 { return old | v }},
	{"xor", true, func(_ *scalar, old, v uint64) uint64 { return old ^ v }},
	{"max", true, func(s *scalar, old, v uint64) uint64 { return s.ordered(old, v)[1] }},
	{"min", true, func(s *scalar, old, v uint64) uint64 { return s.ordered(old, v)[0] }},
}

func atomicNames() []string {
	names := []string{
		"atomic_load_explicit", "atomic_store_explicit", "atomic_exchange_explicit", "atomic_compare_exchange_weak_explicit",
		"atomic_max_explicit", "atomic_min_explicit",
	}
	for _, f := range fetchOps {
		names = append(names, "atomic_fetch_"+f.name+"_explicit")
	}
	return names
}

// TestAtomicsGiveTheOldValueAndStoreTheNew runs every operation on its own
// atomic, in device and in threadgroup memory.
func TestAtomicsGiveTheOldValueAndStoreTheNew(t *testing.T) {
	t.Parallel()
	for _, a := range atomicTypes {
		s := a.typ
		values := s.integersOrNumbers()
		old, v := tuples(values, 2)[0], tuples(values, 2)[1]
		type step struct {
			text string
			ref  func(old, v uint64) (result, after uint64)
		}
		steps := []step{
			{"r = atomic_load_explicit(p, memory_order_relaxed)", func(old, _ uint64) (uint64, uint64) { return old, old }},
			{"atomic_store_explicit(p, v, memory_order_relaxed)", func(_, v uint64) (uint64, uint64) { return 0, v }},
			{"r = atomic_exchange_explicit(p, v, memory_order_relaxed)", func(old, v uint64) (uint64, uint64) { return old, v }},
			{`$ e = v; atomic_compare_exchange_weak_explicit(p, &e, w, memory_order_relaxed, memory_order_relaxed);
				r = e`, func(old, v uint64) (uint64, uint64) {
				if old == v {
					return old, values[0]
				}
				return old, old
			}},
			{`$ e = v;
				r = atomic_compare_exchange_weak_explicit(p, &e, w, memory_order_relaxed,
				memory_order_relaxed)`, func(old, v uint64) (uint64, uint64) {
				if old == v {
					return s.one(), values[0]
				}
				return 0, old
			}},
		}
		for _, f := range fetchOps {
			if f.order && !a.order || !f.order && !a.add {
				continue
			}
			steps = append(steps,
				step{"r = atomic_fetch_" + f.name + "_explicit(p, v, memory_order_relaxed)", func(old, v uint64) (uint64, uint64) {
					return old, f.ref(s, old, v)
				}})
			if f.name == "max" || f.name == "min" {
				steps = append(steps,
					step{"atomic_" + f.name + "_explicit(p, v, memory_order_relaxed)", func(old, v uint64) (uint64, uint64) {
						return 0, f.ref(s, old, v)
					}})
			}
		}
		for _, st := range steps {
			for _, space := range []string{"device", "threadgroup"} {
				before, after, results := s.buffer(old), s.buffer(old), s.buffer(make([]uint64, len(old)))
				source := fmt.Sprintf(`kernel void test(device %[1]s* before, device const %[1]s* vs, device atomic_%[1]s* after,
					device %[1]s* rs, constant uint& n, uint i [[thread_position_in_grid]]) {
	threadgroup atomic_%[1]s shared[1024];
	if (i >= n) return;
	%[2]s atomic_%[1]s* p = %[3]s;
	atomic_store_explicit(p, before[i], memory_order_relaxed);
	%[1]s v = vs[i], w = vs[0], r = 0;
	%[4]s;
	rs[i] = r;
	%[1]s left = atomic_load_explicit(p, memory_order_relaxed);
	atomic_store_explicit(&after[i], left, memory_order_relaxed);
}`, s.name, space, map[string]string{"device": "&after[i]", "threadgroup": "&shared[i]"}[space],
					strings.ReplaceAll(st.text, "$", s.name))
				compute(t, source, threads(1024), before, s.buffer(v), after, results, uint32(len(old)))
				left, r := s.cells(after), s.cells(results)
				for i := range old {
					result, want := st.ref(old[i], v[i])
					if r[i] != result || left[i] != want {
						t.Errorf("%s of %s in %s memory, %s and %s: result %s, want %s; left %s, want %s", st.text, s.name, space,
							s.text(old[i]), s.text(v[i]), s.text(r[i]), s.text(result), s.text(left[i]), s.text(want))
						break
					}
				}
			}
		}
	}
}

// integersOrNumbers are some values of a type; none of them is -0 or NaN.
func (s *scalar) integersOrNumbers() []uint64 {
	switch {
	case s == boolType:
		return []uint64{1, 0}
	case s.digits > 0:
		return cellsOf([]float64{1.5, 0, -2.25, 100, 0x1p100})
	}
	return s.integers(20)
}

// one is the cell of 1.
func (s *scalar) one() uint64 { return s.cell(1) }

// crowd is a grid of many threadgroups, which go to all cores.
var crowd = driver.Grid{Threadgroups: [3]int{64, 1, 1}, Threads: [3]int{100, 1, 1}}

const crowded = 64 * 100

func TestContendedCountersLoseNothing(t *testing.T) {
	t.Parallel()
	ints, uints, ulongs, floats := make([]int32, 4), make([]uint32, 4), make([]uint64, 4), make([]float32, 2)
	uints[1] = 1 << 31
	ulongs[3] = ^uint64(0)
	seen := make([]uint32, crowded)
	compute(t, `kernel void test(device atomic_int* a, device atomic_uint* b, device atomic_ulong* c,
		device atomic_float* d, device uint* seen, uint i [[thread_position_in_grid]]) {
	atomic_fetch_add_explicit(&a[0], int(i), memory_order_relaxed);
	atomic_fetch_sub_explicit(&a[1], int(i % 7), memory_order_relaxed);
	atomic_fetch_max_explicit(&a[2], int(i * 2654435761u), memory_order_relaxed);
	atomic_fetch_min_explicit(&a[3], int(i * 2654435761u), memory_order_relaxed);
	seen[i] = atomic_fetch_add_explicit(b, 1, memory_order_relaxed);
	atomic_fetch_sub_explicit(&b[1], 3u, memory_order_relaxed);
	atomic_fetch_or_explicit(&b[2], 1u << (i % 32), memory_order_relaxed);
	atomic_fetch_xor_explicit(&b[3], i, memory_order_relaxed);
	atomic_fetch_add_explicit(&c[0], ulong(i) << 30, memory_order_relaxed);
	atomic_fetch_sub_explicit(&c[1], 1ul, memory_order_relaxed);
	atomic_max_explicit(&c[2], ulong(i) << 40, memory_order_relaxed);
	atomic_min_explicit(&c[3], (ulong(i) << 40) + 5, memory_order_relaxed);
	atomic_fetch_add_explicit(&d[0], 0.5f, memory_order_relaxed);
	atomic_fetch_sub_explicit(&d[1], 2.0f, memory_order_relaxed);
}`, crowd, ints, uints, ulongs, floats, seen)
	var sum, sevens, xor uint32
	var most, least int32
	for i := range uint32(crowded) {
		sum, sevens, xor = sum+i, sevens+i%7, xor^i
		most, least = max(most, int32(i*2654435761)), min(least, int32(i*2654435761))
	}
	if want := []int32{int32(sum), -int32(sevens), most, least}; !slices.Equal(ints, want) {
		t.Errorf("ints %v, want %v", ints, want)
	}
	if want := []uint32{crowded, 1<<31 - 3*crowded, 1<<32 - 1, xor}; !slices.Equal(uints, want) {
		t.Errorf("uints %v, want %v", uints, want)
	}
	if want := []uint64{uint64(sum) << 30, 1<<64 - crowded, (crowded - 1) << 40, 5}; !slices.Equal(ulongs, want) {
		t.Errorf("ulongs %v, want %v", ulongs, want)
	}
	if want := []float32{crowded / 2, -2 * crowded}; !slices.Equal(floats, want) {
		t.Errorf("floats %v, want %v", floats, want)
	}
	slices.Sort(seen)
	for i, v := range seen {
		if v != uint32(i) {
			t.Fatalf("the old values of a counter are no permutation: %d at %d", v, i)
		}
	}
}

// TestExchangesHandValuesOn is about atomics that pass through all threads: each
// thread gets what exactly one other put there.
func TestExchangesHandValuesOn(t *testing.T) {
	t.Parallel()
	for _, s := range []*scalar{intType, uintType, ulongType, floatType} {
		place := s.buffer([]uint64{s.cell(crowded)})
		seen := s.buffer(make([]uint64, crowded))
		compute(t, fmt.Sprintf(`kernel void test(device atomic_%[1]s* a, device %[1]s* seen,
			uint i [[thread_position_in_grid]]) {
	seen[i] = atomic_exchange_explicit(a, %[1]s(i), memory_order_relaxed);
}`, s.name), crowd, place, seen)
		got := append(s.cells(seen), s.cells(place)...)
		slices.Sort(got) // the order of cells of positive numbers
		for i, v := range got {
			if v != s.cell(float64(i)) {
				t.Fatalf("%s: the values are no permutation: %s at %d", s.name, s.text(v), i)
			}
		}
	}
	// with bools, false can be taken out once for each time it was put in
	flag, won := []bool{false}, make([]bool, crowded)
	compute(t, `kernel void test(device atomic_bool* a, device bool* won, uint i [[thread_position_in_grid]]) {
	won[i] = !atomic_exchange_explicit(a, true, memory_order_relaxed);
}`, crowd, flag, won)
	winners := 0
	for _, w := range won {
		winners += int(oneIf(w))
	}
	if winners != 1 || !flag[0] {
		t.Errorf("%d threads set the flag first", winners)
	}
}

func TestLoopsOfCompareExchangeLoseNothing(t *testing.T) {
	t.Parallel()
	for _, s := range []*scalar{intType, uintType, ulongType, floatType} {
		total := s.buffer(make([]uint64, 1))
		compute(t, fmt.Sprintf(`kernel void test(device atomic_%[1]s* a, uint i [[thread_position_in_grid]]) {
	%[1]s old = atomic_load_explicit(a, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(a, &old, old + %[1]s(i %% 3), memory_order_relaxed,
	memory_order_relaxed)) {}
}`, s.name), crowd, total)
		want := 0
		for i := range crowded {
			want += i % 3
		}
		if got := s.cells(total)[0]; got != s.cell(float64(want)) {
			t.Errorf("%s: %s, want %d", s.name, s.text(got), want)
		}
	}
	// a lock, which the lanes of a simd-group take one after the other
	count := []uint32{0, 0}
	compute(t, `kernel void test(device atomic_bool* lock, device uint* count) {
	bool done = false;
	while (!done) {
		bool open = false;
		if (atomic_compare_exchange_weak_explicit(lock, &open, true, memory_order_relaxed, memory_order_relaxed)) {
			*count += 1;
			atomic_store_explicit(lock, false, memory_order_relaxed);
			done = true;
		}
	}
}`, driver.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{64, 1, 1}}, []bool{false}, count)
	if count[0] != 64 {
		t.Errorf("the lock let %d threads in, want 64", count[0])
	}
}

func TestAtomicsInThreadgroupMemoryAreOfOneGroup(t *testing.T) {
	t.Parallel()
	const groups = 64
	r := make([]uint32, 3*groups)
	compute(t, `kernel void test(device uint* r, threadgroup atomic_uint* given, uint i [[thread_position_in_threadgroup]],
		uint g [[threadgroup_position_in_grid]]) {
	threadgroup atomic_uint count;
	threadgroup atomic_int most;
	if (i == 0) {
		atomic_store_explicit(&count, 0, memory_order_relaxed);
		atomic_store_explicit(&most, -1, memory_order_relaxed);
		atomic_store_explicit(given, g, memory_order_relaxed);
	}
	threadgroup_barrier(mem_flags::mem_threadgroup);
	atomic_fetch_add_explicit(&count, i, memory_order_relaxed);
	atomic_fetch_max_explicit(&most, int(i ^ g), memory_order_relaxed);
	atomic_fetch_add_explicit(given, 1, memory_order_relaxed);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	if (i == 99) {
		r[3 * g] = atomic_load_explicit(&count, memory_order_relaxed);
		r[3 * g + 1] = atomic_load_explicit(&most, memory_order_relaxed);
		r[3 * g + 2] = atomic_load_explicit(given, memory_order_relaxed);
	}
}`, crowd, r, shared(16))
	for g := range uint32(groups) {
		most := uint32(0)
		for i := range uint32(100) {
			most = max(most, i^g)
		}
		if got, want := r[3*g:3*g+3], []uint32{99 * 50, most, g + 100}; !slices.Equal(got, want) {
			t.Errorf("threadgroup %d: %v, want %v", g, got, want)
		}
	}
}

func TestAtomicsBeyondABufferAreErrors(t *testing.T) {
	t.Parallel()
	err := execute(t, `kernel void test(device atomic_uint* counts, uint i [[thread_position_in_grid]]) {
	atomic_fetch_add_explicit(&counts[i], 1, memory_order_relaxed);
}`, threads(5), make([]uint32, 4))
	if err == nil || !strings.Contains(err.Error(), "counts[4]") {
		t.Errorf("%v", err)
	}
}
