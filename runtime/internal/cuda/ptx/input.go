package ptx

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// What threads are told of where they are (section 5.2.3.6). Blocks have the dimensions of a threadgroup, so that CUDA
// numbers threads as Metal does, but for ragged grids: there the block is a row, and each thread finds its place among
// as many as its threadgroup has.

const dimensions = "xyz"

// special returns a special register as a number of 32 bits.
func (e *emitter) special(name string) string {
	return e.Once(name, text.Word, func(r string) { e.First("mov.u32 %s, %s;", r, name) })
}

// threads returns how many threads this threadgroup has in a dimension, and full those of one within the grid.
func (e *emitter) threads(i int) string {
	if !e.Ragged {
		return e.full3(i)
	}
	begin := e.Computed("mul.lo.u32", e.group(i), e.full3(i))
	left := e.Computed("sub.u32", e.parameter(abi.GridField, 0, 4*i, "u32"), begin)
	return e.Computed("min.u32", e.full3(i), left)
}

func (e *emitter) full3(i int) string {
	if !e.Ragged {
		return e.special("%ntid." + dimensions[i:i+1])
	}
	return e.parameter(abi.GridField, 0, 12+4*i, "u32")
}

// count returns how many threads there are of three dimensions.
func (e *emitter) count(of func(i int) string) string {
	return e.Computed("mul.lo.u32", e.Computed("mul.lo.u32", of(0), of(1)), of(2))
}

func (e *emitter) group(i int) string { return e.special("%ctaid." + dimensions[i:i+1]) }

func (e *emitter) groups(i int) string { return e.special("%nctaid." + dimensions[i:i+1]) }

// linear returns the number of the thread in its threadgroup.
func (e *emitter) linear() string {
	if e.Ragged {
		return e.special("%tid.x")
	}
	row := e.Computed("mad.lo.u32", e.special("%tid.z"), e.full3(1), e.special("%tid.y"))
	return e.Computed("mad.lo.u32", row, e.full3(0), e.special("%tid.x"))
}

// position returns where the thread is in its threadgroup.
func (e *emitter) position(i int) string {
	if !e.Ragged {
		return e.special("%tid." + dimensions[i:i+1])
	}
	switch i {
	case 0:
		return e.Computed("rem.u32", e.linear(), e.threads(0))
	case 1:
		return e.Computed("rem.u32", e.Computed("div.u32", e.linear(), e.threads(0)), e.threads(1))
	}
	return e.Computed("div.u32", e.linear(), e.Computed("mul.lo.u32", e.threads(0), e.threads(1)))
}

func (e *emitter) inGrid(i int) string {
	return e.Computed("mad.lo.u32", e.group(i), e.full3(i), e.position(i))
}

func (e *emitter) size(i int) string {
	if e.Ragged {
		return e.parameter(abi.GridField, 0, 4*i, "u32")
	}
	return e.Computed("mul.lo.u32", e.groups(i), e.full3(i))
}

// lane returns the number of the thread in its simd-group.
func (e *emitter) lane() string { return e.Computed("and.b32", e.linear(), 31) }

// over returns a count, divided by a power of two and rounded up.
func (e *emitter) over(count string, shift int) string {
	return e.Computed("shr.u32", e.Computed("add.u32", count, 1<<shift-1), shift)
}

// inputs are the attributes by name, for a component.
var inputs = map[string]func(e *emitter, i int) string{
	"thread_position_in_grid":          (*emitter).inGrid,
	"thread_position_in_threadgroup":   (*emitter).position,
	"threadgroup_position_in_grid":     (*emitter).group,
	"threads_per_threadgroup":          (*emitter).threads,
	"dispatch_threads_per_threadgroup": (*emitter).full3,
	"threadgroups_per_grid":            (*emitter).groups,
	"threads_per_grid":                 (*emitter).size,
	"grid_size":                        (*emitter).size,
	"grid_origin":                      func(e *emitter, _ int) string { return e.Computed("mov.u32", 0) },

	"simdgroups_per_threadgroup": func(e *emitter, _ int) string { return e.over(e.count(e.threads), 5) },
	"quadgroups_per_threadgroup": func(e *emitter, _ int) string { return e.over(e.count(e.threads), 2) },

	"dispatch_simdgroups_per_threadgroup": func(e *emitter, _ int) string { return e.over(e.count(e.full3), 5) },
	"dispatch_quadgroups_per_threadgroup": func(e *emitter, _ int) string { return e.over(e.count(e.full3), 2) },

	"simdgroup_index_in_threadgroup": func(e *emitter, _ int) string { return e.Computed("shr.u32", e.linear(), 5) },
	"quadgroup_index_in_threadgroup": func(e *emitter, _ int) string { return e.Computed("shr.u32", e.linear(), 2) },
	"thread_index_in_threadgroup":    func(e *emitter, _ int) string { return e.linear() },
	"thread_index_in_simdgroup":      func(e *emitter, _ int) string { return e.lane() },
	"thread_index_in_quadgroup":      func(e *emitter, _ int) string { return e.Computed("and.b32", e.linear(), 3) },
	"threads_per_simdgroup":          func(e *emitter, _ int) string { return e.Computed("mov.u32", 32) },
	"thread_execution_width":         func(e *emitter, _ int) string { return e.Computed("mov.u32", 32) },
}

// allLanes is the mask of a whole simd-group.
const allLanes = "-1"

// begin writes what comes before the first instruction: threads that a ragged threadgroup does not have end, and the
// others learn who is in their simd-group.
func (e *emitter) begin() {
	if e.Ragged {
		p := e.Fresh(text.Pred)
		count := e.count(e.threads)
		e.First("setp.ge.u32 %s, %s, %s;", p, e.linear(), count)
		e.First("@%s ret;", p)
	}
	if !e.exact {
		return
	}
	for in := range e.All() {
		if in.Op == ir.OpBarrier && (!e.Unchecked || e.logs.stride > 0) && e.phase == "" {
			e.phase = e.Fresh(text.Word)
			e.First("mov.u32 %s, 0;", e.phase)
		}
	}
	if e.mask = allLanes; !e.Whole {
		start := e.Computed("and.b32", e.linear(), -32)
		left := e.Computed("min.u32", e.Computed("sub.u32", e.count(e.threads), start), 32)
		one := e.Computed("mov.u32", 1)
		e.mask = e.Computed("sub.u32", e.Computed("shl.b32", one, left), 1)
	}
	e.everyone = e.mask
	e.exit = e.Fresh(text.Word)
	e.First("mov.u32 %s, 0;", e.exit)
}

// input writes the value of an input.
func (e *emitter) input(in *ir.Instr) {
	i := e.Inputs[in.Imm]
	get := inputs[i.Attribute]
	if get == nil {
		e.unsupported(e.Position(in), "[["+i.Attribute+"]]")
	}
	e.regOf[in.Result()] = get(e, i.Component)
}

// constant writes the value of a function constant.
func (e *emitter) constant(in *ir.Instr) {
	i := int(in.Imm)
	if in.Op == ir.OpDefined {
		e.toBool(in.Result(), e.parameter(abi.ConstantField, i, 8, "u32"))
		return
	}
	switch in.Type.Held() {
	case ir.Bool:
		e.toBool(in.Result(), e.parameter(abi.ConstantField, i, 0, "u32"))
	case ir.F32:
		e.Op("mov.b32 %s, %s;", e.reg(in.Result()), e.parameter(abi.ConstantField, i, 0, "u32"))
	case ir.I64:
		e.regOf[in.Result()] = e.parameter(abi.ConstantField, i, 0, "u64")
	default:
		e.regOf[in.Result()] = e.parameter(abi.ConstantField, i, 0, "u32")
	}
}

func (e *emitter) toBool(v ir.Value, word string) { e.Op("setp.ne.u32 %s, %s, 0;", e.reg(v), word) }
