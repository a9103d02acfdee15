package runtime

import (
	"fmt"
	"math"
	"strconv"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Grid is the extent of a call in x, y and z: how many threadgroups, and how many threads in each. Dimensions that are
// not used are 1. In the arguments of a generated function the zero Grid means the grid that the source states.
type Grid struct {
	Threadgroups [3]int // number of threadgroups
	Threads      [3]int // threads per threadgroup

	// Size is the exact number of threads in all, where the last threadgroup of a dimension may be partly filled
	// (Metal's dispatchThreads). The zero Size means that every threadgroup is full. See [GridOfThreads].
	Size [3]int

	// Indirect, where it is set, has the numbers of threadgroups in its first element. The device reads them when the
	// call begins to run, so that an earlier kernel can write them. Where one of them is 0, nothing runs. Leave
	// Threadgroups and Size zero. [Cast] makes such a buffer of one of uint32.
	Indirect Buffer[[3]uint32]
}

// GridOfThreads returns the grid of exactly size threads, in threadgroups of threads each, of which the last in each
// dimension may be partly filled.
func GridOfThreads(size, threads [3]int) Grid {
	g := Grid{Threads: threads, Size: size}
	for i := range size {
		g.Threadgroups[i] = bind.CeilDiv(size[i], threads[i])
	}
	return g
}

// IsZero reports whether nothing of g is set.
func (g Grid) IsZero() bool { return g == Grid{} }

// ThreadsPerThreadgroup returns the product of Threads, or [math.MaxInt] where that does not fit.
func (g Grid) ThreadsPerThreadgroup() int {
	return bind.Mul(bind.Mul(g.Threads[0], g.Threads[1]), g.Threads[2])
}

// String returns "(8, 1, 1) threadgroups of (256, 1, 1) threads", followed by
// ", (2000, 1, 1) threads in all" where Size is set.
func (g Grid) String() string {
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

// maxPosition is the largest of the 32-bit positions that kernels read: those of threadgroups, and in some kernels
// those of threads.
const maxPosition = math.MaxUint32

// checkGrid returns the mistake in g as the grid of k on a device of limits l, or nil.
func checkGrid(k *bind.Kernel, g *Grid, l *driver.Limits) error {
	if g.IsZero() && k.Grid == "" {
		return &GridError{Kernel: k.Name, Grid: *g, Unstated: k.Library.File}
	}
	bad := func(need, have string) error {
		return &GridError{Kernel: k.Name, Grid: *g, Need: need, Have: have, Stated: k.Grid, Pos: k.GridPos}
	}
	threadgroups := g.Threadgroups
	if g.isIndirect() {
		if threadgroups != [3]int{} || g.Size != [3]int{} {
			return bad("no Threadgroups and no Size beside Indirect", "both")
		}
		threadgroups = [3]int{1, 1, 1}
	}
	if threadgroups == [3]int{} {
		return bad("Threadgroups (GridOfThreads computes them)", "none set")
	}
	if g.Threads == [3]int{} {
		return bad("Threads", "none set")
	}
	sized := g.Size != [3]int{}
	for dim := range 3 {
		groups, threads, size := threadgroups[dim], g.Threads[dim], g.Size[dim]
		switch {
		case !isCount(groups):
			return bad(badCount("Threadgroups", dim, groups))
		case !isCount(threads):
			return bad(badCount("Threads", dim, threads))
		case sized && !isCount(size):
			return bad(badCount("Size", dim, size))
		case threads > l.Threads[dim]:
			return bad(fmt.Sprintf("at most %d threads per threadgroup in dimension %d", l.Threads[dim], dim),
				strconv.Itoa(threads))
		case sized && groups != bind.CeilDiv(size, threads):
			return bad(fmt.Sprintf("Threadgroups[%d] = %d for Size[%d] = %d in threadgroups of %d",
				dim, bind.CeilDiv(size, threads), dim, size, threads), strconv.Itoa(groups))
		}
		if !sized {
			size = bind.Mul(groups, threads)
		}
		if groups > maxPosition {
			return bad(fmt.Sprintf("at most %d threadgroups in dimension %d", maxPosition, dim), strconv.Itoa(groups))
		}
		if size > maxPosition && (k.Positions || sized) {
			return bad(fmt.Sprintf("at most %d threads in dimension %d", maxPosition, dim),
				fmt.Sprintf("%d threadgroups of %d threads", groups, threads))
		}
	}
	if n := g.ThreadsPerThreadgroup(); n > l.ThreadsPerThreadgroup {
		return bad(fmt.Sprintf("at most %d threads per threadgroup", l.ThreadsPerThreadgroup), strconv.Itoa(n))
	}
	return nil
}

func isCount(n int) bool { return n >= 1 && !bind.Saturated(n) }

// badCount returns what to say of a number of a grid that is no count.
func badCount(field string, dim, n int) (need, have string) {
	if bind.Saturated(n) {
		return "numbers that fit", fmt.Sprintf("%s[%d] that overflows or divides by zero", field, dim)
	}
	return "at least 1 in every dimension", fmt.Sprintf("%s[%d] = %d", field, dim, n)
}
