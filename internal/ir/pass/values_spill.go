package pass

import "github.com/metalgen/metalgen/internal/ir"

// maxHanded bounds the values that branches hand on: each construct takes as many from each branch that leads to it as
// there are locals that are assigned in it, which is quadratic in sources that nobody has written by hand. Kernels in
// use come to a hundredth.
const maxHanded = 1 << 17

// spills has locals stay in memory where branches would hand on too many values: those that most constructs
// merge. It reports whether there are such.
func (l *locals) spills(body *ir.Region) bool {
	cost := make([]int, l.Labels()) // by label: how many branches lead there
	for in := range body.All() {
		switch in.Op {
		case ir.OpLeave, ir.OpAgain, ir.OpFall, ir.OpBlock, ir.OpIf, ir.OpLoop, ir.OpSwitch:
			cost[in.Label()] += 1 + len(in.Regions)
		}
	}
	all := 0
	each := make([]int, len(l.Locals))
	for label, merged := range l.merged {
		all += len(merged) * cost[label]
		for _, i := range merged {
			each[i] += cost[label]
		}
	}
	if all <= maxHanded {
		return false
	}
	most := maxHanded / len(l.Locals)
	memory := make([]int, len(l.Locals)) // by local: its object, or 0
	for i, n := range each {
		if n > most {
			local := &l.Locals[i]
			memory[i] = l.AddObject(&ir.Object{
				Kind: ir.ThreadVariable, Name: local.Name, Pos: local.Pos, Size: kindOf(local.Type).Bytes(), Routine: -1,
			})
		}
	}
	s := &spiller{ir.NewWriter(l.Kernel), memory}
	s.region(body)
	return true
}

// kindOf returns how memory holds a local.
func kindOf(t ir.Type) ir.Scalar {
	return map[ir.Type]ir.Scalar{
		ir.Bool: ir.Byte, ir.I32: ir.Word32, ir.I64: ir.Word64, ir.F32: ir.Float32, ir.Ptr: ir.Address64,
	}[t.Held()]
}

// spiller makes loads and stores of what reads and writes some locals.
type spiller struct {
	*ir.Writer
	memory []int
}

func (s *spiller) region(r *ir.Region) {
	out := make([]*ir.Instr, 0, len(r.Code))
	for _, in := range r.Code {
		for _, inner := range in.Regions {
			s.region(inner)
		}
		if in.Op != ir.OpGet && in.Op != ir.OpSet || s.memory[in.Imm] == 0 {
			out = append(out, in)
			continue
		}
		at := s.NewValue(ir.Ptr)
		out = append(out, &ir.Instr{
			Op: ir.OpAddress, Type: ir.Ptr, Pos: in.Pos, Imm: int64(s.memory[in.Imm]), Results: []ir.Value{at},
		})
		in.Args = append([]ir.Value{at}, in.Args...)
		in.Aux = &ir.Access{Space: ir.Thread, Kind: kindOf(in.Type), Count: 1}
		if in.Op == ir.OpGet {
			in.Op = ir.OpLoad
		} else {
			in.Op = ir.OpStore
		}
		in.Imm = 0
		out = append(out, in)
	}
	r.Code = out
}
