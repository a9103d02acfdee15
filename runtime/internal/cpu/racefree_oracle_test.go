package cpu

import (
	"maps"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// touched is an access of a thread to a byte.
type touched struct {
	step       *racerStep
	rounds     [3]int // which of its executions
	second     bool   // the write of an access that reads and writes
	writes     bool
	atomic     bool
	group      int
	simdgroup  int
	lane       int // -1 for all together
	barriers   int // that the thread has passed, of those that order the memory
	inLockstep int // simdgroup_barriers
	handed     handing
}

// handing says on which side of a fence an access is, by which threadgroups hand over.
type handing int

const (
	neither handing = iota
	before
	after
)

// racing is two statements that race.
type racing struct{ a, b *racerStep }

// walk calls do for what a thread executes, one statement after the other.
func (p *racerProgram) walk(r *racer, do func(s *racerStep)) {
	var block func(list []*racerStep)
	block = func(list []*racerStep) {
		for _, s := range list {
			switch s.kind {
			case racerBranch:
				if s.when.value(r) != 0 {
					block(s.body)
				} else {
					block(s.other)
				}
			case racerLoop:
				for n := s.when.value(r); r.rounds[s.depth] < n; r.rounds[s.depth]++ {
					block(s.body)
				}
				r.rounds[s.depth] = 0
			case racerHandsOver:
				do(s)
				if r.group == p.last {
					block(s.body)
				}
			default:
				do(s)
			}
		}
	}
	block(p.body)
}

// each calls do for all threads.
func (p *racerProgram) each(do func(r *racer)) {
	for i := range p.total {
		group := i / p.threads
		do(&racer{group: group, index: i % p.threads, count: min(p.threads, p.total-group*p.threads)})
	}
}

// accesses returns all accesses of all threads, as if one thread ran after the other, and the
// indices of those to each byte of a memory.
func (p *racerProgram) accesses() (list []touched, all [2][][]int32) {
	for m := range all {
		all[m] = make([][]int32, racerMemory(m).size())
	}
	handsOver := p.handsOver()
	p.each(func(r *racer) {
		var barriers, inLockstep [2]int
		side := neither
		p.walk(r, func(s *racerStep) {
			if s.kind == racerHandsOver {
				barriers[racerLocal]++ // of its own
				if slices.Contains(racerFences[1:], s.acquire) {
					side = after
				}
				return
			}
			if s.kind == racerBarrier {
				for m := range barriers {
					if s.flags&racerMemory(m).flag() != 0 {
						if s.simdgroup {
							inLockstep[m]++
						} else {
							barriers[m]++
						}
					}
				}
				return
			}
			t := touched{
				step: s, rounds: r.rounds, group: r.group, simdgroup: r.index / width, lane: r.index % width,
				barriers: barriers[s.memory], inLockstep: inLockstep[s.memory], handed: side,
			}
			released := handsOver[r.group] >= 0 && (t.simdgroup == 0 || t.barriers < handsOver[r.group])
			if side == neither && released {
				t.handed = before
			}
			add := func(first, size int) {
				for b := first; b < first+size; b++ {
					all[s.memory][b] = append(all[s.memory][b], int32(len(list)))
				}
				list = append(list, t)
			}
			switch s.kind {
			case racerFills:
				t.writes = true
				for k := r.index; k < racerShared/4; k += r.count {
					add(4*k, 4)
				}
				return
			case racerLoadsMatrix, racerStoresMatrix:
				if t.lane > 0 {
					return
				}
				t.lane, t.writes = -1, s.kind == racerStoresMatrix
			case racerChanges, racerAddsPlainly:
				add(s.first(r), s.view.size)
				t.second, t.writes = true, true
			case racerWrites:
				t.writes = true
			case racerAdds:
				t.writes, t.atomic = true, true
			case racerLoads:
				t.atomic = true
			}
			add(s.first(r), s.view.size)
		})
	})
	return list, all
}

// handsOver returns how many barriers that order device memory each threadgroup has passed when
// it releases what it has done, or -1.
func (p *racerProgram) handsOver() []int {
	list := make([]int, p.groups)
	for group := range list {
		list[group] = -1
		barriers := 0
		p.walk(&racer{group: group, count: p.threads}, func(s *racerStep) {
			switch {
			case s.kind == racerHandsOver && slices.Contains(racerFences[:3], s.release):
				list[group] = barriers
			case s.kind == racerBarrier && !s.simdgroup && s.flags&program.MemDevice != 0:
				barriers++
			}
		})
	}
	return list
}

// races returns which statements race, and how, whichever threadgroup comes last.
func (p *racerProgram) races() map[racing]driver.Checks {
	found := p.racesWithLast(0)
	if len(p.all(racerHandsOver)) > 0 {
		for last := 1; last < p.groups; last++ {
			maps.Copy(found, p.racesWithLast(last))
		}
	}
	return found
}

// racesWithLast is races where the threadgroup that comes last is known. Any two accesses to one
// byte are compared.
func (p *racerProgram) racesWithLast(last int) map[racing]driver.Checks {
	found := map[racing]driver.Checks{}
	p.last = last
	list, all := p.accesses()
	for m, bytes := range all {
		for at, touching := range bytes {
			if at > 0 && slices.Equal(touching, bytes[at-1]) {
				continue
			}
			for i, a := range touching {
				if !list[a].writes {
					continue
				}
				for j, b := range touching {
					if list[b].writes && j < i {
						continue // compared already
					}
					kind := list[a].races(&list[b], racerMemory(m))
					if pair := (racing{list[a].step, list[b].step}); kind != 0 && found[pair]&kind == 0 {
						found[pair] |= kind
						found[racing{pair.b, pair.a}] |= kind
					}
				}
			}
		}
	}
	return found
}

// races returns how two accesses to one byte race, where the first writes, or 0.
func (a *touched) races(b *touched, m racerMemory) driver.Checks {
	switch {
	case a.atomic && b.atomic:
	case a.group != b.group:
		if m == racerGlobal && a.handed+b.handed != before+after {
			return driver.CheckRace
		}
	case a.barriers != b.barriers:
	case a.simdgroup != b.simdgroup:
		return driver.CheckRace
	case a.lane == b.lane:
	case a.step == b.step && a.rounds == b.rounds && a.second == b.second:
		return driver.CheckRace
	case a.inLockstep == b.inLockstep:
		return driver.CheckRaceSimdgroup
	}
	return 0
}

// mend makes the program race-free: the later one of two statements that race has a barrier in
// front of it, or where that does not help, it is left out.
func (p *racerProgram) mend() {
	for {
		found := p.races()
		if len(found) == 0 {
			return
		}
		p.source() // numbers the lines
		first := slices.MinFunc(slices.Collect(maps.Keys(found)), func(x, y racing) int {
			return slices.Compare([]int{max(x.a.line, x.b.line), x.b.line}, []int{max(y.a.line, y.b.line), y.b.line})
		})
		later := first.b
		if first.a.line > later.line {
			later = first.a
		}
		if !p.separate(later, found[first] == driver.CheckRaceSimdgroup) {
			p.change(later)
		}
	}
}

// separate puts a barrier in front of a statement, as near as all threads come together. It
// reports false where there is one.
func (p *racerProgram) separate(s *racerStep, simdgroup bool) bool {
	need := perThreadgroup
	if simdgroup {
		need = perSimdgroup
	}
	before := s
	var find func(list []*racerStep, within uniformity, outermost *racerStep) bool
	find = func(list []*racerStep, within uniformity, outermost *racerStep) bool {
		for _, in := range list {
			at := outermost
			if within >= need {
				at = in
			}
			if in == s {
				before = at
				return true
			}
			inside := within
			if in.kind == racerBranch || in.kind == racerLoop {
				inside = min(within, in.when.uniform)
			}
			if find(in.body, inside, at) || find(in.other, inside, at) {
				return true
			}
		}
		return false
	}
	find(p.body, perThreadgroup, nil)
	flag := s.memory.flag()
	if b := p.previous(before); b != nil && b.kind == racerBarrier {
		if b.flags&flag != 0 && (simdgroup || !b.simdgroup) {
			return false
		}
		if b.simdgroup == simdgroup {
			b.flags |= flag
			return true
		}
	}
	p.change(before, &racerStep{kind: racerBarrier, flags: flag, simdgroup: simdgroup}, before)
	return true
}

// previous returns the statement in front of another one in its block, or nil.
func (p *racerProgram) previous(s *racerStep) *racerStep {
	var find func(list []*racerStep) *racerStep
	find = func(list []*racerStep) *racerStep {
		for i, in := range list {
			if in == s && i > 0 {
				return list[i-1]
			}
			if b := find(in.body); b != nil {
				return b
			}
			if b := find(in.other); b != nil {
				return b
			}
		}
		return nil
	}
	return find(p.body)
}

// all returns the statements of some kinds.
func (p *racerProgram) all(kinds ...racerKind) (found []*racerStep) {
	var block func(list []*racerStep)
	block = func(list []*racerStep) {
		for _, s := range list {
			if slices.Contains(kinds, s.kind) {
				found = append(found, s)
			}
			block(s.body)
			block(s.other)
		}
	}
	block(p.body)
	return found
}
