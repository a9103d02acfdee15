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

// threads writes where a thread is.
type threads struct {
	*text.Writer
	e *emitter
}

// special returns a special register as a number of 32 bits.
func (t *threads) special(name string) string {
	return t.Once(name, text.Word, func(r string) { t.First("mov.u32 %s, %s;", r, name) })
}

// threads returns how many threads this threadgroup has in a dimension, and full those of one within the grid.
func (t *threads) threads(i int) string {
	if !t.e.Ragged {
		return t.full3(i)
	}
	begin := t.Computed("mul.lo.u32", t.group(i), t.full3(i))
	left := t.Computed("sub.u32", t.e.parameter(abi.GridField, 0, 4*i, "u32"), begin)
	return t.Computed("min.u32", t.full3(i), left)
}

func (t *threads) full3(i int) string {
	if !t.e.Ragged {
		return t.special("%ntid." + dimensions[i:i+1])
	}
	return t.e.parameter(abi.GridField, 0, 12+4*i, "u32")
}

// count returns how many threads there are of three dimensions.
func (t *threads) count(of func(i int) string) string {
	return t.Computed("mul.lo.u32", t.Computed("mul.lo.u32", of(0), of(1)), of(2))
}

func (t *threads) group(i int) string { return t.special("%ctaid." + dimensions[i:i+1]) }

func (t *threads) groups(i int) string { return t.special("%nctaid." + dimensions[i:i+1]) }

// linear returns the number of the thread in its threadgroup.
func (t *threads) linear() string {
	if t.e.Ragged {
		return t.special("%tid.x")
	}
	row := t.Computed("mad.lo.u32", t.special("%tid.z"), t.full3(1), t.special("%tid.y"))
	return t.Computed("mad.lo.u32", row, t.full3(0), t.special("%tid.x"))
}

// position returns where the thread is in its threadgroup.
func (t *threads) position(i int) string {
	if !t.e.Ragged {
		return t.special("%tid." + dimensions[i:i+1])
	}
	switch i {
	case 0:
		return t.Computed("rem.u32", t.linear(), t.threads(0))
	case 1:
		return t.Computed("rem.u32", t.Computed("div.u32", t.linear(), t.threads(0)), t.threads(1))
	}
	return t.Computed("div.u32", t.linear(), t.Computed("mul.lo.u32", t.threads(0), t.threads(1)))
}

func (t *threads) inGrid(i int) string {
	return t.Computed("mad.lo.u32", t.group(i), t.full3(i), t.position(i))
}

func (t *threads) size(i int) string {
	if t.e.Ragged {
		return t.e.parameter(abi.GridField, 0, 4*i, "u32")
	}
	return t.Computed("mul.lo.u32", t.groups(i), t.full3(i))
}

// lane returns the number of the thread in its simd-group.
func (t *threads) lane() string { return t.Computed("and.b32", t.linear(), 31) }

// over returns a count, divided by a power of two and rounded up.
func (t *threads) over(count string, shift int) string {
	return t.Computed("shr.u32", t.Computed("add.u32", count, 1<<shift-1), shift)
}

// inputs are the attributes by name, for a component.
var inputs = map[string]func(t *threads, i int) string{
	"thread_position_in_grid":          (*threads).inGrid,
	"thread_position_in_threadgroup":   (*threads).position,
	"threadgroup_position_in_grid":     (*threads).group,
	"threads_per_threadgroup":          (*threads).threads,
	"dispatch_threads_per_threadgroup": (*threads).full3,
	"threadgroups_per_grid":            (*threads).groups,
	"threads_per_grid":                 (*threads).size,
	"grid_size":                        (*threads).size,
	"grid_origin":                      func(t *threads, _ int) string { return t.Computed("mov.u32", 0) },

	"simdgroups_per_threadgroup": func(t *threads, _ int) string { return t.over(t.count(t.threads), 5) },
	"quadgroups_per_threadgroup": func(t *threads, _ int) string { return t.over(t.count(t.threads), 2) },

	"dispatch_simdgroups_per_threadgroup": func(t *threads, _ int) string { return t.over(t.count(t.full3), 5) },
	"dispatch_quadgroups_per_threadgroup": func(t *threads, _ int) string { return t.over(t.count(t.full3), 2) },

	"simdgroup_index_in_threadgroup": func(t *threads, _ int) string { return t.Computed("shr.u32", t.linear(), 5) },
	"quadgroup_index_in_threadgroup": func(t *threads, _ int) string { return t.Computed("shr.u32", t.linear(), 2) },
	"thread_index_in_threadgroup":    func(t *threads, _ int) string { return t.linear() },
	"thread_index_in_simdgroup":      func(t *threads, _ int) string { return t.lane() },
	"thread_index_in_quadgroup":      func(t *threads, _ int) string { return t.Computed("and.b32", t.linear(), 3) },
	"threads_per_simdgroup":          func(t *threads, _ int) string { return t.Computed("mov.u32", 32) },
	"thread_execution_width":         func(t *threads, _ int) string { return t.Computed("mov.u32", 32) },
}

// allLanes is the mask of a whole simd-group.
const allLanes = "-1"

// begin writes what comes before the first instruction: threads that a ragged threadgroup does not have end, and the
// others learn who is in their simd-group.
func (e *emitter) begin() {
	if e.Ragged {
		p := e.out.Fresh(text.Pred)
		count := e.grid.count(e.grid.threads)
		e.out.First("setp.ge.u32 %s, %s, %s;", p, e.grid.linear(), count)
		e.out.First("@%s ret;", p)
	}
	if !e.exact {
		return
	}
	for in := range e.All() {
		if in.Op == ir.OpBarrier && (!e.Unchecked || e.logs.stride > 0) && e.phase == "" {
			e.phase = e.out.Fresh(text.Word)
			e.out.First("mov.u32 %s, 0;", e.phase)
		}
	}
	if e.mask = allLanes; !e.Whole {
		start := e.out.Computed("and.b32", e.grid.linear(), -32)
		left := e.out.Computed("min.u32", e.out.Computed("sub.u32", e.grid.count(e.grid.threads), start), 32)
		one := e.out.Computed("mov.u32", 1)
		e.mask = e.out.Computed("sub.u32", e.out.Computed("shl.b32", one, left), 1)
	}
	e.everyone = e.mask
	e.exit = e.out.Fresh(text.Word)
	e.out.First("mov.u32 %s, 0;", e.exit)
}

// input writes the value of an input.
func (e *emitter) input(in *ir.Instr) {
	i := e.Inputs[in.Imm]
	get := inputs[i.Attribute]
	if get == nil {
		e.unsupported(e.Position(in), "[["+i.Attribute+"]]")
	}
	e.regOf[in.Result()] = get(&e.grid, i.Component)
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
		e.out.Op("mov.b32 %s, %s;", e.reg(in.Result()), e.parameter(abi.ConstantField, i, 0, "u32"))
	case ir.I64:
		e.regOf[in.Result()] = e.parameter(abi.ConstantField, i, 0, "u64")
	default:
		e.regOf[in.Result()] = e.parameter(abi.ConstantField, i, 0, "u32")
	}
}

func (e *emitter) toBool(v ir.Value, word string) { e.out.Op("setp.ne.u32 %s, %s, 0;", e.reg(v), word) }
