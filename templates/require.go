package templates

import (
	"fmt"
	"go/token"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/metalgen/metalgen/internal/binding"
)

// comparisons say, for the operators of requirements, which function takes the place of Go's own where an operand may
// overflow, and whether it takes the operands in turn.
var comparisons = map[string]struct {
	function string
	swapped  bool
}{
	"==": {"bind.Equal", false},
	"!=": {"bind.NotEqual", false},
	"<":  {"bind.Less", false},
	"<=": {"bind.LessEqual", false},
	">":  {"bind.Less", true},
	">=": {"bind.LessEqual", true},
}

// require returns the statement that says whether a call meets requirement i.
func (s scope) require(i int, r *binding.Requirement) jen.Code {
	if r.Floats {
		return requireFloats(i, r)
	}
	args := []jen.Code{jen.Lit(i), jen.Id(s.comparison(r))}
	for _, term := range r.Terms() {
		args = append(args, jen.Id(s.expr(term).text))
	}
	return jen.Id("c.Require").Call(args...)
}

// comparison returns the condition of r in Go.
func (s scope) comparison(r *binding.Requirement) string {
	x, y := s.expr(r.X), s.expr(r.Y)
	if prec := token.LSS.Precedence(); x.values.bounded() && y.values.bounded() {
		return x.within(prec+1) + " " + r.Op + " " + y.within(prec+1)
	}
	c := comparisons[r.Op]
	if c.swapped {
		x, y = y, x
	}
	return c.function + "(" + x.text + ", " + y.text + ")"
}

// requireFloats is require of a comparison of floats, each of which is a float32 of Go.
func requireFloats(i int, r *binding.Requirement) jen.Code {
	float32Of := func(e binding.Expr) string {
		leaf, ok := e.(*binding.Leaf)
		switch {
		case !ok:
			return strconv.FormatFloat(float64(e.(binding.Fraction)), 'g', -1, 32)
		case leaf.GoType == binding.Float32:
			return argValue(leaf)
		}
		return argValue(leaf) + ".Float32()"
	}
	args := []jen.Code{jen.Lit(i), jen.Id(float32Of(r.X) + " " + r.Op + " " + float32Of(r.Y))}
	for _, term := range r.Terms() {
		args = append(args, jen.Id(float32Of(term)))
	}
	return jen.Id("c.RequireFloats").Call(args...)
}

// describeRequires lists the requirements of k for the runtime.
func describeRequires(k *binding.Kernel) []string {
	var all []string
	for _, r := range k.Requires {
		var terms []string
		for _, term := range r.Terms() {
			terms = append(terms, strconv.Quote(binding.Text(term)))
		}
		all = append(all, fmt.Sprintf("Need: %s, Terms: []string{%s}, Pos: %s",
			strconv.Quote(oneLine(r.Text)), strings.Join(terms, ", "), strconv.Quote(posText(r.Pos))))
	}
	return all
}

// requiresText returns what documentation says of the requirements of k, "" where it has none.
func requiresText(k *binding.Kernel) string {
	if len(k.Requires) == 0 {
		return ""
	}
	var needs []string
	for _, r := range k.Requires {
		needs = append(needs, oneLine(r.Text)+at(r.Pos))
	}
	return "A call needs " + strings.Join(needs, " and ") + "."
}
