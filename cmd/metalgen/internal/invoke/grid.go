package invoke

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
)

// dispatchGrid is the grid for what was given of it, completed by what the source
// states. It is false where a number is missing for that.
func dispatchGrid(k *binding.Kernel, threadgroups, threads *[3]int, n *numbers) (runtime.Grid, bool, error) {
	g := k.Geometry
	switch {
	case threadgroups != nil && threads != nil:
		return runtime.Grid{Threadgroups: *threadgroups, Threads: *threads}, true, nil
	case g == nil:
		return runtime.Grid{}, false, fmt.Errorf("nothing in %s states its grid: give -grid and -threads", k.Pos.Filename)
	case threads != nil && g.Size == nil && dividesByThreads(g):
		return runtime.Grid{}, false, fmt.Errorf("the threadgroups that are stated, %s, are for other threads: give -grid with -threads", binding.FileLine(g.From))
	}
	grid := runtime.Grid{}
	if threads != nil {
		grid.Threads = *threads
	} else {
		var ok bool
		if grid.Threads, ok = n.triple(g.Threads); !ok {
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
		size, ok := with.triple(*g.Size)
		return runtime.GridOfThreads(size, grid.Threads), ok, nil
	}
	var ok bool
	grid.Threadgroups, ok = with.triple(g.Threadgroups)
	return grid, ok, nil
}

// dividesByThreads tells whether the number of threadgroups is computed by a
// division: by the number of threads in each, as a rule.
func dividesByThreads(g *binding.Geometry) bool {
	found := false
	for _, e := range g.Threadgroups {
		binding.Walk(e, func(e binding.Expr) {
			switch e := e.(type) {
			case *binding.Binary:
				found = found || e.Op == '/'
			case *binding.Call:
				found = found || e.Func == "ceil_div"
			}
		})
	}
	return found
}
