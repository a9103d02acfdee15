package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/asm"

// cache says what the vector registers hold: lanes of registers, which are also in memory
// unless they are dirty. It is empty where ways join.
type cache struct {
	owner  [units]int32 // the slot of each unit, plus one
	used   [units]int   // when a unit was last used
	dirty  map[int32]bool
	held   map[int32][2]uint8 // units by slot
	clock  int
	pinned [units]bool // by the instruction that is written
	change int         // counts what has changed
}

func (c *cache) reset() {
	c.owner = [units]int32{}
	c.dirty, c.held = map[int32]bool{}, map[int32][2]uint8{}
	c.change++
}

// vectors are the vector registers of a register's lanes.
type vectors [4]asm.V

func vectorsOf(u [2]uint8) vectors {
	low, high := asm.V(firstUnit+2*u[0]), asm.V(firstUnit+2*u[1])
	return vectors{low, low + 1, high, high + 1}
}

func (e *emitter) slotOf(at int32) int32 { return e.slotAt[at/8] - 1 }

// take returns vector registers for a register's lanes, which nothing holds.
func (e *emitter) take(parts int) [2]uint8 {
	u := [2]uint8{e.takeUnit()}
	if parts == 4 {
		u[1] = e.takeUnit()
	}
	return u
}

func (e *emitter) takeUnit() uint8 {
	c := &e.cache
	best := -1
	for i := range units {
		if c.pinned[i] {
			continue
		}
		if c.owner[i] == 0 {
			best = i
			break
		}
		if best < 0 || c.used[i] < c.used[best] {
			best = i
		}
	}
	if n := c.owner[best]; n != 0 {
		e.evict(n - 1)
	}
	c.pinned[best] = true
	return uint8(best)
}

// evict makes the vector registers of a slot free.
func (e *emitter) evict(n int32) {
	c := &e.cache
	if c.dirty[n] {
		e.save(n, c.held[n])
	}
	e.drop(n)
}

// drop forgets what is held of a slot.
func (e *emitter) drop(n int32) {
	c := &e.cache
	u, ok := c.held[n]
	if !ok {
		return
	}
	c.owner[u[0]] = 0
	if e.slots[n].class == long {
		c.owner[u[1]] = 0
	}
	delete(c.held, n)
	delete(c.dirty, n)
	c.change++
}

// save stores the lanes of a slot.
func (e *emitter) save(n int32, u [2]uint8) {
	at := e.slots[n].at
	v := vectorsOf(u)
	for i := range e.parts(at) {
		e.asm.XV(asm.VMOVUPS_ST, e.lanes(at, i), v[i])
	}
}

// hold makes vector registers those of a register.
func (e *emitter) hold(at int32, u [2]uint8, dirty bool) {
	c := &e.cache
	n := e.slotOf(at)
	e.drop(n)
	c.held[n] = u
	if dirty {
		c.dirty[n] = true
	}
	c.clock++
	c.owner[u[0]], c.used[u[0]] = n+1, c.clock
	if e.slots[n].class == long {
		c.owner[u[1]], c.used[u[1]] = n+1, c.clock
	}
	c.change++
}

// unpin lets all vector registers be taken, for the next instruction.
func (e *emitter) unpin() { e.cache.pinned = [units]bool{} }

func (e *emitter) pin(n int32, u [2]uint8) {
	c := &e.cache
	c.clock++
	c.pinned[u[0]], c.used[u[0]] = true, c.clock
	if e.slots[n].class == long {
		c.pinned[u[1]], c.used[u[1]] = true, c.clock
	}
}

// fetch returns vector registers that hold the lanes of a register.
func (e *emitter) fetch(at int32) vectors {
	n := e.slotOf(at)
	if u, ok := e.cache.held[n]; ok {
		e.pin(n, u)
		return vectorsOf(u)
	}
	u := e.take(e.parts(at))
	v := vectorsOf(u)
	e.spread(at, e.kind(at), v)
	e.hold(at, u, false)
	return v
}

// spread loads the lanes of a register from its memory.
func (e *emitter) spread(at int32, k kind, v vectors) {
	parts := e.parts(at)
	if k.form == varying {
		for i := range parts {
			e.asm.VX(asm.VMOVUPS, v[i], e.lanes(at, i))
		}
		return
	}
	broadcast, add, multiply := asm.VPBROADCASTD, asm.VPADDD, asm.VPMULLD
	if parts == 4 {
		broadcast, add, multiply = asm.VPBROADCASTQ, asm.VPADDQ, asm.VPMULLQ
	}
	e.asm.VX(broadcast, v[0], e.base(at))
	for i := 1; i < parts; i++ {
		e.asm.VX(asm.VMOVDQU64, v[i], v[0])
	}
	if k.form == uniform {
		return
	}
	for i := range parts {
		count := asm.V(countLow) + asm.V(i&1)
		if parts == 4 {
			half := asm.Z8
			e.asm.XVI(asm.VEXTRACTI64X4, half, countLow+asm.V(i/2), uint8(i&1))
			e.asm.VX(asm.VPMOVZXDQ, half, half)
			count = half
		}
		switch {
		case k.form == strided:
			e.asm.VX(broadcast, asm.Z9, e.step(at))
			e.asm.VVX(multiply, asm.Z9, count, asm.Z9)
			count = asm.Z9
		case k.step != 1 && parts == 4:
			e.asm.VVX(multiply, asm.Z9, count, e.word64(uint64(int64(k.step))))
			count = asm.Z9
		case k.step != 1:
			e.asm.VVX(multiply, asm.Z9, count, e.word32(uint32(k.step)))
			count = asm.Z9
		}
		e.asm.VVX(add, v[i], v[i], count)
	}
}

// flush stores what only vector registers hold of registers that are needed, and forgets all.
func (e *emitter) flush(needed bits) {
	for i := range e.cache.owner {
		n := e.cache.owner[i] - 1
		if n < 0 || !e.cache.dirty[n] || needed != nil && !needed.has(n) {
			continue
		}
		e.save(n, e.cache.held[n])
		delete(e.cache.dirty, n)
	}
	e.cache.reset()
}

// unsaved is what only vector registers hold at a point of the code.
type unsaved []heldSlot

type heldSlot struct {
	slot  int32
	units [2]uint8
}

// unsaved returns what only vector registers hold.
func (e *emitter) unsaved() unsaved {
	var u unsaved
	for i := range e.cache.owner {
		n := e.cache.owner[i] - 1
		if n < 0 || !e.cache.dirty[n] || e.cache.held[n][0] != uint8(i) {
			continue
		}
		u = append(u, heldSlot{n, e.cache.held[n]})
	}
	return u
}

// saveAll stores it.
func (e *emitter) saveAll(u unsaved, needed bits) {
	for _, h := range u {
		if needed == nil || needed.has(h.slot) {
			e.save(h.slot, h.units)
		}
	}
}
