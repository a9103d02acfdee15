package msl

import (
	"testing"

	"github.com/metalgen/metalgen/parser"
)

// FuzzBody looks for bodies on which checking panics or hangs, and for ones
// that give neither a tree nor an error.
func FuzzBody(f *testing.F) {
	for _, tt := range bodyTests {
		f.Add(bodyPrelude + tt.body + "\n}")
	}
	for _, tt := range bodyErrorTests {
		f.Add(bodyPrelude + tt.body + "\n}")
	}
	addSources(f)
	f.Fuzz(func(t *testing.T, source string) {
		unit, errs := preprocessed(source)
		if errs.HasErrors() {
			return
		}
		tree, errs := parser.Parse(unit)
		p, more := Analyze(tree)
		for _, k := range p.Kernels {
			fn, list := p.Body(k)
			switch {
			case fn == nil && !list.HasErrors() && !errs.HasErrors() && !more.HasErrors():
				t.Errorf("kernel %s: neither a function nor an error", k.Name)
			case fn != nil:
				printStmts(fn.Body.List)
			}
		}
	})
}
