package shadow

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// model knows all accesses to each byte, and finds those that race by comparing each
// with each.
type model struct {
	history [bytesOfModel][]past
}

const bytesOfModel = 16

type past struct {
	Party
	group, simdgroup [spaces]int // barriers that it has seen
}

// races returns the kinds of races of an access with earlier ones, by whom they are
// with.
func (m *model) races(at int, now past, space Space) map[Party]Kind {
	found := map[Party]Kind{}
	for _, old := range m.history[at] {
		switch {
		case !old.Writes && !now.Writes || old.Atomic && now.Atomic:
		case old.Party.Group != now.Party.Group:
			found[old.Party] = Between
		case old.group[space] != now.group[space]:
		case old.Party.Simdgroup != now.Party.Simdgroup:
			found[old.Party] = Within
		case old.Lane == now.Lane:
		case old.Step == now.Step:
			found[old.Party] = Simultaneous
		case old.simdgroup[space] == now.simdgroup[space]:
			found[old.Party] = Lockstep
		}
	}
	return found
}

// TestTheFirstRaceIsFoundAndNoOther has random programs of two threadgroups that take turns
// touch a few bytes, in one space after the other, until two accesses race.
func TestTheFirstRaceIsFoundAndNoOther(t *testing.T) {
	found := map[Kind]int{}
	silent := 0
	for seed := range uint64(20000) {
		if !tryProgram(t, rand.New(rand.NewPCG(seed, 1)), found) {
			silent++
		}
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
	for k := Lockstep; k <= Between; k++ {
		if found[k] < 100 {
			t.Errorf("%d races of kind %d: the programs test nothing", found[k], k)
		}
	}
	if silent < 1000 {
		t.Errorf("%d programs without a race", silent)
	}
}

// tryProgram runs a random program until its first race, and reports whether there is
// one.
func tryProgram(t *testing.T, random *rand.Rand, found map[Kind]int) bool {
	space := Space(random.IntN(2))
	memory := NewMemory(space)
	var reported []Race
	workers := 1
	if space == Device {
		workers = 2
	}
	groups, views := make([]Group, workers), make([]*View, workers)
	seen := make([]past, workers)
	barriers := make([][MaxSimdgroups][spaces]int, workers)
	for i := range groups {
		groups[i].Enter(uint32(i))
		views[i] = memory.View(&groups[i], func(r Race) { reported = append(reported, r) })
	}
	m := &model{}
	threads := 1 + random.IntN(3) // few, so that much of what happens is in order
	sites := 1 + random.IntN(3)
	atomic := random.IntN(3)
	const plain, noPlainReads = 0, 1
	next := uint32(workers)
	for range 1 + random.IntN(60) {
		w := random.IntN(workers)
		g := &groups[w]
		switch random.IntN(8) {
		case 0:
			flags := Flags(random.IntN(4))
			g.Barrier(flags)
			for s := range spaces {
				if flags&s.Of() != 0 {
					seen[w].group[s]++
				}
			}
			continue
		case 1:
			flags, simdgroup := Flags(random.IntN(4)), random.IntN(2)
			g.SimdgroupBarrier(simdgroup, flags)
			for s := range spaces {
				if flags&s.Of() != 0 {
					barriers[w][simdgroup][s]++
				}
			}
			continue
		case 2:
			if random.IntN(4) == 0 {
				g.Enter(next)
				next++
				if space == Threadgroup {
					m.history = [bytesOfModel][]past{}
				}
				seen[w].group[0]++
				seen[w].group[1]++
			}
			continue
		}
		simdgroup, site := random.IntN(2), random.IntN(sites)
		if random.IntN(3) > 0 {
			simdgroup = 0
		}
		writes, isAtomic := random.IntN(2) == 0, atomic != plain && random.IntN(3) == 0
		if atomic == noPlainReads && !isAtomic {
			writes = true
		}
		v := views[w]
		v.Begin(simdgroup, site, writes, isAtomic)
		now := past{
			Party: Party{Group: g.id, Simdgroup: simdgroup, Step: v.clock.now, Site: site, Writes: writes, Atomic: isAtomic},
			group: seen[w].group, simdgroup: barriers[w][simdgroup],
		}
		touch := func(lane, at, size int) map[Party]Kind {
			all := map[Party]Kind{}
			now.Lane = lane
			for i := at; i < at+size; i++ {
				for p, k := range m.races(i, now, space) {
					all[p] = max(all[p], k)
				}
				m.history[i] = append(m.history[i], now)
			}
			return all
		}
		want := map[Party]Kind{}
		also := func(all map[Party]Kind) {
			for p, k := range all {
				want[p] = max(want[p], k)
			}
		}
		switch size := 1 << random.IntN(4); random.IntN(6) {
		case 0: // neighbours
			n := 1 + random.IntN(bytesOfModel/size)
			at := size * random.IntN(bytesOfModel/size-n+1)
			first := random.IntN(threads)
			for i := range n {
				also(touch(first+i, at+i*size, size))
			}
			v.Row(first, n, uintptr(at), size)
		case 3: // in steps
			step := size * (random.IntN(5) - 2)
			at, n := size*random.IntN(bytesOfModel/size), 0
			for to := at; to >= 0 && to+size <= bytesOfModel && n < threads; to += step {
				n++
			}
			for i := range n {
				also(touch(i, at+i*step, size))
			}
			v.Stride(0, n, uintptr(at), int64(step), size)
		case 1:
			at := random.IntN(bytesOfModel - size + 1)
			also(touch(-1, at, size))
			v.Whole(uintptr(at), size)
		case 2: // anywhere
			for lane := range threads {
				at := size * random.IntN(bytesOfModel/size)
				also(touch(lane, at, size))
				v.Lane(lane, uintptr(at), size)
			}
		default:
			at, lane := size*random.IntN(bytesOfModel/size), random.IntN(threads)
			also(touch(lane, at, size))
			v.Lane(lane, uintptr(at), size)
		}
		if len(want) == 0 && len(reported) == 0 {
			continue
		}
		worst := Kind(0)
		for _, k := range want {
			worst = max(worst, k)
		}
		if len(reported) == 0 && atomic != plain {
			return true // of reads of several kinds a cell keeps what it can
		}
		if len(want) == 0 || len(reported) == 0 {
			t.Errorf("reported %v, want %v", reported, want)
			return true
		}
		got := Kind(0)
		for _, r := range reported {
			got = max(got, r.Kind)
			k, ok := kindOf(want, r.Before)
			if k == Lockstep && r.Kind == Simultaneous {
				k = Simultaneous // by a byte that was merged with one of a later step
			}
			if !ok || k < r.Kind {
				t.Errorf("reported %+v, which is not among %+v", r, want)
			}
		}
		if atomic == plain && got == Lockstep && worst > Lockstep {
			t.Errorf("the worst race is reported as of kind %d: %+v, want %d: %+v", got, reported, worst, want)
		}
		found[got]++
		return true
	}
	if len(reported) > 0 {
		t.Error(fmt.Sprint(reported))
	}
	return false
}

// kindOf returns the kind of a race with a party, whose step may be that of a later access
// by the same thread from the same place.
func kindOf(want map[Party]Kind, p Party) (kind Kind, ok bool) {
	for other, k := range want {
		early := p
		early.Step = min(p.Step, other.Step)
		if early == other {
			kind, ok = max(kind, k), true
		}
	}
	return kind, ok
}
