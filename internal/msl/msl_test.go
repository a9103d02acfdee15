package msl

import (
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// analyze reads a source that must preprocess and parse.
func analyze(t *testing.T, source string) (*Program, parser.ErrorList) {
	t.Helper()
	unit, errs := preprocess.Run("a.metal", "a.metal", &preprocess.Options{
		ReadFile: func(string) ([]byte, error) { return []byte(source), nil },
	})
	if errs.HasErrors() {
		t.Fatalf("preprocessing: %v", errs)
	}
	tree, errs := parser.Parse(unit)
	if errs.HasErrors() {
		t.Fatalf("parsing: %v", errs)
	}
	p, list := Analyze(tree)
	for _, k := range p.Kernels {
		list = append(list, k.Errors...)
	}
	list.Sort()
	return p, list
}

// mustAnalyze reads a source that must be sound.
func mustAnalyze(t *testing.T, source string) *Program {
	t.Helper()
	p, errs := analyze(t, source)
	if len(errs) > 0 {
		t.Fatalf("unexpected errors: %v", errs)
	}
	return p
}

// onlyKernel gives the one kernel of a sound source.
func onlyKernel(t *testing.T, p *Program) *tree.Kernel {
	t.Helper()
	if len(p.Kernels) != 1 {
		t.Fatalf("got %d kernels, want 1", len(p.Kernels))
	}
	return p.Kernels[0]
}

// errorTest is a source with all the errors it must give, one to a line.
type errorTest struct{ name, source, want string }

func testErrors(t *testing.T, tests []errorTest) {
	t.Helper()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, errs := analyze(t, tt.source)
			if got, want := errs.Error(), strings.TrimSpace(tt.want); got != want {
				t.Errorf("got errors\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func nameOf(name string) *parser.Name { return &parser.Name{Path: []string{name}} }
