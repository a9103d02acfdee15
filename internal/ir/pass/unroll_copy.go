package pass

import (
	"slices"

	"github.com/metalgen/metalgen/internal/ir"
)

// copier writes instructions again, with values and labels of their own. What follows from constants is a constant.
type copier struct {
	*ir.Kernel
	copies []ir.Value // by value; 0 for one from outside
	labels []int      // by label
}

// grow makes room for the values and labels that there are now. Those of earlier copies are assigned again before they
// are used.
func (c *copier) grow() {
	c.copies = append(c.copies, make([]ir.Value, c.Values()-len(c.copies))...)
	c.labels = append(c.labels, make([]int, c.Labels()-len(c.labels))...)
}

// begin makes parameters what they are in the next copy.
func (c *copier) begin(params, args []ir.Value) {
	for i, p := range params {
		c.copies[p] = args[i]
	}
}

// value returns what a value is in the copy.
func (c *copier) value(v ir.Value) ir.Value {
	if int(v) < len(c.copies) && c.copies[v] != 0 {
		return c.copies[v]
	}
	return v
}

// list returns what values are in the copy.
func (c *copier) list(values []ir.Value) []ir.Value {
	list := make([]ir.Value, len(values))
	for i, v := range values {
		list[i] = c.value(v)
	}
	return list
}

// assign returns new values for those that an instruction or a region assigns.
func (c *copier) assign(values []ir.Value) []ir.Value {
	list := make([]ir.Value, len(values))
	for i, v := range values {
		list[i] = c.NewValue(c.Type(v))
		c.copies[v] = list[i]
	}
	return list
}

// code adds copies of instructions to a region.
func (c *copier) code(to *ir.Region, code []*ir.Instr) {
	to.Code = slices.Grow(to.Code, len(code))
	for _, in := range code {
		args := c.list(in.Args)
		if len(in.Results) == 1 && in.Aux == nil && len(in.Regions) == 0 {
			if v, ok := c.Fold(in.Op, in.Type, in.Imm, args...); ok {
				c.copies[in.Result()] = v
				continue
			}
		}
		copied := *in
		copied.Args = args
		c.control(&copied, in)
		copied.Results = c.assign(in.Results)
		to.Code = append(to.Code, &copied)
	}
}

// control copies the regions of a construct, and has a terminator lead to the copy.
func (c *copier) control(copied, in *ir.Instr) {
	switch in.Op {
	case ir.OpLeave, ir.OpAgain, ir.OpFall:
		if n := c.labels[in.Label()]; n != 0 {
			copied.Imm = int64(n)
		}
	}
	if len(in.Regions) == 0 {
		return
	}
	label := c.NewLabel()
	c.labels[in.Label()] = label
	copied.Imm = int64(label)
	copied.Regions = make([]*ir.Region, len(in.Regions))
	for i, r := range in.Regions {
		inner := &ir.Region{Params: c.assign(r.Params)}
		c.code(inner, r.Code)
		copied.Regions[i] = inner
	}
}
