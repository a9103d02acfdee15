package shadow

import (
	"sync"
	"sync/atomic"
	"unsafe"
)

// Memory is the shadow of a kind of memory.
type Memory struct {
	space Space

	mu    sync.RWMutex
	pages map[uintptr]*page
	spare atomic.Int64 // bytes that there is room for beside the cells
	syncs syncs
}

// page is the shadow of pageSize bytes.
type page struct {
	mu        sync.Mutex
	cells     *cells
	apart     []*bytes // at most one for each cell
	unused    []uint8  // of them
	reclaimed uint32   // the number of barriers when it was last tried
}

// cells are those of a page. They are memory of their own, of a size that Go does not round up,
// and without pointers.
type cells [pageSize / 4]cell

const (
	pageShift = 10
	pageSize  = 1 << pageShift

	// What the shadow takes, with what Go needs to find it: for each page, and for each word
	// whose bytes are kept apart.
	pageBytes  = int(unsafe.Sizeof(cells{})+unsafe.Sizeof(page{})) + 48
	apartBytes = int(unsafe.Sizeof(bytes{})) + 20

	// What the shadow may take for each page, and without any.
	roomForPage = 9 * pageSize
	room        = 64 << 10
)

// unusedCells keeps the cells of pages, which are zero, from one dispatch to the next.
var unusedCells = sync.Pool{New: func() any { return new(cells) }}

// NewMemory returns the shadow of memory that nothing has touched.
func NewMemory(space Space) *Memory {
	m := &Memory{space: space, pages: map[uintptr]*page{}}
	m.syncs.rest = published{n: 1, lost: true}
	m.spare.Store(room)
	return m
}

// Bytes returns how much memory the shadow takes.
func (m *Memory) Bytes() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n := m.syncs.taken
	for _, p := range m.pages {
		n += pageBytes + len(p.apart)*apartBytes
	}
	return n
}

// take reports whether there is room for some bytes more, which are then taken.
func (m *Memory) take(n int) bool {
	if m.spare.Add(-int64(n)) >= 0 {
		return true
	}
	m.spare.Add(int64(n))
	return false
}

// Forget makes the shadow that of memory that nothing has touched. No View of it may be in
// use.
func (m *Memory) Forget() {
	m.ForgetFences()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range m.pages {
		clear(p.cells[:])
		unusedCells.Put(p.cells)
	}
	clear(m.pages)
	m.spare.Store(room)
}

// page returns a page by its number.
func (m *Memory) page(number uintptr) *page {
	m.mu.RLock()
	p := m.pages[number]
	m.mu.RUnlock()
	if p != nil {
		return p
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if p = m.pages[number]; p == nil {
		p = &page{cells: unusedCells.Get().(*cells)}
		m.pages[number] = p
		m.spare.Add(int64(roomForPage - pageBytes))
	}
	return p
}

// Kind says what is missing between two accesses that race.
type Kind uint8

// The kinds of races.
const (
	// Unfenced is no race of two threads: one reads a texel that it has written itself, with no fence between.
	Unfenced Kind = iota
	// Lockstep is a race of lanes of one simd-group by different instructions, which only
	// their going in lockstep orders.
	Lockstep
	// Simultaneous is a race of lanes of one simd-group by the same instruction.
	Simultaneous
	// Within is a race of simd-groups of one threadgroup.
	Within
	// Between is a race of threadgroups.
	Between
)

// Party is one of the two accesses of a race.
type Party struct {
	Group     uint32
	Simdgroup int
	Lane      int // -1 for the simd-group as a whole
	Step      uint32
	Site      int
	Writes    bool
	Atomic    bool
}

// Race is two accesses to one byte that nothing orders.
type Race struct {
	Kind        Kind
	Address     uintptr // of the first byte that both touch
	Before, Now Party
}

// View is a Memory as one worker touches it, on behalf of one simd-group after the other.
type View struct {
	memory *Memory
	space  Space
	found  func(Race)
	pages  [64]struct {
		number uintptr
		page   *page
	}

	group *Group
	clock *clock
	who   entry // of what is touched now, without lane and bytes
}

// View returns a view. found is called for each race.
func (m *Memory) View(g *Group, found func(Race)) *View { return m.ViewIn(m.space, g, found) }

// ViewIn returns a view of device memory that is touched in a space of its own, as texels are. What
// orders two accesses is then what orders those of the later one's space.
func (m *Memory) ViewIn(space Space, g *Group, found func(Race)) *View {
	return &View{memory: m, space: space, group: g, found: found}
}

// Forget must follow Memory.Forget.
func (v *View) Forget() { clear(v.pages[:]) }

// Begin says who touches memory from now on, from where, and how. An atomic load does not
// write.
func (v *View) Begin(simdgroup, site int, writes, atomic bool) {
	c := &v.group.clocks[simdgroup]
	if c.now < maxStep {
		c.now++
	}
	v.clock = c
	v.who = entry(c.now)<<stepShift | entry(min(site, MaxSite))<<siteShift | entry(simdgroup)<<simdShift
	if writes {
		v.who |= writeBit
	}
	if atomic {
		v.who |= atomicBit
	}
}

// Lane touches bytes on behalf of a lane.
func (v *View) Lane(lane int, address uintptr, size int) {
	v.span(v.who|spanWord|entry(lane), address, size)
}

// Whole touches bytes on behalf of the simd-group as a whole, whose operations are in
// order.
func (v *View) Whole(address uintptr, size int) { v.span(v.who|spanGroup, address, size) }

func (v *View) span(e entry, address uintptr, size int) {
	for size > 0 {
		p := v.lock(address)
		for i := int(address&(pageSize-1)) / 4; i < len(p.cells) && size > 0; i++ {
			first := int(address & 3)
			n := min(4-first, size)
			v.touch(p, &p.cells[i], e|entry((1<<n-1)<<first)<<maskShift, address&^3)
			address, size = address+uintptr(n), size-n
		}
		v.unlock(p)
	}
}

// Row touches n times size bytes side by side, on behalf of a lane each.
func (v *View) Row(lane, n int, address uintptr, size int) {
	if size&3 != 0 || address&3 != 0 {
		v.narrowRow(lane, n, address, size)
		return
	}
	e := v.who | spanWord | wholeWord | entry(lane)
	words := size / 4
	left := words // of the lane
	for n > 0 {
		p := v.lock(address)
		start := int(address&(pageSize-1)) / 4
		i := start
		for ; i < len(p.cells) && n > 0; i++ {
			v.touch(p, &p.cells[i], e, address)
			address += 4
			if left--; left == 0 {
				left = words
				e++
				n--
			}
		}
		v.unlock(p)
	}
}

// Stride touches a number of bytes for each of n lanes, at addresses that are a step apart.
func (v *View) Stride(lane, n int, address uintptr, step int64, size int) {
	if size != 4 || (address|uintptr(step))&3 != 0 {
		for ; n > 0; n-- {
			v.span(v.who|spanWord|entry(lane), address, size)
			lane, address = lane+1, address+uintptr(step)
		}
		return
	}
	e := v.who | spanWord | wholeWord | entry(lane)
	for n > 0 {
		p, number := v.lock(address), address>>pageShift
		for ; n > 0 && address>>pageShift == number; n-- {
			v.touch(p, &p.cells[address&(pageSize-1)/4], e, address)
			e, address = e+1, address+uintptr(step)
		}
		v.unlock(p)
	}
}

// narrowRow is Row for lanes that share words.
func (v *View) narrowRow(lane, n int, address uintptr, size int) {
	if size > 2 || address&uintptr(size-1) != 0 {
		for ; n > 0; n-- {
			v.Lane(lane, address, size)
			lane, address = lane+1, address+uintptr(size)
		}
		return
	}
	who := v.who | entry(size-1)<<5
	for n > 0 {
		p := v.lock(address)
		for i := int(address&(pageSize-1)) / 4; i < len(p.cells) && n > 0; i++ {
			first := int(address & 3)
			k := min((4-first)/size, n)
			e := who | entry(lane-first/size)&laneBits | entry((1<<(k*size)-1)<<first)<<maskShift
			v.touch(p, &p.cells[i], e, address&^3)
			lane, n, address = lane+k, n-k, address+uintptr(k*size)
		}
		v.unlock(p)
	}
}

// lock returns the page of an address, locked where other workers may use it.
func (v *View) lock(address uintptr) *page {
	number := address >> pageShift
	slot := &v.pages[number%uintptr(len(v.pages))]
	if slot.page == nil || slot.number != number {
		slot.number, slot.page = number, v.memory.page(number)
	}
	if v.space != Threadgroup {
		slot.page.mu.Lock()
	}
	return slot.page
}

// unlock ends the use of a page.
func (v *View) unlock(p *page) {
	if v.space != Threadgroup {
		p.mu.Unlock()
	}
}

// report reports a race.
func (v *View) report(o order, old entry, group uint32, e entry, address uintptr) {
	b := 0
	for (old&e)>>(maskShift+b)&1 == 0 || o != unfenced && sameThread(old.at(b), e.at(b)) && group == v.group.id {
		b++
	}
	r := Race{Kind: Between, Address: address&^3 + uintptr(b), Before: old.party(group, b), Now: e.party(v.group.id, b)}
	switch {
	case o == unfenced:
		r.Kind = Unfenced
	case o == lockstep:
		r.Kind = Lockstep
	case group == v.group.id && old.simdgroup() == e.simdgroup():
		r.Kind = Simultaneous
	case group == v.group.id:
		r.Kind = Within
	}
	v.found(r)
}

// party returns who did an access to a byte.
func (e entry) party(group uint32, b int) Party {
	p := Party{
		Group: group, Simdgroup: e.simdgroup(), Lane: e.lane(b), Step: e.step(), Site: int(e >> siteShift & MaxSite),
		Writes: e&writeBit != 0, Atomic: e&atomicBit != 0,
	}
	if e&spanBits == spanGroup {
		p.Lane = -1
	}
	return p
}
