package shadow

import (
	"math/rand/v2"
	"testing"
)

// knowledge is a vector clock: how many accesses of each threadgroup come before.
type knowledge [fencers]int

const fencers = 3

func (k *knowledge) learn(other knowledge) {
	for i, n := range other {
		k[i] = max(k[i], n)
	}
}

// TestFencesOrderWhatVectorClocksDo has threadgroups of one thread each touch two words, fence,
// and use two atomics, until two accesses race. A cell keeps two of three readers.
func TestFencesOrderWhatVectorClocksDo(t *testing.T) {
	racing, silent, missed := 0, 0, 0
	for seed := range uint64(5000) {
		random := rand.New(rand.NewPCG(seed, 3))
		var reported []Race
		memory := NewMemory(Device)
		var groups [fencers]Group
		var views [fencers]*View
		for i := range groups {
			groups[i].Enter(uint32(i))
			views[i] = memory.View(&groups[i], func(r Race) { reported = append(reported, r) })
		}
		type access struct {
			group, number int
			writes        bool
		}
		var history [2][]access
		var count [fencers]int
		var knows, released, observed [fencers]knowledge
		var published [2]knowledge
		races := func(g, at int, writes bool) bool {
			for _, a := range history[at] {
				if a.group != g && (a.writes || writes) && a.number > knows[g][a.group] {
					return true
				}
			}
			return false
		}
		expected := false
		for range 60 {
			g, at := random.IntN(fencers), random.IntN(2)
			switch random.IntN(6) {
			case 0:
				writes := random.IntN(2) == 0
				if races(g, at, writes) {
					if random.IntN(8) > 0 {
						continue // most go on without it, so that long orders are tried
					}
					expected = true
				}
				count[g]++
				knows[g][g] = count[g]
				history[at] = append(history[at], access{g, count[g], writes})
				views[g].Begin(0, 1, writes, false)
				views[g].Lane(0, uintptr(4*at), 4)
			case 1, 2:
				writes := random.IntN(3) > 0
				views[g].Begin(0, 2, writes, true)
				views[g].Lane(0, uintptr(100+4*at), 4)
				if writes {
					views[g].Publish(uintptr(100 + 4*at))
				}
				views[g].Observe(uintptr(100 + 4*at))
				groups[g].Observed()
				count[g]++
				knows[g][g] = count[g]
				observed[g].learn(published[at])
				if writes {
					published[at].learn(released[g])
				}
			default:
				releases := random.IntN(2) == 0
				acquires := !releases || random.IntN(2) == 0
				groups[g].Fence(0, Device.Of(), releases, acquires)
				if acquires {
					knows[g].learn(observed[g])
				}
				if releases {
					released[g].learn(knows[g])
				}
			}
			if expected || len(reported) > 0 {
				break
			}
		}
		switch {
		case len(reported) > 0 && !expected:
			t.Fatalf("seed %d: reported %+v, which is in order", seed, reported)
		case len(reported) > 0:
			racing++
		case expected:
			missed++
		default:
			silent++
		}
	}
	if missed*100 > racing || racing < 1000 || silent < 1000 {
		t.Errorf("%d programs race and %d do not; %d races are missed", racing, silent, missed)
	}
}

// TestFencesOrderLanesOfASimdgroup has a lane read what another one has written.
func TestFencesOrderLanesOfASimdgroup(t *testing.T) {
	for _, fenced := range []bool{false, true} {
		var reported []Race
		var g Group
		v := NewMemory(Device).View(&g, func(r Race) { reported = append(reported, r) })
		g.Enter(0)
		v.Begin(0, 1, true, false)
		v.Lane(0, 0, 4)
		if fenced {
			g.Fence(0, Device.Of(), true, false)
		}
		v.Publish(64)
		v.Observe(64)
		g.Observed()
		v.Observe(64)
		if fenced {
			g.Fence(0, Device.Of(), false, true)
		}
		v.Begin(0, 1, false, false)
		v.Lane(1, 0, 4)
		if fenced != (len(reported) == 0) {
			t.Errorf("fenced %t: %+v", fenced, reported)
		}
	}
}

// TestAtomicsOfThreadgroupsThatRunAtOnce has two of them change one atomic in either order.
func TestAtomicsOfThreadgroupsThatRunAtOnce(t *testing.T) {
	memory := NewMemory(Device)
	var groups [2]Group
	var views [2]*View
	for i := range groups {
		groups[i].Enter(uint32(i))
		views[i] = memory.View(&groups[i], func(r Race) { t.Errorf("%+v", r) })
		views[i].Begin(0, 1, true, false)
		views[i].Lane(0, uintptr(4*i), 4)
		groups[i].Fence(0, Device.Of(), true, false)
	}
	views[0].Publish(64)
	views[1].Publish(64)
	views[1].Observe(64)
	views[0].Observe(64)
	for i := range groups {
		groups[i].Observed()
		groups[i].Fence(0, Device.Of(), false, true)
		views[i].Begin(0, 2, false, false)
		views[i].Lane(0, uintptr(4*(1-i)), 4)
	}
}

// TestAThreadgroupDoesNotWaitForItself has a simd-group change an atomic, which shows its other
// one nothing.
func TestAThreadgroupDoesNotWaitForItself(t *testing.T) {
	races := 0
	var g Group
	v := NewMemory(Device).View(&g, func(Race) { races++ })
	g.Enter(0)
	v.Begin(0, 1, true, false)
	v.Lane(0, 0, 4)
	g.Fence(0, Device.Of(), true, true)
	v.Publish(64)
	v.Observe(64)
	g.Observed()
	g.Fence(0, Device.Of(), true, true)
	v.Begin(1, 2, false, false)
	v.Lane(0, 0, 4)
	if races != 1 {
		t.Errorf("%d races, want 1", races)
	}
}

// TestFencesWithoutRoomOrderEverything publishes to so many atomics that some are not kept.
func TestFencesWithoutRoomOrderEverything(t *testing.T) {
	memory := NewMemory(Device)
	var a, b Group
	from := memory.View(&a, func(r Race) { t.Errorf("%+v", r) })
	to := memory.View(&b, func(r Race) { t.Errorf("%+v", r) })
	b.Enter(0)
	const n, each = 3000, 8
	for i := range n * each {
		a.Enter(uint32(i + 1))
		from.Begin(0, 1, true, false)
		from.Lane(0, uintptr(4*i), 4)
		a.Fence(0, Device.Of(), true, false)
		atomic := uintptr(1<<20 + 4*(i%n))
		from.Begin(0, 2, true, true)
		from.Lane(0, atomic, 4)
		from.Publish(atomic)
		to.Begin(0, 3, false, true)
		to.Lane(0, atomic, 4)
		to.Observe(atomic)
		b.Fence(0, Device.Of(), false, true)
		to.Begin(0, 4, false, false)
		to.Lane(0, uintptr(4*i), 4)
	}
	if got, touched := memory.Bytes(), 4*n*each+4*n; got > 9*touched+9*2*pageSize+room {
		t.Errorf("%d bytes of shadow for %d bytes", got, touched)
	}
	if !memory.syncs.full {
		t.Error("there was room for everything: the test tests nothing")
	}
}

// TestPollingAnAtomicTakesNoMemory has a thread wait for another one.
func TestPollingAnAtomicTakesNoMemory(t *testing.T) {
	memory := NewMemory(Device)
	var a, b Group
	from, to := memory.View(&a, func(Race) {}), memory.View(&b, func(Race) {})
	a.Enter(0)
	b.Enter(1)
	a.Fence(0, Device.Of(), true, true)
	from.Publish(0)
	for range 10000 {
		from.Publish(0)
		to.Observe(0)
		b.Fence(0, Device.Of(), true, true)
	}
	if n := len(b.fences.acquired) + len(b.fences.observed) + len(memory.syncs.at[0].byGroup[0]); n > 2 {
		t.Errorf("%d are kept of one fence", n)
	}
}
