package shadow

import (
	"math/rand/v2"
	"testing"
)

// patterns are ways to touch n bytes, by all lanes of several simd-groups.
var patterns = []struct {
	name  string
	touch func(v *View, n int)
}{
	{"bytes side by side", rows(1)},
	{"halves side by side", rows(2)},
	{"words side by side", rows(4)},
	{"vectors of three", rows(12)},
	{"vectors of four", rows(16)},
	{"each second half, and then the others", func(v *View, n int) {
		for _, first := range []int{0, 2} {
			for i := 0; i < n; i += 128 {
				v.Begin(i/128%MaxSimdgroups, 1+first, true, false)
				v.Stride(0, 32, uintptr(i+first), 4, 2)
			}
		}
	}},
	{"bytes here and there", func(v *View, n int) {
		random := rand.New(rand.NewPCG(1, 1))
		order := random.Perm(n)
		for i := 0; i < n; i += 32 {
			v.Begin(i/32%MaxSimdgroups, 1, true, false)
			for lane, at := range order[i : i+32] {
				v.Lane(lane, uintptr(at), 1)
			}
		}
	}},
}

func rows(size int) func(v *View, n int) {
	return func(v *View, n int) {
		for _, writes := range []bool{true, false} {
			for i := 0; i < n; i += 32 * size {
				v.Begin(i/32%MaxSimdgroups, 1, writes, false)
				v.Row(0, 32, uintptr(i), size)
			}
			v.group.Barrier(v.space.Of())
		}
	}
}

// TestNineBytesOfShadowForEachByteTouched has one dispatch after the other touch memory.
func TestNineBytesOfShadowForEachByteTouched(t *testing.T) {
	for _, space := range []Space{Threadgroup, Device} {
		for _, p := range patterns {
			var g Group
			m := NewMemory(space)
			v := m.View(&g, func(r Race) { t.Errorf("%s: %+v", p.name, r) })
			for _, n := range []int{3 << 13, 3 << 17, 3 << 10} {
				g.Enter(1)
				p.touch(v, n)
				if got, most := m.Bytes(), 9*n+room; got < 8*n || got > most {
					t.Errorf("%s: %d bytes of shadow for %d bytes, want %d at most", p.name, got, n, most)
				}
				m.Forget()
				v.Forget()
				if got := m.Bytes(); got != 0 {
					t.Errorf("%s: %d bytes of shadow for nothing", p.name, got)
				}
			}
		}
	}
}

// TestAMistakeShowsWithoutRoomForAllBytes has two threadgroups write both halves of many words.
func TestAMistakeShowsWithoutRoomForAllBytes(t *testing.T) {
	const n = 1 << 18
	for first, name := range []string{"the first half", "the second half"} {
		found := 0
		var g Group
		m := NewMemory(Device)
		v := m.View(&g, func(r Race) {
			if r.Before.Site != 1+2*first || r.Now.Site != 7 {
				t.Errorf("%s: %+v", name, r)
			}
			found++
		})
		g.Enter(0)
		patterns[5].touch(v, n)
		g.Enter(1)
		v.Begin(0, 7, true, false)
		for i := range n / 4 {
			v.Lane(0, uintptr(4*i+2*first), 2)
		}
		if found < n/16 {
			t.Errorf("%s: %d races are found of %d", name, found, n/4)
		}
	}
}

// TestThreadgroupsReuseTheRoomOfOthers has many touch the bytes of some words.
func TestThreadgroupsReuseTheRoomOfOthers(t *testing.T) {
	var g Group
	m := NewMemory(Threadgroup)
	v := m.View(&g, func(r Race) { t.Errorf("%+v", r) })
	for id := range uint32(1000) {
		g.Enter(id)
		for i := range 64 {
			for b := range 4 {
				v.Begin(b, 1, true, false)
				v.Lane(0, uintptr(4*(i*37+int(id))%(8<<10)+b), 1)
			}
		}
	}
	if m.spare.Load() < 0 || m.Bytes() > 9*(8<<10)+room {
		t.Errorf("%d bytes", m.Bytes())
	}
	v.Begin(0, 1, true, false)
	split := 0
	for _, p := range m.pages {
		split += len(p.apart) - len(p.unused)
	}
	if split < 64 {
		t.Errorf("%d words of the last threadgroup are kept apart", split)
	}
}

// TestAfterTheLastStepNothingIsReported is about simd-groups that touch memory more often than
// their clock counts.
func TestAfterTheLastStepNothingIsReported(t *testing.T) {
	var g Group
	v := NewMemory(Device).View(&g, func(r Race) { t.Errorf("%+v", r) })
	g.Enter(0)
	g.clocks[0].now = maxStep - 2
	for lane := range 6 {
		v.Begin(0, lane, true, false)
		v.Lane(lane, 0, 4)
		g.SimdgroupBarrier(0, Device.Of())
	}
}
