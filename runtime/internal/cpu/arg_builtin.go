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
		if v.Addressed {
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

// builtinValues give the registers of built-in arguments (section 5.2.3.6) their
// values for a simd-group.
var builtinValues = map[string]func(f *frame, regs []int32, index int){
	"thread_position_in_grid": func(f *frame, regs []int32, index int) {
		f.setPositions(regs, index, true)
	},
	"thread_position_in_threadgroup": func(f *frame, regs []int32, index int) {
		f.setPositions(regs, index, false)
	},
	"threadgroup_position_in_grid":        func(f *frame, regs []int32, _ int) { f.setAll(regs, f.group.position) },
	"threads_per_threadgroup":             func(f *frame, regs []int32, _ int) { f.setAll(regs, f.group.threads) },
	"dispatch_threads_per_threadgroup":    func(f *frame, regs []int32, _ int) { f.setAll(regs, f.group.dispatch.threads) },
	"threadgroups_per_grid":               func(f *frame, regs []int32, _ int) { f.setAll(regs, f.group.dispatch.grid.Threadgroups) },
	"threads_per_grid":                    func(f *frame, regs []int32, _ int) { f.setAll(regs, f.group.dispatch.size()) },
	"grid_size":                           func(f *frame, regs []int32, _ int) { f.setAll(regs, f.group.dispatch.size()) },
	"grid_origin":                         func(f *frame, regs []int32, _ int) { f.setAll(regs, [3]int{}) },
	"thread_index_in_threadgroup":         func(f *frame, regs []int32, index int) { at[uint32](f, regs[0]).setLinear(uint32(index*width), 1) },
	"thread_index_in_simdgroup":           func(f *frame, regs []int32, _ int) { at[uint32](f, regs[0]).setLinear(0, 1) },
	"simdgroup_index_in_threadgroup":      func(f *frame, regs []int32, index int) { f.setOne(regs, index) },
	"simdgroups_per_threadgroup":          func(f *frame, regs []int32, _ int) { f.setOne(regs, (f.group.count+width-1)/width) },
	"dispatch_simdgroups_per_threadgroup": func(f *frame, regs []int32, _ int) { f.setOne(regs, f.group.dispatch.simdgroups()) },
	"threads_per_simdgroup":               func(f *frame, regs []int32, _ int) { f.setOne(regs, width) },
	"thread_execution_width":              func(f *frame, regs []int32, _ int) { f.setOne(regs, width) },
	"thread_index_in_quadgroup":           func(f *frame, regs []int32, _ int) { setLanes(f, regs[0], func(l int) int { return l % 4 }) },
	"quadgroup_index_in_threadgroup": func(f *frame, regs []int32, index int) {
		setLanes(f, regs[0], func(l int) int { return (index*width + l) / 4 })
	},
	"quadgroups_per_threadgroup": func(f *frame, regs []int32, _ int) { f.setOne(regs, (f.group.count+3)/4) },
	"dispatch_quadgroups_per_threadgroup": func(f *frame, regs []int32, _ int) {
		f.setOne(regs, (f.group.dispatch.threads[0]*f.group.dispatch.threads[1]*f.group.dispatch.threads[2]+3)/4)
	},
}

func (f *frame) setOne(regs []int32, v int) { at[uint32](f, regs[0]).set(uint32(v)) }

func (f *frame) setAll(regs []int32, v [3]int) {
	for i, r := range regs {
		at[uint32](f, r).set(uint32(v[i]))
	}
}

func setLanes(f *frame, r int32, value func(lane int) int) {
	z := at[uint32](f, r).vector()
	for l := range z {
		z[l] = uint32(value(l))
	}
}

// setPositions sets where the threads are in their threadgroup or in the grid.
// Where a row of threads takes whole simd-groups, x counts along with the lanes
// and y and z are the same for all of them.
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
