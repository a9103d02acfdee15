package invoke

import (
	"github.com/metalgen/metalgen/cmd/metalgen/internal/formula"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// unmet returns the errors of requirements that the call does not meet. It leaves out those for which a number is
// missing, which is reported.
func (n *numbers) unmet(k *binding.Kernel) (errs []error) {
	for _, r := range k.Requires {
		if met, known := formula.Meets(r, n); met || !known {
			continue
		}
		described := bind.Requirement{Need: r.Text}
		var terms []int
		for _, e := range r.Terms() {
			term, _ := n.eval(e)
			described.Terms, terms = append(described.Terms, binding.Text(e)), append(terms, term)
		}
		errs = append(errs, &runtime.RequireError{
			Kernel: k.Name, Need: r.Text, Pos: binding.FileLine(r.Pos), Have: described.Have(terms),
		})
	}
	return errs
}
