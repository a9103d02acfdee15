package cpu

// setter sets the registers of a built-in argument.
type setter struct {
	set  setBuiltin
	kept bool // see builtins
	regs []int32
}

// setBuiltin sets the registers of a built-in argument for the simd-group of an index.
type setBuiltin = func(f *frame, regs []int32, index int)

// settersOf returns what sets the built-in arguments of a program.
func settersOf(p *program) []setter {
	list := make([]setter, len(p.builtins))
	for i, v := range p.builtins {
		list[i] = setter{setBuiltins[v.attribute], builtins[v.attribute], v.regs}
	}
	return list
}

// setBuiltins are all by their attributes.
var setBuiltins = map[string]setBuiltin{
	"thread_position_in_grid":        func(f *frame, regs []int32, index int) { f.setPositions(regs, index, true) },
	"thread_position_in_threadgroup": func(f *frame, regs []int32, index int) { f.setPositions(regs, index, false) },

	"threadgroup_position_in_grid": triple(func(g *threadgroup) [3]int { return g.position }),
	"threads_per_threadgroup":      triple(func(g *threadgroup) [3]int { return g.threads }),

	"dispatch_threads_per_threadgroup": triple(func(g *threadgroup) [3]int { return g.dispatch.threads }),
	"threadgroups_per_grid":            triple(func(g *threadgroup) [3]int { return g.dispatch.grid.Threadgroups }),
	"threads_per_grid":                 triple(func(g *threadgroup) [3]int { return g.dispatch.size() }),
	"grid_size":                        triple(func(g *threadgroup) [3]int { return g.dispatch.size() }),
	"grid_origin":                      triple(func(*threadgroup) [3]int { return [3]int{} }),

	"simdgroups_per_threadgroup": single(func(g *threadgroup, _ int) int { return g.simdgroups() }),
	"quadgroups_per_threadgroup": single(func(g *threadgroup, _ int) int { return (g.count + 3) / 4 }),

	"simdgroup_index_in_threadgroup": single(func(_ *threadgroup, index int) int { return index }),
	"threads_per_simdgroup":          single(func(*threadgroup, int) int { return width }),
	"thread_execution_width":         single(func(*threadgroup, int) int { return width }),
	"dispatch_simdgroups_per_threadgroup": single(func(g *threadgroup, _ int) int {
		return g.dispatch.simdgroups()
	}),
	"dispatch_quadgroups_per_threadgroup": single(func(g *threadgroup, _ int) int {
		t := g.dispatch.threads
		return (t[0]*t[1]*t[2] + 3) / 4
	}),

	"thread_index_in_threadgroup": func(f *frame, regs []int32, index int) {
		at[uint32](f, regs[0]).setLinear(uint32(index*width), 1)
	},
	"thread_index_in_simdgroup": func(f *frame, regs []int32, _ int) {
		at[uint32](f, regs[0]).setLinear(0, 1)
	},
	"thread_index_in_quadgroup": func(f *frame, regs []int32, _ int) {
		setLanes(f, regs[0], func(l int) int { return l % 4 })
	},
	"quadgroup_index_in_threadgroup": func(f *frame, regs []int32, index int) {
		setLanes(f, regs[0], func(l int) int { return (index*width + l) / 4 })
	},
}

// single returns a function that sets one value for the simd-group.
func single(value func(g *threadgroup, index int) int) func(f *frame, regs []int32, index int) {
	return func(f *frame, regs []int32, index int) { at[uint32](f, regs[0]).set(uint32(value(f.group, index))) }
}

// triple returns a function that sets one value for the threadgroup, in as many
// dimensions as the argument has.
func triple(value func(g *threadgroup) [3]int) func(f *frame, regs []int32, index int) {
	return func(f *frame, regs []int32, _ int) {
		v := value(f.group)
		for i, r := range regs {
			at[uint32](f, r).set(uint32(v[i]))
		}
	}
}

func setLanes(f *frame, r int32, value func(lane int) int) {
	z := at[uint32](f, r).vector()
	for l := range z {
		z[l] = uint32(value(l))
	}
}

// setPositions sets where the threads are in their threadgroup or in the grid.
// Where a row of threads takes whole simd-groups, x counts up with the lanes and y and
// z are the same for all of them.
func (f *frame) setPositions(regs []int32, index int, inGrid bool) {
	g := f.group
	t := &g.threads
	var origin [3]int
	if inGrid {
		for i := range regs {
			origin[i] = g.position[i] * g.dispatch.threads[i]
		}
	}
	first := index * width
	switch row := t[1] == 1 && t[2] == 1; {
	case row || t[0]%width == 0:
		x, y, z := first, 0, 0
		if !row {
			x, y = first%t[0], first/t[0]
			y, z = y%t[1], y/t[1]
		}
		at[uint32](f, regs[0]).setLinear(uint32(origin[0]+x), 1)
		if len(regs) > 1 {
			at[uint32](f, regs[1]).set(uint32(origin[1] + y))
		}
		if len(regs) > 2 {
			at[uint32](f, regs[2]).set(uint32(origin[2] + z))
		}
	default:
		// Counting is several times faster than dividing for each lane.
		p := [3]int{first % t[0], first / t[0] % t[1], first / (t[0] * t[1])}
		var lanes [3]*[width]uint32
		for i, r := range regs {
			lanes[i] = at[uint32](f, r).vector()
		}
		for l := range width {
			for i := range regs {
				lanes[i][l] = uint32(origin[i] + p[i])
			}
			if p[0]++; p[0] < t[0] {
				continue
			}
			p[0] = 0
			if p[1]++; p[1] == t[1] {
				p[1] = 0
				p[2]++
			}
		}
	}
}
