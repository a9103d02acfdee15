package msl

import (
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
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
	f.Fuzz(func(t *testing.T, text string) {
		unit, errs := preprocessed(text)
		if errs.HasErrors() {
			return
		}
		source, errs := parser.Parse(unit)
		p, more := Analyze(source)
		for _, k := range p.Kernels {
			fn, list := p.Body(k)
			switch {
			case fn == nil && !list.HasErrors() && !errs.HasErrors() && !more.HasErrors():
				t.Errorf("kernel %s: neither a function nor an error", k.Name)
			case fn != nil:
				tree.Print(fn)
			}
		}
	})
}
