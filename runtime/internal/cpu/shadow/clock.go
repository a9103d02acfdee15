package shadow

// Space is a kind of memory that barriers order.
type Space uint8

// The kinds of memory.
const (
	Threadgroup Space = iota
	Device
	Texture
	spaces
)

// Flags say which kinds of memory a barrier orders.
type Flags uint8

// Of returns the flags of one kind of memory.
func (s Space) Of() Flags { return 1 << s }

// MaxSimdgroups bounds the simd-groups of a threadgroup.
const MaxSimdgroups = 32

// Group is the clocks of a threadgroup while it runs. A worker has one, for one
// threadgroup after the other.
type Group struct {
	id     uint32
	clocks [MaxSimdgroups]clock

	barriers uint32 // of threadgroup memory, from one threadgroup to the next
	fences   fences
}

// clock counts the accesses of a simd-group. It goes on from one threadgroup to the
// next, so that what an earlier one did to threadgroup memory is over.
type clock struct {
	now uint32 // the number of the last access
	// What was accessed before is ordered with all that follows: with that of the
	// simd-group itself, and with that of the whole threadgroup.
	simdgroup, group [spaces]uint32
	fenced           [lanes]uint32 // and of texels, what each lane has written with what it reads
}

// Enter begins the threadgroup of a number. It reports false where the clocks had to begin
// anew: then shadow of threadgroup memory must be forgotten.
func (g *Group) Enter(id uint32) bool {
	g.id, g.fences = id, fences{}
	for i := range g.clocks {
		if g.clocks[i].now > maxStep/2 {
			g.clocks = [MaxSimdgroups]clock{}
			return false
		}
	}
	g.Barrier(1<<spaces - 1)
	return true
}

// Barrier orders what all simd-groups have done before all that they will do, in the
// kinds of memory of the flags.
func (g *Group) Barrier(flags Flags) {
	if flags&Threadgroup.Of() != 0 {
		g.barriers++
	}
	for i := range g.clocks {
		c := &g.clocks[i]
		for s := range spaces {
			if flags&s.Of() != 0 {
				c.group[s], c.simdgroup[s] = c.now+1, c.now+1
			}
		}
	}
}

// SimdgroupBarrier is Barrier for the lanes of one simd-group.
func (g *Group) SimdgroupBarrier(simdgroup int, flags Flags) {
	c := &g.clocks[simdgroup]
	for s := range spaces {
		if flags&s.Of() != 0 {
			c.simdgroup[s] = c.now + 1
		}
	}
}

// TextureFence orders the texels that some lanes of a simd-group have written, each with those that it will read. A
// thread that reads a texture may find there what was before its own write.
func (g *Group) TextureFence(simdgroup int, mask uint32) {
	c := &g.clocks[simdgroup]
	for l := range c.fenced {
		if mask>>l&1 != 0 {
			c.fenced[l] = c.now + 1
		}
	}
}

// Step returns the number of the last access of a simd-group.
func (g *Group) Step(simdgroup int) uint32 { return g.clocks[simdgroup].now }
