package invoke

import (
	"encoding/binary"
	"math"

	"github.com/x448/float16"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/formula"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// unmet returns the errors of requirements that the call does not meet. It leaves out those for which a number is
// missing, which is reported.
func (n *numbers) unmet(k *binding.Kernel) (errs []error) {
	for _, r := range k.Requires {
		if have := n.missed(r); have != "" {
			errs = append(errs, &runtime.RequireError{
				Kernel: k.Name, Need: r.Text, Pos: binding.FileLine(r.Pos), Have: have,
			})
		}
	}
	return errs
}

// missed returns what the terms of a requirement are that the call does not meet, or "".
func (n *numbers) missed(r *binding.Requirement) string {
	if r.Floats {
		return n.missedFloats(r)
	}
	if met, known := formula.Meets(r, n); met || !known {
		return ""
	}
	var described bind.Requirement
	var terms []int
	for _, e := range r.Terms() {
		term, _ := n.eval(e)
		described.Terms, terms = append(described.Terms, binding.Text(e)), append(terms, term)
	}
	return described.Have(terms)
}

// missedFloats is missed of a requirement of floats.
func (n *numbers) missedFloats(r *binding.Requirement) string {
	if met, known := formula.MeetsFloats(r, n.float); met || !known {
		return ""
	}
	var described bind.Requirement
	var terms []float32
	for _, e := range r.Terms() {
		term, _ := n.float(e.(*binding.Leaf))
		described.Terms, terms = append(described.Terms, binding.Text(e)), append(terms, term)
	}
	return described.HaveFloats(terms)
}

// float returns a float that arguments have.
func (n *numbers) float(l *binding.Leaf) (float32, bool) {
	b, ok := n.values[l.Arg]
	if !ok {
		return 0, false
	}
	switch b = b[l.Offset:]; l.GoType {
	case binding.Float16:
		return float16.Frombits(binary.LittleEndian.Uint16(b)).Float32(), true
	case binding.BFloat16:
		return runtime.BFloat16(binary.LittleEndian.Uint16(b)).Float32(), true
	}
	return math.Float32frombits(binary.LittleEndian.Uint32(b)), true
}
