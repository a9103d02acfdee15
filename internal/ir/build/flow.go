package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// flow writes constructs, and knows those around what is being written.
type flow struct {
	out   *emitter
	leads targets
}

// targets are the labels that a break, a continue and a return lead to, 0 for none. A return without one leaves the
// function.
type targets struct{ breaks, goesOn, returns int }

// leave ends a region: the thread goes on after the construct of a label.
func (f *flow) leave(label int, results value) {
	f.out.write(ir.Instr{Op: ir.OpLeave, Imm: int64(label), Args: f.out.args(results...)})
}

// region returns what fill writes. Where its end can be reached, the thread goes on after the construct of a label.
func (f *flow) region(label int, fill func() value) *ir.Region {
	r := &ir.Region{}
	f.out.In(r, func() {
		if v := fill(); !f.out.Ended() {
			f.leave(label, v)
		}
	})
	return r
}

// branch writes an if, whose results are those of the side that a thread takes.
func (f *flow) branch(cond ir.Value, aux any, results []ir.Type, then, otherwise func() value) value {
	label, pos := f.out.NewLabel(), f.out.Pos()
	sides := []*ir.Region{f.region(label, then), f.region(label, otherwise)}
	f.out.At(pos)
	in := ir.Instr{Op: ir.OpIf, Imm: int64(label), Args: f.out.args(cond), Regions: sides, Aux: aux}
	return f.out.write(in, results...).Results
}

// fallsOff writes the end of a function that should have returned a result before.
func (f *flow) fallsOff(fn *tree.Func) {
	if fn.End.Line > 0 && !f.out.Ended() {
		f.out.writeAt(fn.End, ir.Instr{Op: ir.OpFault, Aux: fn.Name + " ends without a return"})
	}
}

// param returns a new parameter of a region.
func (f *flow) param(r *ir.Region, t ir.Type) ir.Value {
	v := f.out.NewValue(t)
	r.Params = append(r.Params, v)
	return v
}
