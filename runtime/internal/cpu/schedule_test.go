package cpu

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestSchedulesAreOrdersThatBarriersPermit has every simd-group append its number to a list
// again and again, which shows the order in which they ran.
func TestSchedulesAreOrdersThatBarriersPermit(t *testing.T) {
	t.Parallel()
	const groups, simdgroups, rounds, each = 5, 4, 3, 4
	run := func(seed uint64) []uint32 {
		list := make([]uint32, groups*simdgroups*rounds*each)
		o := driver.Options{Schedule: seed}
		err := executeWith(context.Background(), t, o, `kernel void test(device uint* list, device atomic_uint* n,
			uint lane [[thread_index_in_simdgroup]], uint s [[simdgroup_index_in_threadgroup]],
			uint g [[threadgroup_position_in_grid]]) {
	for (uint round = 0; round < 3; round++) {
		for (uint k = 0; k < 4; k++) {
			if (lane == 0) list[atomic_fetch_add_explicit(n, 1, memory_order_relaxed)] = g << 8 | round << 4 | s;
		}
		threadgroup_barrier(mem_flags::mem_device);
	}
}`, driver.Grid{Threadgroups: [3]int{groups, 1, 1}, Threads: [3]int{32 * simdgroups, 1, 1}}, list, make([]uint32, 1))
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	orders := map[string]bool{}
	for seed := range uint64(20) {
		list := run(seed)
		orders[fmt.Sprint(list)] = true
		if seed > 0 && !slices.Equal(list, run(seed)) {
			t.Errorf("seed %d is not the same order twice", seed)
		}
		count := map[uint32]int{}
		reached := map[uint32]uint32{} // the last round of each threadgroup
		for _, v := range list {
			count[v]++
			g, round := v>>8, v>>4&15
			if round < reached[g] {
				t.Fatalf("seed %d: a simd-group of threadgroup %d is in round %d when another is in %d: %x",
					seed, g, round, reached[g], list)
			}
			reached[g] = round
		}
		for v, n := range count {
			if n != each {
				t.Errorf("seed %d: %x is there %d times", seed, v, n)
			}
		}
	}
	if len(orders) < 19 {
		t.Errorf("20 seeds make %d orders", len(orders))
	}
}

// TestSchedulesShowWhatDependsOnTheOrder is about the order of simd-groups and that of
// threadgroups.
func TestSchedulesShowWhatDependsOnTheOrder(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"between barriers": `kernel void test(device uint* r, uint i [[thread_position_in_grid]]) {
	if (i < 64) { threadgroup uint s[1]; s[0] = i / 32; r[0] = s[0]; }
}`,
		"in the middle": `kernel void test(device uint* r, uint i [[thread_position_in_grid]]) {
	threadgroup uint s[1];
	if (i < 64) for (uint k = 0; k < 8; k++) { s[0] = i / 32; r[0] += s[0] != i / 32; }
}`,
		"of threadgroups": `kernel void test(device uint* r, uint g [[threadgroup_position_in_grid]]) { r[0] = g; }`,
	} {
		results := map[uint32]bool{}
		for seed := uint64(1); seed <= 20; seed++ {
			r := make([]uint32, 1)
			grid := driver.Grid{Threadgroups: [3]int{4, 1, 1}, Threads: [3]int{64, 1, 1}}
			if err := executeWith(t.Context(), t, driver.Options{Schedule: seed}, source, grid, r); err != nil {
				t.Fatal(err)
			}
			results[r[0]] = true
		}
		if len(results) < 2 {
			t.Errorf("%s: %v under 20 schedules", name, results)
		}
	}
}
