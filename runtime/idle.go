package runtime

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/metalgen/metalgen/runtime/bind"
)

// A call with nothing to do, because a number of its grid is 0, is no mistake: the last batch of an engine
// may have no rows. It looks like one whose sizes were forgotten. So it needs the buffers that a call of more would
// need, and with elements in what it writes it is a finding of the sanitizer.

// formulaNames are the names of numbers in a formula, and those of functions.
var formulaNames = regexp.MustCompile(`[A-Za-z_][A-Za-z0-9_.]*`)

// functionNames are those that formulas know.
var functionNames = []string{"min", "max", "ceil_div", "next_pow2", "len", "width", "height", "depth"}

// sizedByGrid reports whether the shape of a depends on nothing but numbers of the grid. If it comes to 0 because
// nothing is to be done, a call of more needs the buffer. A shape such as [min(1, write_sum) * rows] may be 0 anyway.
func sizedByGrid(k *bind.Kernel, a *bind.Arg) bool {
	ofGrid := formulaNames.FindAllString(k.Grid, -1)
	return a.Shape != "" && !slices.ContainsFunc(formulaNames.FindAllString(a.Shape, -1), func(name string) bool {
		return !slices.Contains(functionNames, name) && !slices.Contains(ofGrid, name)
	})
}

// idle ends a call that runs nothing. It returns the error of a buffer that is missing.
func (c *call) idle(g *Grid) error {
	slots := c.recorded.Slots()
	for i := range c.form.first {
		a := &c.form.first[i]
		s := &slots[a.slot]
		if a.Kind == bind.BufferArg && s.Set && s.View.Memory == nil && !mayLack(a.Arg) && sizedByGrid(c.kernel, a.Arg) {
			return c.hold(a.Arg, &s.View, nil, s.Count)
		}
	}
	b := c.batch
	if b.dev.trace != nil {
		b.idle = append(b.idle, idleCall{c.kernel.Name, time.Now(), b.recording().site()})
	}
	if b.dev.sanitize&CheckIdle == 0 || c.hasEmpty() {
		return nil
	}
	if written := c.elementsWritten(); written != "" {
		b.found = append(b.found, Finding{
			Kind: CheckIdle, Kernel: c.kernel.Name, Count: 1, Call: b.siteHere(),
			Msg: fmt.Sprintf("idle call: it runs over %s%s, but %s; set the size that is 0, or pass buffers without elements",
				lacking(g), c.statedGrid(), written),
			Places: []Place{{Pos: c.kernel.Pos}},
		})
	}
	return nil
}

// lacking returns what a grid has none of: "0 threadgroups in x".
func lacking(g *Grid) string {
	for i, n := range g.Threadgroups {
		if n == 0 {
			return "0 threadgroups in " + "xyz"[i:i+1]
		}
	}
	return "no threads"
}

// hasEmpty reports whether a buffer whose length follows from the grid has no elements: then the caller means none.
func (c *call) hasEmpty() bool {
	slots := c.recorded.Slots()
	for i := range c.form.first {
		a := &c.form.first[i]
		s := &slots[a.slot]
		if a.Kind == bind.BufferArg && s.Set && s.View.Length == 0 && sizedByGrid(c.kernel, a.Arg) {
			return true
		}
	}
	return false
}

// idleCall is a call that ran nothing, for the trace.
type idleCall struct {
	kernel string
	at     time.Time
	call   CallSite
}

// elementsWritten says what the kernel would write that has elements: "y has 4096 elements".
func (c *call) elementsWritten() string {
	var all []string
	for i := range c.dispatch.Buffers {
		if b := &c.dispatch.Buffers[i]; b.Arg.Writes && b.Length > 0 {
			all = append(all, fmt.Sprintf("%s has %d elements", b.Arg.Name, b.Length/max(b.Arg.Size, 1)))
		}
	}
	for i := range c.dispatch.Textures {
		if t := &c.dispatch.Textures[i]; t.Arg.Writes {
			all = append(all, t.Arg.Name+" has texels")
		}
	}
	return strings.Join(all, " and ")
}

// statedGrid returns the grid as the source states it, in parentheses.
func (c *call) statedGrid() string {
	if c.kernel.Grid == "" {
		return ""
	}
	return fmt.Sprintf(" (the source states %s, %s)", c.kernel.Grid, c.kernel.GridPos)
}
