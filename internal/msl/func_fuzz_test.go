package msl

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
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
	for _, tt := range instanceTests {
		f.Add(templateSource(tt.declarations, tt.body))
	}
	f.Add(templateChoices)
	f.Add(instantiations)
	files, _ := filepath.Glob("../../shaders/*.metal")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, source string) {
		unit, errs := preprocess.Run("a.metal", "a.metal", &preprocess.Options{
			ReadFile: func(path string) ([]byte, error) {
				if path != "a.metal" {
					return nil, os.ErrNotExist
				}
				return []byte(source), nil
			},
		})
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
