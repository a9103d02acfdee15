package runtime

import (
	"fmt"
	"math"
	"strconv"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// maxPosition is the largest of the 32-bit positions that kernels read: those of threadgroups, and in some kernels
// those of threads.
const maxPosition = math.MaxUint32

// checkGrid returns the mistake in g as the grid of k on a device of limits l, or nil.
func checkGrid(k *bind.Kernel, g *Grid, l *driver.Limits) error {
	if k.Grid == "" && g.IsZero() {
		return &GridError{Kernel: k.Name, Grid: *g, Unstated: k.Library.File}
	}
	threadgroups, sized := &g.Threadgroups, !areZero(&g.Size)
	if g.isIndirect() {
		if !areZero(threadgroups) || sized {
			return badGrid(k, g, "no Threadgroups and no Size beside Indirect", "both")
		}
		threadgroups = &[3]int{1, 1, 1}
	}
	if areZero(threadgroups) {
		return badGrid(k, g, "Threadgroups (GridOfThreads computes them)", "none set")
	}
	if areZero(&g.Threads) {
		return badGrid(k, g, "Threads", "none set")
	}
	for dim := range 3 {
		groups, threads := threadgroups[dim], g.Threads[dim]
		if !sized && uint(groups-1) < maxPosition && uint(threads-1) < uint(l.Threads[dim]) &&
			groups*threads <= maxPosition {
			continue // as nearly always
		}
		if err := checkDimension(k, g, l, dim, groups, sized); err != nil {
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
