package bind

import (
	"fmt"
	"strconv"
	"strings"
)

// Requirement is a condition that calls of a kernel must satisfy: a metalgen:require of its source.
type Requirement struct {
	Need  string   // as the source writes it: "n_experts > 0"
	Terms []string // the numbers of the call that it depends on: "n_experts"
	Pos   string   // where the source says so: "moe_gate.metal:22"
}

// Require says whether the call satisfies requirement i of the kernel, and passes its terms. If it does not, the call
// ends.
func (c *Call[G]) Require(i int, met bool, terms ...int) {
	if !met && !c.sparse {
		c.refuse(i, terms)
	}
}

// RequireFloats is Require of a requirement whose terms are floats.
func (c *Call[G]) RequireFloats(i int, met bool, terms ...float32) {
	if !met && !c.sparse {
		c.refuseFloats(i, terms)
	}
}

func (c *arguments) refuse(i int, terms []int) {
	if r := c.refused(i, len(terms)); r != nil {
		c.fails.Refuse(r, r.Have(terms))
	}
}

func (c *arguments) refuseFloats(i int, terms []float32) {
	if r := c.refused(i, len(terms)); r != nil {
		c.fails.Refuse(r, r.HaveFloats(terms))
	}
}

// refused ends the call and returns requirement i, which has that many terms, or nil where that is a mistake itself.
func (c *arguments) refused(i, terms int) *Requirement {
	if !c.usable() {
		return nil
	}
	if i < 0 || i >= len(c.kernel.Requires) || terms != len(c.kernel.Requires[i].Terms) {
		c.fail(fmt.Errorf("the kernel has no requirement %d of %d terms", i, terms))
		return nil
	}
	c.open = false
	return &c.kernel.Requires[i]
}

// Have returns what the terms of r are, as messages say it: "n_experts = 0, top_k = 2".
func (r *Requirement) Have(terms []int) string {
	return have(r.Terms, terms, func(n int) string {
		if Saturated(n) {
			return "overflow" // more use than 9223372036854775807
		}
		return strconv.Itoa(n)
	})
}

// HaveFloats is Have of terms that are floats.
func (r *Requirement) HaveFloats(terms []float32) string {
	return have(r.Terms, terms, func(f float32) string { return strconv.FormatFloat(float64(f), 'g', -1, 32) })
}

func have[T any](names []string, terms []T, text func(T) string) string {
	var all []string
	for i, term := range terms {
		all = append(all, names[i]+" = "+text(term))
	}
	return strings.Join(all, ", ")
}

// Less reports whether a < b. This and the other comparisons are false if a or b is an infinity: an overflow or a
// division by zero satisfies no requirement.
func Less(a, b int) bool { return finite(a, b) && a < b }

// LessEqual reports whether a <= b.
func LessEqual(a, b int) bool { return finite(a, b) && a <= b }

// Equal reports whether a == b.
func Equal(a, b int) bool { return finite(a, b) && a == b }

// NotEqual reports whether a != b.
func NotEqual(a, b int) bool { return finite(a, b) && a != b }

func finite(a, b int) bool { return !Saturated(a) && !Saturated(b) }
