package interp

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// setter sets the registers of a built-in argument.
type setter struct {
	Set  setBuiltin
	kept bool // see builtins
	Regs []int32
}

// setBuiltin sets the registers of a built-in argument for the simd-group of an index.
type setBuiltin = func(f *Frame, regs []int32, index int)

// settersOf returns what sets the built-in arguments of a program.
func settersOf(p *program.Program) []setter {
	list := make([]setter, len(p.Builtins))
	for i, v := range p.Builtins {
		list[i] = setter{setBuiltins[v.Attribute], program.Builtins[v.Attribute], v.Regs}
	}
	return list
}

// setBuiltins are all by their attributes.
var setBuiltins = map[string]setBuiltin{
	"thread_position_in_grid":        func(f *Frame, regs []int32, index int) { f.setPositions(regs, index, true) },
	"thread_position_in_threadgroup": func(f *Frame, regs []int32, index int) { f.setPositions(regs, index, false) },

	"threadgroup_position_in_grid": triple(func(g *Threadgroup) [3]int { return g.Position }),
	"threads_per_threadgroup":      triple(func(g *Threadgroup) [3]int { return g.Threads }),

	"dispatch_threads_per_threadgroup": triple(func(g *Threadgroup) [3]int { return g.Dispatch.Threads }),
	"threadgroups_per_grid":            triple(func(g *Threadgroup) [3]int { return g.Dispatch.Grid.Threadgroups }),
	"threads_per_grid":                 triple(func(g *Threadgroup) [3]int { return g.Dispatch.size() }),
	"grid_size":                        triple(func(g *Threadgroup) [3]int { return g.Dispatch.size() }),
	"grid_origin":                      triple(func(*Threadgroup) [3]int { return [3]int{} }),

	"simdgroups_per_threadgroup": single(func(g *Threadgroup, _ int) int { return g.Simdgroups() }),
	"quadgroups_per_threadgroup": single(func(g *Threadgroup, _ int) int { return (g.count + 3) / 4 }),

	"simdgroup_index_in_threadgroup": single(func(_ *Threadgroup, index int) int { return index }),
	"threads_per_simdgroup":          single(func(*Threadgroup, int) int { return width }),
	"thread_execution_width":         single(func(*Threadgroup, int) int { return width }),
	"dispatch_simdgroups_per_threadgroup": single(func(g *Threadgroup, _ int) int {
		return g.Dispatch.Simdgroups()
	}),
	"dispatch_quadgroups_per_threadgroup": single(func(g *Threadgroup, _ int) int {
		t := g.Dispatch.Threads
		return (t[0]*t[1]*t[2] + 3) / 4
	}),

	"thread_index_in_threadgroup": func(f *Frame, regs []int32, index int) {
		At[uint32](f, regs[0]).setLinear(uint32(index*width), 1)
	},
	"thread_index_in_simdgroup": func(f *Frame, regs []int32, _ int) {
		At[uint32](f, regs[0]).setLinear(0, 1)
	},
	"thread_index_in_quadgroup": func(f *Frame, regs []int32, _ int) {
		setLanes(f, regs[0], func(l int) int { return l % 4 })
	},
	"quadgroup_index_in_threadgroup": func(f *Frame, regs []int32, index int) {
		setLanes(f, regs[0], func(l int) int { return (index*width + l) / 4 })
	},
}

// single returns a function that sets one value for the simd-group.
func single(value func(g *Threadgroup, index int) int) func(f *Frame, regs []int32, index int) {
	return func(f *Frame, regs []int32, index int) { At[uint32](f, regs[0]).Set(uint32(value(f.Group, index))) }
}

// triple returns a function that sets one value for the threadgroup, in as many
// dimensions as the argument has.
func triple(value func(g *Threadgroup) [3]int) func(f *Frame, regs []int32, index int) {
	return func(f *Frame, regs []int32, _ int) {
		v := value(f.Group)
		for i, r := range regs {
			At[uint32](f, r).Set(uint32(v[i]))
		}
	}
}

func setLanes(f *Frame, r int32, value func(lane int) int) {
	z := At[uint32](f, r).vector()
	for l := range z {
		z[l] = uint32(value(l))
	}
}

// setPositions sets where the threads are in their threadgroup or in the grid.
// Where a row of threads takes whole simd-groups, x counts up with the lanes and y and
// z are the same for all of them.
func (f *Frame) setPositions(regs []int32, index int, inGrid bool) {
	g := f.Group
	t := &g.Threads
	var origin [3]int
	if inGrid {
		for i := range regs {
			origin[i] = g.Position[i] * g.Dispatch.Threads[i]
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
		At[uint32](f, regs[0]).setLinear(uint32(origin[0]+x), 1)
		if len(regs) > 1 {
			At[uint32](f, regs[1]).Set(uint32(origin[1] + y))
		}
		if len(regs) > 2 {
			At[uint32](f, regs[2]).Set(uint32(origin[2] + z))
		}
	default:
		places := f.placesIn(*t, first)
		for i, r := range regs {
			z, from := At[uint32](f, r).vector(), uint32(origin[i])
			for l, place := range &places[i] {
				z[l] = from + place
			}
		}
	}
}

// places are where the threads of a simd-group are in a threadgroup of some shape.
type places struct {
	shape [3]int // or none
	lanes [3][width]uint32
}

// placesIn returns the places of the lanes, the first of which is a thread, in a threadgroup of a shape. It keeps them:
// threadgroups are mostly alike, and to count for each takes as long as a small kernel.
func (f *Frame) placesIn(shape [3]int, first int) *[3][width]uint32 {
	p := &f.places
	if p.shape == shape {
		return &p.lanes
	}
	p.shape = shape
	for l := range width {
		thread := first + l
		p.lanes[0][l] = uint32(thread % shape[0])
		p.lanes[1][l] = uint32(thread / shape[0] % shape[1])
		p.lanes[2][l] = uint32(thread / (shape[0] * shape[1]))
	}
	return &p.lanes
}
