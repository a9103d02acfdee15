package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// oneProgram makes one program of the tests of many packages of a module, since linking one takes seconds. Their files
// are not named _test.go, so that a test of the module's own can call them.
type oneProgram struct{ imports, tests string }

// add writes a file of tests into a package of the module.
func (p *oneProgram) add(t *testing.T, module, pkg, file string, text []byte) {
	t.Helper()
	stem, ok := strings.CutSuffix(file, "_test.go")
	if !ok {
		t.Fatalf("%s: want a name that ends with _test.go", file)
	}
	writeFile(t, filepath.Join(module, pkg, stem+".go"), text)
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	p.imports += fmt.Sprintf("\t%s %q\n", pkg, "engine/"+pkg)
	found := false
	for _, decl := range parsed.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") {
			p.tests += fmt.Sprintf("\tt.Run(%q, %[1]s)\n", pkg+"."+f.Name.Name)
			found = true
		}
	}
	if !found {
		t.Errorf("%s of %s has no test", file, pkg)
	}
}

// write writes the test that calls all others.
func (p *oneProgram) write(t *testing.T, module string) {
	t.Helper()
	writeFile(t, filepath.Join(module, "engine_test.go"), []byte("package engine\n\nimport (\n\t\"testing\"\n\n"+p.imports+
		")\n\nfunc Test(t *testing.T) {\n"+p.tests+"}\n"))
}
