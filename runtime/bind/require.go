package bind

import (
	"fmt"
	"strconv"
	"strings"
)

// Requirement is a condition that calls of a kernel have to meet: a metalgen:require of its source.
type Requirement struct {
	Need  string   // as the source writes it: "n_experts > 0"
	Terms []string // the numbers of the call that it depends on: "n_experts"
	Pos   string   // where the source says so: "moe_gate.metal:22"
}

// Require says of the requirement i of the kernel whether the call meets it, and what its terms are. A call that does
// not meet one has ended.
func (c *Call[G]) Require(i int, met bool, terms ...int) {
	if !met && !c.sparse {
		c.refuse(i, terms)
	}
}

func (c *arguments) refuse(i int, terms []int) {
	if !c.usable() {
		return
	}
	if i < 0 || i >= len(c.kernel.Requires) || len(terms) != len(c.kernel.Requires[i].Terms) {
		c.fail(fmt.Errorf("the kernel has no requirement %d of %d terms", i, len(terms)))
		return
	}
	r := &c.kernel.Requires[i]
	c.open = false
	c.fails.Refuse(r, r.Have(terms))
}

// Have returns what the terms of r are, as messages say it: "n_experts = 0, top_k = 2".
func (r *Requirement) Have(terms []int) string {
	var b strings.Builder
	for i, n := range terms {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(r.Terms[i] + " = ")
		if Saturated(n) {
			b.WriteString("overflow") // more use than 9223372036854775807
		} else {
			b.WriteString(strconv.Itoa(n))
		}
	}
	return b.String()
}

// Less reports whether a < b. Neither this nor the other comparisons hold where a or b is an infinity: what overflows,
// or divides by zero, meets no requirement.
func Less(a, b int) bool { return finite(a, b) && a < b }

// LessEqual reports whether a <= b.
func LessEqual(a, b int) bool { return finite(a, b) && a <= b }

// Equal reports whether a == b.
func Equal(a, b int) bool { return finite(a, b) && a == b }

// NotEqual reports whether a != b.
func NotEqual(a, b int) bool { return finite(a, b) && a != b }

func finite(a, b int) bool { return !Saturated(a) && !Saturated(b) }
