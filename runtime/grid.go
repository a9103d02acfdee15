package runtime

import (
	"fmt"
	"math"
	"strconv"

	"github.com/metalgen/metalgen/runtime/bind"
)

// Grid is the extent of a call in x, y and z: how many threadgroups, and how many threads in each. Dimensions that are
// not used are 1. In the arguments of a generated function the zero Grid means the grid that the source states. To
// write another, Threads(w, h).Of(16, 16) and Threadgroups(rows).Of(256) are shorter than its fields: see [Threads].
//
// A call with nothing to do is checked, and then runs nothing. That is a call
//
//   - whose grid the source states, where one of its numbers is 0, as n may be in (n, 1, 1);
//   - whose Grid has no threadgroups, or a Size of no threads, where the stated shapes of all buffers that the kernel
//     writes come to 0 elements.
//
// Any other number below 1 is a [GridError]: most often a dimension was forgotten.
type Grid struct {
	Threadgroups [3]int // number of threadgroups
	Threads      [3]int // threads per threadgroup

	// Size is the exact number of threads in all, where the last threadgroup of a dimension may be partly filled
	// (Metal's dispatchThreads). The zero Size means that every threadgroup is full.
	Size [3]int

	// Indirect, where it is set, has the numbers of threadgroups in its first element. The device reads them when the
	// call begins to run, so that an earlier kernel can write them. Where one of them is 0, nothing runs. Leave
	// Threadgroups and Size zero. [Cast] makes such a buffer of one of uint32.
	Indirect Buffer[[3]uint32]
}

// Extent is how far a [Grid] goes in x, y and z: what [Threads] and [Threadgroups] return. [Extent.Of] makes the grid.
type Extent struct {
	x, y, z        int // an array is not kept in registers: three times as slow
	inThreadgroups bool
}

// Threads returns the extent of a grid of exactly that many threads in x, y and z. Dimensions that are left out are 1:
//
//	Threads(width, height).Of(16, 16)
func Threads(n ...int) Extent {
	x, y, z := upToThree(n)
	return Extent{x, y, z, false}
}

// Threadgroups returns the extent of a grid of that many threadgroups in x, y and z. Dimensions that are left out are
// 1:
//
//	Threadgroups(rows).Of(256)
func Threadgroups(n ...int) Extent {
	x, y, z := upToThree(n)
	return Extent{x, y, z, true}
}

// Of returns the grid of that extent, in threadgroups of that many threads in x, y and z. Dimensions that are left out
// are 1. If the extent is in threads, the last threadgroup of each dimension may be partly filled.
func (e Extent) Of(threads ...int) (g Grid) {
	x, y, z := upToThree(threads)
	g.Threads[0], g.Threads[1], g.Threads[2] = x, y, z
	if e.inThreadgroups {
		g.Threadgroups[0], g.Threadgroups[1], g.Threadgroups[2] = e.x, e.y, e.z
		return g
	}
	g.Size[0], g.Size[1], g.Size[2] = e.x, e.y, e.z
	g.Threadgroups[0] = bind.CeilDiv(e.x, x)
	g.Threadgroups[1] = bind.CeilDiv(e.y, y)
	g.Threadgroups[2] = bind.CeilDiv(e.z, z)
	return g
}

// tooMany stands for each number where there are more than three. No other grid has it: an overflow is [math.MinInt].
const tooMany = math.MinInt + 1

// upToThree returns the numbers of x, y and z. Those that are left out are 1.
func upToThree(n []int) (x, y, z int) {
	switch len(n) {
	case 0:
		return 1, 1, 1
	case 1:
		return n[0], 1, 1
	case 2:
		return n[0], n[1], 1
	case 3:
		return n[0], n[1], n[2]
	}
	return tooMany, tooMany, tooMany
}

func (g *Grid) hasTooMany() bool {
	return g.Size[0] == tooMany || g.Threads[0] == tooMany || g.Threadgroups[0] == tooMany
}

// Default sets the zero Grid to stated, the grid that the source states. Default is for generated functions. A call
// over the stated grid runs nothing if one of its numbers is 0. Any other Grid remembers what is stated, for
// [CheckGrid].
func (g *Grid) Default(stated Grid) {
	if !g.IsZero() {
		g.compare(&stated)
		return
	}
	*g = stated
	least := min(g.Threadgroups[0], g.Threadgroups[1], g.Threadgroups[2], g.Threads[0], g.Threads[1], g.Threads[2])
	if least == 0 && g.isOfCounts() {
		g.Indirect.length = empty
	}
}

// The length of the Indirect of a grid, without memory, says what else is known of the grid. A field of its own would
// cost each call 20 ns: longer grids are copied in other ways, see IsZero.
const (
	empty   = -1          // nothing is to be done
	smaller = empty - 1   // in x the source states more threads: as many as the offset of the Indirect
	last    = smaller - 2 // likewise in z
)

// compare remembers the first dimension in which stated has more threads than g.
func (g *Grid) compare(stated *Grid) {
	if g.isIndirect() {
		return
	}
	for dim := range 3 {
		if want := stated.threadsIn(dim); want > g.threadsIn(dim) && !bind.Saturated(want) {
			g.Indirect.length, g.Indirect.offset = smaller-dim, want
			return
		}
	}
}

// threadsIn returns the number of threads of a dimension.
func (g *Grid) threadsIn(dim int) int {
	if g.Size != [3]int{} {
		return g.Size[dim]
	}
	return bind.Mul(g.Threadgroups[dim], g.Threads[dim])
}

// shortOf returns what the source states more than g has, "" where that is nothing or not known.
func (g *Grid) shortOf(k *bind.Kernel) string {
	if g.Indirect.length > smaller || g.Indirect.length < last {
		return ""
	}
	dim := smaller - g.Indirect.length
	return fmt.Sprintf("the grid of the call has %d threads in %c, and the source states %d, %s (%s)",
		g.threadsIn(dim), "xyz"[dim], g.Indirect.offset, k.Grid, k.GridPos)
}

// isOfCounts reports whether no number of g is negative or overflows.
func (g *Grid) isOfCounts() bool {
	for _, v := range [...]*[3]int{&g.Threadgroups, &g.Threads, &g.Size} {
		for _, n := range v {
			if n < 0 || bind.Saturated(n) {
				return false
			}
		}
	}
	return true
}

// IsZero reports whether nothing of g is set.
func (g *Grid) IsZero() bool {
	// Every call asks. To copy a Grid, or to compare more than a word at once, waits for stores that have just been
	// made.
	return g.Threads[0]|g.Threads[1]|g.Threads[2]|g.Threadgroups[0]|g.Threadgroups[1]|g.Threadgroups[2]|
		g.Size[0]|g.Size[1]|g.Size[2]|g.Indirect.offset|g.Indirect.length == 0 && g.Indirect.mem == nil
}

// ThreadsPerThreadgroup returns the product of Threads, or [math.MaxInt] where that does not fit.
func (g Grid) ThreadsPerThreadgroup() int {
	return product(&g.Threads)
}

func product(v *[3]int) int { return bind.Mul(bind.Mul(v[0], v[1]), v[2]) }

// String returns "(8, 1, 1) threadgroups of (256, 1, 1) threads", followed by
// ", (2000, 1, 1) threads in all" where Size is set.
func (g Grid) String() string {
	if g.hasTooMany() {
		return "more than 3 dimensions"
	}
	if g.isIndirect() {
		return fmt.Sprintf("threadgroups from a buffer, of %s threads", triple(g.Threads))
	}
	s := fmt.Sprintf("%s threadgroups of %s threads", triple(g.Threadgroups), triple(g.Threads))
	if g.Size != [3]int{} {
		s += fmt.Sprintf(", %s threads in all", triple(g.Size))
	}
	return s
}

func (g Grid) isIndirect() bool { return g.Indirect.mem != nil }

func triple(v [3]int) string {
	return fmt.Sprintf("(%s, %s, %s)", extent(v[0]), extent(v[1]), extent(v[2]))
}

func extent(n int) string {
	if bind.Saturated(n) {
		return "overflow" // more use than 9223372036854775807
	}
	return strconv.Itoa(n)
}
