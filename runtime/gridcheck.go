package runtime

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// maxPosition is the largest of the 32-bit positions that kernels read: those of threadgroups, and in some kernels
// those of threads.
const maxPosition = math.MaxUint32

// checkGrid returns the mistake in g as the grid of the call, or reports whether it runs nothing.
func (c *call) checkGrid(g *Grid) (nothing bool, err error) {
	limits := &c.batch.dev.limits
	switch {
	case fits(g, limits): // as nearly always
		return false, nil
	case g.Indirect.length == empty, g.isOfNothing() && c.writesNothing():
		return true, nil
	}
	return false, gridMistake(c.kernel, g, limits)
}

// fits reports whether g is of full threadgroups within the limits, of few enough threads for any kernel.
func fits(g *Grid, l *driver.Limits) bool {
	for dim := range 3 {
		groups, threads := g.Threadgroups[dim], g.Threads[dim]
		if uint(groups-1) >= maxPosition || uint(threads-1) >= uint(l.Threads[dim]) || groups*threads > maxPosition {
			return false
		}
	}
	return areZero(&g.Size) && !g.isIndirect() && product(&g.Threads) <= l.ThreadsPerThreadgroup
}

// isOfNothing reports whether g has no threadgroups or no threads in all, and is otherwise what a caller may state.
func (g *Grid) isOfNothing() bool {
	extent := &g.Threadgroups
	if !areZero(&g.Size) {
		extent = &g.Size
	}
	return !g.isIndirect() && min(extent[0], extent[1], extent[2]) == 0 && !areZero(extent) && g.isOfCounts() &&
		min(g.Threads[0], g.Threads[1], g.Threads[2]) > 0
}

// writesNothing reports whether there are stated shapes of buffers that the kernel writes, and all that it may write
// comes to nothing by them.
func (c *call) writesNothing() bool {
	d, stated := &c.dispatch, false
	for _, arg := range d.Kernel.Buffers {
		stated = stated || arg.Writes && arg.Shape != ""
	}
	return stated &&
		!slices.ContainsFunc(d.Buffers, func(b driver.Buffer) bool { return b.Arg.Writes && (!b.Shaped || b.Shape > 0) }) &&
		!slices.ContainsFunc(d.Textures, func(t driver.TextureArg) bool { return t.Arg.Writes }) &&
		!slices.ContainsFunc(d.Resources, func(r driver.Resource) bool { return r.Writes })
}

// gridMistake returns the mistake in g as the grid of k on a device of limits l, or nil.
func gridMistake(k *bind.Kernel, g *Grid, l *driver.Limits) error {
	if k.Grid == "" && g.IsZero() {
		return &GridError{Kernel: k.Name, Grid: *g, Unstated: k.Library.File}
	}
	if g.hasTooMany() {
		return badGrid(k, g, "1 to 3 numbers for each of Threads, Threadgroups and Of", "more for one")
	}
	threadgroups, sized := &g.Threadgroups, !areZero(&g.Size)
	if g.isIndirect() {
		if !areZero(threadgroups) || sized {
			return badGrid(k, g, "no Threadgroups and no Size beside Indirect", "both")
		}
		threadgroups = &[3]int{1, 1, 1}
	}
	if areZero(threadgroups) {
		return badGrid(k, g, "Threadgroups (Threads(n).Of(256) computes them)", "none set")
	}
	if areZero(&g.Threads) {
		return badGrid(k, g, "Threads", "none set")
	}
	for dim := range 3 {
		if err := checkDimension(k, g, l, dim, threadgroups[dim], sized); err != nil {
			return err
		}
	}
	if n := product(&g.Threads); n > l.ThreadsPerThreadgroup {
		return badGrid(k, g, fmt.Sprintf("at most %d threads per threadgroup", l.ThreadsPerThreadgroup), strconv.Itoa(n))
	}
	return nil
}

// checkDimension checks one dimension of a grid, which has groups threadgroups in it.
func checkDimension(k *bind.Kernel, g *Grid, l *driver.Limits, dim, groups int, sized bool) error {
	threads, size := g.Threads[dim], g.Size[dim]
	switch {
	case !isCount(groups):
		return badCount(k, g, "Threadgroups", dim, groups)
	case !isCount(threads):
		return badCount(k, g, "Threads", dim, threads)
	case sized && !isCount(size):
		return badCount(k, g, "Size", dim, size)
	case threads > l.Threads[dim]:
		return badGrid(k, g, fmt.Sprintf("at most %d threads per threadgroup in dimension %d", l.Threads[dim], dim),
			strconv.Itoa(threads))
	case sized && groups != bind.CeilDiv(size, threads):
		return badGrid(k, g, fmt.Sprintf("Threadgroups[%d] = %d for Size[%d] = %d in threadgroups of %d",
			dim, bind.CeilDiv(size, threads), dim, size, threads), strconv.Itoa(groups))
	case groups > maxPosition:
		return badGrid(k, g, fmt.Sprintf("at most %d threadgroups in dimension %d", maxPosition, dim),
			strconv.Itoa(groups))
	}
	if !sized {
		size = bind.Mul(groups, threads)
	}
	if size > maxPosition && (k.Positions || sized) {
		return badGrid(k, g, fmt.Sprintf("at most %d threads in dimension %d", maxPosition, dim),
			fmt.Sprintf("%d threadgroups of %d threads", groups, threads))
	}
	return nil
}

func areZero(v *[3]int) bool { return v[0]|v[1]|v[2] == 0 }

func isCount(n int) bool { return n >= 1 && !bind.Saturated(n) }

// badCount returns the error of a number of a grid that is no count.
func badCount(k *bind.Kernel, g *Grid, field string, dim, n int) error {
	if bind.Saturated(n) {
		return badGrid(k, g, "numbers that fit", fmt.Sprintf("%s[%d] that overflows or divides by zero", field, dim))
	}
	return badGrid(k, g, "at least 1 in every dimension", fmt.Sprintf("%s[%d] = %d", field, dim, n))
}

func badGrid(k *bind.Kernel, g *Grid, need, have string) error {
	return &GridError{Kernel: k.Name, Grid: *g, Need: need, Have: have, Stated: k.Grid, Pos: k.GridPos}
}
