package shadow

import "math/bits"

// cell is what is known of a word of memory.
type cell struct {
	write       entry // the last plain write, of group
	read, other entry // reads or atomics since, of group and otherGroup
	group       uint32
	otherGroup  uint32
}

// apart is the write of a cell whose bytes have cells of their own; read is their index.
const apart entry = 1

// bytes are the cells of a word's bytes.
type bytes [4]cell

// split returns the cells for the bytes of a word.
func (c *cell) split() bytes {
	var b bytes
	for i := range b {
		one := cell{c.write.at(i), c.read.at(i), c.other.at(i), c.group, c.otherGroup}
		if one.read != 0 && one.group == one.otherGroup && sameThread(one.read, one.other) &&
			(one.read^one.other)&classBits == 0 {
			one.read = one.read&^stepBits | max(one.read&stepBits, one.other&stepBits)
			one.other = 0
		}
		b[i] = one
	}
	return b
}

// touch adds an access to a cell, and reports the race that it is part of, if any.
func (v *View) touch(p *page, c *cell, e entry, address uintptr) {
	if c.write == apart {
		v.touchBytes(p, c, e, address)
		return
	}
	if e&classBits == 0 && v.group.fences.released == nil && v.known(c, e) {
		return
	}
	if v.space == Threadgroup {
		v.forget(c)
	}
	plain := e&classBits == writeBit
	readers := (c.read | c.other).mask()
	if plain && (readers|c.write.mask())&^e != 0 ||
		!plain && readers != 0 && (readers != e.mask() || crossed(c.read, e) || crossed(c.other, e)) {
		switch {
		case v.merge(c, e, address):
		case v.split(p, c):
			v.touchBytes(p, c, e, address)
		default:
			v.replace(c, e, address)
		}
		return
	}
	v.check(c, e, address)
	if plain {
		*c = cell{write: e, group: v.group.id}
		return
	}
	v.join(c, e)
}

// split keeps the bytes of a word apart from now on. It reports false where there is no room.
func (v *View) split(p *page, c *cell) bool {
	at := len(p.apart)
	switch {
	case len(p.unused) > 0 || v.space == Threadgroup && v.reclaim(p):
		at = int(p.unused[len(p.unused)-1])
		p.unused = p.unused[:len(p.unused)-1]
		*p.apart[at] = c.split()
	case v.memory.take(apartBytes):
		b := c.split()
		p.apart = append(p.apart, &b)
	default:
		return false
	}
	*c = cell{write: apart, read: entry(at)}
	return true
}

// reclaim ends the keeping apart of words of threadgroup memory that nothing has touched since
// the last barrier. It reports false where there are none.
func (v *View) reclaim(p *page) bool {
	if p.reclaimed == v.group.barriers || len(p.apart) == 0 {
		return false
	}
	p.reclaimed = v.group.barriers
	for i := range p.cells {
		c := &p.cells[i]
		if c.write != apart {
			continue
		}
		over := true
		for k := range p.apart[c.read] {
			one := &p.apart[c.read][k]
			v.forget(one)
			over = over && one.write|one.read|one.other == 0
		}
		if over {
			p.unused = append(p.unused, uint8(c.read))
			*c = cell{}
		}
	}
	return len(p.unused) > 0
}

// replace has a cell keep either what it has or an access to other bytes of its word, where
// there is no room for both. Neighbours choose otherwise, so that a mistake shows at one of them.
func (v *View) replace(c *cell, e entry, address uintptr) {
	v.check(c, e, address)
	if (uint32(address>>2)^e.step())&1 == 0 {
		return
	}
	*c = cell{group: v.group.id}
	if e&classBits == writeBit {
		c.write = e
	} else {
		c.read = e
	}
}

// known reports whether a read is ordered with the last write, and a later write will race with
// what the cell has already if it races with this read.
func (v *View) known(c *cell, e entry) bool {
	const class = classBits | maskBits
	if c.group != v.group.id || c.write != 0 && !v.before(c.write) || c.read&class != e.mask() || v.before(c.read) {
		return false
	}
	if c.other == 0 || c.other&class == e.mask() {
		if (c.read^e)&^(stepBits|siteBits) == 0 && c.read.step() >= v.clock.simdgroup[v.space] {
			return true // the same thread
		}
	}
	return c.otherGroup == c.group && c.other&class == e.mask() && !v.before(c.other) &&
		c.read.simdgroup() != c.other.simdgroup()
}

// touchBytes is touch for a word whose bytes are kept apart.
func (v *View) touchBytes(p *page, c *cell, e entry, address uintptr) {
	b := p.apart[c.read]
	for i := range b {
		if one := e.at(i); one != 0 {
			v.touch(p, &b[i], one, address+uintptr(i))
		}
	}
}

// forget drops what can race no more with anything, which in threadgroup memory is all from
// before the last barrier.
func (v *View) forget(c *cell) {
	if c.write != 0 && v.before(c.write) {
		c.write = 0
	}
	if c.read != 0 && v.before(c.read) {
		c.read = 0
	}
	if c.other != 0 && v.before(c.other) {
		c.other = 0
	}
}

// before reports whether a barrier of the whole threadgroup has ordered one of its accesses
// before all that follow.
func (v *View) before(e entry) bool { return e.step() < v.group.clocks[e.simdgroup()].group[v.space] }

// merge joins an access to some bytes of a word with what its thread has done to others from
// the same place in the source. It reports false where that is not all there is. The step of
// both is then the later one.
func (v *View) merge(c *cell, e entry, address uintptr) bool {
	slot := &c.read
	if e&classBits == writeBit {
		if c.read != 0 {
			return false
		}
		slot = &c.write
	}
	old := *slot
	if c.other != 0 || old == 0 || c.group != v.group.id || (old^e)&(siteBits|classBits) != 0 ||
		old.simdgroup() != e.simdgroup() || old.step() < v.clock.simdgroup[v.space] {
		return false
	}
	all, ok := join(old, e)
	if ok {
		v.check(c, e, address)
		*slot = all
	}
	return ok
}

// join adds a read or an atomic to those that a cell keeps.
func (v *View) join(c *cell, e entry) {
	id := v.group.id
	own := c.otherGroup == id
	switch {
	case c.write|c.read == 0:
		c.read, c.group = e, id
	case c.group != id:
		if c.other == 0 || c.otherGroup == c.group && covers(c.read, c.other) || own && v.covered(c.other, e) {
			c.other, c.otherGroup = e, id
		}
	case c.read == 0 || v.covered(c.read, e):
		c.read = e
	case c.other != 0 && own && e.simdgroup() == c.read.simdgroup() && c.other.simdgroup() != e.simdgroup() &&
		covers(e, c.read) && !covers(c.read, e):
		c.read = e
	case c.other == 0 || own && (v.covered(c.other, e) || v.better(c, e)):
		c.other, c.otherGroup = e, id
	case v.before(c.read):
		c.read = e
	}
}

// better reports whether an access should be kept rather than the other one of a cell, both
// of the threadgroup. What is left out has to race with what one of the two races with.
func (v *View) better(c *cell, e entry) bool {
	switch {
	case !covers(c.read, e) && !covers(c.other, e):
		return true // the only one of its kind
	case !covers(e, c.other):
		return v.before(c.other) && !v.before(c.read)
	}
	return !covers(c.other, e) || c.other.simdgroup() == c.read.simdgroup() && e.simdgroup() != c.read.simdgroup()
}

// covered reports whether whatever will race with an access of the threadgroup races with a
// later one too.
func (v *View) covered(old, e entry) bool {
	if !covers(e, old) {
		return false
	}
	return v.before(old) || old.simdgroup() == e.simdgroup() &&
		(old.step() < v.clock.simdgroup[v.space] || sameThread(old, e))
}

// check reports the races of an access with what a cell has of others.
func (v *View) check(c *cell, e entry, address uintptr) {
	v.compare(c.write, c.group, e, address)
	v.compare(c.read, c.group, e, address)
	v.compare(c.other, c.otherGroup, e, address)
}

// compare reports the race of an earlier access with a new one, if there is one.
func (v *View) compare(old entry, group uint32, e entry, address uintptr) {
	if o := v.order(old, group, e); o > ordered {
		v.report(o, old, group, e, address)
	}
}

// stale reports whether a thread may not see yet what it has written to a texel.
func (v *View) stale(write, read entry) bool {
	b := bits.TrailingZeros64(uint64(write&read&maskBits)) - maskShift
	return write.step() >= v.clock.fenced[read.lane(b)]
}

// order is what orders two accesses.
type order uint8

const (
	ordered order = iota
	unfenced
	lockstep
	unordered
)

// order returns what orders an earlier access of a threadgroup with a new one. Accesses
// that may go on at once count as ordered.
func (v *View) order(old entry, group uint32, e entry) order {
	switch {
	case old&e&maskBits == 0 || compatible(old, e):
		return ordered
	case group != v.group.id:
		return v.unlessFenced(unordered, old, group)
	case v.before(old):
		return ordered
	case old.simdgroup() != e.simdgroup():
		return v.unlessFenced(unordered, old, group)
	case e.step() == maxStep: // which is that of all accesses to come
		return ordered
	case old.step() == e.step() && !sameThread(old, e):
		return unordered
	case old.step() < v.clock.simdgroup[v.space]:
		return ordered
	case sameThread(old, e):
		if v.space == Texture && old&classBits == writeBit && e&classBits == 0 && v.stale(old, e) {
			return unfenced
		}
		return ordered
	}
	return v.unlessFenced(lockstep, old, group)
}
