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

	// Room for what is written, a piece at a time: loops come to many instructions.
	values []ir.Value
	instrs []ir.Instr
}

// room returns a list of values of some length.
func (c *copier) room(n int) []ir.Value {
	if n > len(c.values) {
		c.values = make([]ir.Value, max(n, 256))
	}
	list := c.values[:n:n]
	c.values = c.values[n:]
	return list
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

// list appends what values are in the copy.
func (c *copier) list(to, values []ir.Value) []ir.Value {
	for _, v := range values {
		to = append(to, c.value(v))
	}
	return to
}

// assign returns new values for those that an instruction or a region assigns.
func (c *copier) assign(values []ir.Value) []ir.Value {
	list := c.room(len(values))
	for i, v := range values {
		list[i] = c.NewValue(c.Type(v))
		c.copies[v] = list[i]
	}
	return list
}

// code adds copies of instructions to a region.
func (c *copier) code(to *ir.Region, code []*ir.Instr) {
	to.Code = slices.Grow(to.Code, len(code))
	var few [8]ir.Value
	for _, in := range code {
		args := c.list(few[:0], in.Args)
		if len(in.Results) == 1 && in.Aux == nil && len(in.Regions) == 0 {
			if v, ok := c.Fold(in.Op, in.Type, in.Imm, args...); ok {
				c.copies[in.Result()] = v
				continue
			}
		}
		if len(c.instrs) == 0 {
			c.instrs = make([]ir.Instr, 32)
		}
		copied := &c.instrs[0]
		c.instrs = c.instrs[1:]
		*copied = *in
		copied.Args = append(c.room(len(args))[:0], args...)
		c.control(copied, in)
		copied.Results = c.assign(in.Results)
		to.Code = append(to.Code, copied)
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
