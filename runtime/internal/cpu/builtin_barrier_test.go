package cpu

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

func barrierNames() []string {
	return []string{"threadgroup_barrier", "simdgroup_barrier", "atomic_thread_fence"}
}

// TestBarriersOrderMemoryBetweenSimdgroups reverses and shifts what other
// simd-groups wrote, again and again, through threadgroup and device memory.
func TestBarriersOrderMemoryBetweenSimdgroups(t *testing.T) {
	t.Parallel()
	const n, groups, rounds = 1000, 6, 5
	for _, flags := range []string{
		"mem_flags::mem_threadgroup | mem_flags::mem_device", "mem_flags(3)",
	} {
		x := make([]uint32, n*groups)
		for i := range x {
			x[i] = uint32(i * i)
		}
		want := slices.Clone(x)
		compute(t, fmt.Sprintf(`kernel void test(device uint* all, uint i [[thread_position_in_threadgroup]],
			uint g [[threadgroup_position_in_grid]]) {
	threadgroup uint shared[1000];
	device uint* x = all + 1000 * g;
	for (int round = 0; round < 5; round++) {
		shared[999 - i] = x[i] + 1;
		threadgroup_barrier(%[1]s);
		x[(i + 37) %% 1000] = shared[i];
		threadgroup_barrier(%[1]s);
	}
}`, flags), driver.Grid{Threadgroups: [3]int{groups, 1, 1}, Threads: [3]int{n, 1, 1}}, x)
		for g := range groups {
			of := want[n*g : n*g+n]
			for range rounds {
				next := make([]uint32, n)
				for i := range next {
					next[(i+37)%n] = of[n-1-i] + 1
				}
				copy(of, next)
			}
		}
		if !slices.Equal(x, want) {
			t.Errorf("%s: a barrier let reads pass writes", flags)
		}
	}
}

// TestBarriersAndFencesOfAllKinds is about their arguments.
func TestBarriersAndFencesOfAllKinds(t *testing.T) {
	t.Parallel()
	r := make([]uint32, 64)
	compute(t, `kernel void test(device uint* r, threadgroup uint* s, uint i [[thread_position_in_threadgroup]]) {
	s[i] = i;
	simdgroup_barrier(mem_flags::mem_none);
	simdgroup_barrier(mem_flags::mem_threadgroup);
	simdgroup_barrier(mem_flags::mem_device);
	uint v = s[i ^ 1];
	threadgroup_barrier(mem_flags::mem_none);
	threadgroup_barrier(mem_flags::mem_device);
	threadgroup_barrier(mem_flags::mem_threadgroup);
	threadgroup_barrier(mem_flags::mem_texture);
	atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst);
	atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_relaxed, thread_scope_threadgroup);
	atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
	r[i] = v + s[63 - i];
}`, threads(64), r, shared(256))
	for i := range uint32(64) {
		if r[i] != i^1+63-i {
			t.Fatalf("thread %d: %d", i, r[i])
		}
	}
}

// TestTheLastThreadgroupSeesAllResults is the reduction that counts threadgroups
// with an atomic and fences what they wrote.
func TestTheLastThreadgroupSeesAllResults(t *testing.T) {
	t.Parallel()
	const groups = 200
	sums, total := make([]uint32, groups), make([]uint32, 1)
	compute(t, `kernel void test(device atomic_uint* sums, device atomic_uint* done, device uint* total,
		constant uint& groups,
		uint i [[thread_index_in_simdgroup]], uint g [[threadgroup_position_in_grid]]) {
	uint sum = simd_sum(g + i);
	bool last = false;
	if (i == 0) {
		atomic_store_explicit(&sums[g], sum, memory_order_relaxed);
		atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
		last = atomic_fetch_add_explicit(done, 1, memory_order_relaxed) == groups - 1;
	}
	if (simd_broadcast_first(last)) {
		uint all = 0;
		for (uint k = i; k < groups; k += 32) all += atomic_load_explicit(&sums[k], memory_order_relaxed);
		all = simd_sum(all);
		if (i == 0) *total = all;
	}
}`, driver.Grid{Threadgroups: [3]int{groups, 1, 1}, Threads: [3]int{32, 1, 1}}, sums, make([]uint32, 1), total,
		uint32(groups))
	want := uint32(0)
	for g := range uint32(groups) {
		want += 32*g + 31*16
	}
	if total[0] != want {
		t.Errorf("%d, want %d", total[0], want)
	}
}

func TestABarrierThatSomeThreadsMissIsAnError(t *testing.T) {
	t.Parallel()
	for _, condition := range []string{"i % 2 == 0", "i < 40", "i != 63"} {
		err := execute(t, `kernel void test(device uint* r, uint i [[thread_position_in_threadgroup]]) {
	if (`+condition+`) threadgroup_barrier(mem_flags::mem_threadgroup);
	r[i] = 1;
}`, threads(64), make([]uint32, 64))
		if !errors.Is(err, interp.ErrDivergentBarrier) {
			t.Errorf("%s: %v", condition, err)
		}
	}
}
