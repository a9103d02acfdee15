package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// builtinKind is the arguments that say where a thread is, which no dispatch binds.
var builtinKind = argKind{
	takes: func(param *tree.Param) bool { return param.Kind == tree.BuiltinParam },
	lower: func(b *builder, param *tree.Param, v *tree.Var) {
		value := builtinValue{set: builtinValues[param.Attribute]}
		if value.set == nil {
			unsupported(param.Pos, "[["+param.Attribute+"]]")
		}
		for range countLeaves(param.Type) {
			value.regs = append(value.regs, b.allocate(wordClass))
		}
		b.program.builtins = append(b.program.builtins, value)
		if b.addressed(v) {
			b.beginVariable(v, value.regs, param.Pos)
			return
		}
		b.beginIn(v, value.regs)
	},
}

// builtinValue is a kernel argument that says where a thread is: what sets it, and
// the registers of its elements.
type builtinValue struct {
	set  func(f *frame, regs []int32, index int)
	regs []int32
}

// builtinValues set the registers of built-in arguments (section 5.2.3.6) for the simd-group
// of an index.
var builtinValues = map[string]func(f *frame, regs []int32, index int){
	"thread_position_in_grid":        func(f *frame, regs []int32, index int) { f.setPositions(regs, index, true) },
	"thread_position_in_threadgroup": func(f *frame, regs []int32, index int) { f.setPositions(regs, index, false) },

	"threadgroup_position_in_grid":     triple(func(g *threadgroup) [3]int { return g.position }),
	"threads_per_threadgroup":          triple(func(g *threadgroup) [3]int { return g.threads }),
	"dispatch_threads_per_threadgroup": triple(func(g *threadgroup) [3]int { return g.dispatch.threads }),
	"threadgroups_per_grid":            triple(func(g *threadgroup) [3]int { return g.dispatch.grid.Threadgroups }),
	"threads_per_grid":                 triple(func(g *threadgroup) [3]int { return g.dispatch.size() }),
	"grid_size":                        triple(func(g *threadgroup) [3]int { return g.dispatch.size() }),
	"grid_origin":                      triple(func(*threadgroup) [3]int { return [3]int{} }),

	"simdgroup_index_in_threadgroup":      single(func(_ *threadgroup, index int) int { return index }),
	"simdgroups_per_threadgroup":          single(func(g *threadgroup, _ int) int { return g.simdgroups() }),
	"dispatch_simdgroups_per_threadgroup": single(func(g *threadgroup, _ int) int { return g.dispatch.simdgroups() }),
	"threads_per_simdgroup":               single(func(*threadgroup, int) int { return width }),
	"thread_execution_width":              single(func(*threadgroup, int) int { return width }),
	"quadgroups_per_threadgroup":          single(func(g *threadgroup, _ int) int { return (g.count + 3) / 4 }),
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
	t := g.threads
	var origin [3]int
	if inGrid {
		for i := range origin {
			origin[i] = g.position[i] * g.dispatch.threads[i]
		}
	}
	first := index * width
	if t[0]%width == 0 || t[1] == 1 && t[2] == 1 {
		at[uint32](f, regs[0]).setLinear(uint32(origin[0]+first%t[0]), 1)
		for i, r := range regs[1:] {
			v := first / t[0]
			if i == 0 {
				v %= t[1]
			} else {
				v /= t[1]
			}
			at[uint32](f, r).set(uint32(origin[i+1] + v))
		}
		return
	}
	for i, r := range regs {
		setLanes(f, r, func(l int) int {
			n := first + l
			return origin[i] + [3]int{n % t[0], n / t[0] % t[1], n / (t[0] * t[1])}[i]
		})
	}
}
