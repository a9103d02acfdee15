package invoke

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
)

// computeGrid sets the grid to what was given of it, completed by what the source
// states, or to nil where a number is missing for that.
func (n *numbers) computeGrid(r *Request) error {
	grid, known, err := n.dispatchGrid(r.Kernel, r.Threadgroups, r.Threads)
	if n.grid = nil; known && err == nil {
		n.grid = &grid
	}
	return err
}

func (n *numbers) dispatchGrid(
	k *binding.Kernel, threadgroups, threads *[3]int,
) (grid runtime.Grid, known bool, err error) {
	g := k.Geometry
	switch {
	case threadgroups != nil && threads != nil:
		return runtime.Grid{Threadgroups: *threadgroups, Threads: *threads}, true, nil
	case g == nil:
		return runtime.Grid{}, false, fmt.Errorf("nothing in %s states its grid: give -grid and -threads", k.Pos.Filename)
	case threads != nil && g.Size == nil && slices.ContainsFunc(g.Threadgroups[:], binding.Divides):
		// What is divided is, as a rule, divided by the number of threads in each.
		return runtime.Grid{}, false, fmt.Errorf("the threadgroups that are stated, %s, are for other threads: "+
			"give -grid with -threads", binding.FileLine(g.From))
	}
	if threads != nil {
		grid.Threads = *threads
	} else {
		if grid.Threads, known = n.triple(g.Threads); !known {
			return grid, false, nil
		}
	}
	if threadgroups != nil {
		grid.Threadgroups = *threadgroups
		return grid, true, nil
	}
	with := *n
	with.grid = &grid
	if g.Size != nil {
		size, known := with.triple(*g.Size)
		return asStated(runtime.Threads(size[:]...).Of(grid.Threads[:]...)), known, nil
	}
	grid.Threadgroups, known = with.triple(g.Threadgroups)
	return asStated(grid), known, nil
}

// asStated returns the grid that the source states, as a call has it that sets none.
func asStated(stated runtime.Grid) (grid runtime.Grid) {
	grid.Default(stated)
	return grid
}
