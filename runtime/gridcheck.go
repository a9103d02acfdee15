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
	if g.IsZero() && k.Grid == "" {
		return &GridError{Kernel: k.Name, Grid: *g, Unstated: k.Library.File}
	}
	threadgroups := g.Threadgroups
	if g.isIndirect() {
		if threadgroups != [3]int{} || g.Size != [3]int{} {
			return badGrid(k, g, "no Threadgroups and no Size beside Indirect", "both")
		}
		threadgroups = [3]int{1, 1, 1}
	}
	if threadgroups == [3]int{} {
		return badGrid(k, g, "Threadgroups (GridOfThreads computes them)", "none set")
	}
	if g.Threads == [3]int{} {
		return badGrid(k, g, "Threads", "none set")
	}
	sized := g.Size != [3]int{}
	for dim := range 3 {
		if err := checkDimension(k, g, l, dim, threadgroups[dim], sized); err != nil {
			return err
		}
	}
	if n := g.ThreadsPerThreadgroup(); n > l.ThreadsPerThreadgroup {
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
