package runtime_test

import (
	"flag"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite testdata/exported.txt")

// TestExportedNames holds what engines see of the package, so that it does not grow unseen.
func TestExportedNames(t *testing.T) {
	var names []string
	for _, s := range symbols(t, ".") {
		names = append(names, s.name)
	}
	slices.Sort(names)
	got := strings.Join(names, "\n") + "\n"
	golden := filepath.Join("testdata", "exported.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("go test ./runtime -update rewrites the list: %s", diff)
	}
}

// TestExportedNamesAreDocumented looks for names without a comment, and for those whose
// declaration takes a reader to an internal package, where he cannot go.
func TestExportedNamesAreDocumented(t *testing.T) {
	for _, dir := range []string{".", "bind", "cuda", "runtimetest", "runtimetest/fakecuda", "runtimetest/fakemetal"} {
		for _, s := range symbols(t, dir) {
			if s.doc == "" {
				t.Errorf("%s: %s has no comment", dir, s.name)
			}
			if mentions(s.decl, "driver") {
				t.Errorf("%s: %s mentions package driver", dir, s.name)
			}
		}
	}
}

// TestTypesHaveExamples looks for types without an example. Constraints and aliases need none.
func TestTypesHaveExamples(t *testing.T) {
	paths, err := filepath.Glob("example_*test.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	have := make(map[string]bool)
	for _, e := range doc.Examples(files...) {
		have[e.Name] = e.Output != ""
	}
	for _, s := range symbols(t, ".") {
		name, isType := strings.CutPrefix(s.name, "type ")
		if !isType {
			continue
		}
		spec := s.decl.(*ast.GenDecl).Specs[0].(*ast.TypeSpec)
		_, isConstraint := spec.Type.(*ast.InterfaceType)
		if !isConstraint && !spec.Assign.IsValid() && !have[name] {
			t.Errorf("%s has no example with an output", name)
		}
	}
}

// symbol is an exported name of a package.
type symbol struct {
	name string // "func Open", "method Buffer.Slice"
	doc  string
	decl ast.Node
}

// symbols returns what go doc lists of the package in dir.
func symbols(t *testing.T, dir string) []symbol {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	pkg, err := doc.NewFromFiles(fset, files, dir)
	if err != nil {
		t.Fatal(err)
	}
	list := slices.Concat(values(pkg.Consts), values(pkg.Vars), functions("func ", pkg.Funcs))
	for _, typ := range pkg.Types {
		list = append(list, symbol{"type " + typ.Name, typ.Doc, typ.Decl})
		list = slices.Concat(list, values(typ.Consts), values(typ.Vars), functions("func ", typ.Funcs),
			functions("method "+typ.Name+".", typ.Methods))
	}
	return list
}

func functions(prefix string, funcs []*doc.Func) []symbol {
	var list []symbol
	for _, f := range funcs {
		list = append(list, symbol{prefix + f.Name, f.Doc, f.Decl})
	}
	return list
}

// values lists constants or variables, which have a comment of their own or share one.
func values(groups []*doc.Value) []symbol {
	var list []symbol
	for _, group := range groups {
		for _, spec := range group.Decl.Specs {
			spec := spec.(*ast.ValueSpec)
			for _, name := range spec.Names {
				if name.IsExported() {
					comment := spec.Doc.Text() + spec.Comment.Text() + group.Doc
					list = append(list, symbol{group.Decl.Tok.String() + " " + name.Name, comment, spec})
				}
			}
		}
	}
	return list
}

// mentions reports whether a declaration has a name of package pkg.
func mentions(decl ast.Node, pkg string) bool {
	found := false
	ast.Inspect(decl, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			x, ok := s.X.(*ast.Ident)
			found = found || ok && x.Name == pkg
		}
		return true
	})
	return found
}

// TestTheListOfThePackageIsShort holds what go doc prints of the package to three screens, of 60 lines.
func TestTheListOfThePackageIsShort(t *testing.T) {
	goDoc, err := exec.CommandContext(t.Context(), "go", "doc", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(goDoc), "\n"); n > 3*60 {
		t.Errorf("go doc prints %d lines", n)
	}
}

// TestExportedNamesStandInExamples looks for functions and methods that no example shows, beside those that nobody
// calls by name: what fmt and package errors call, and what generated functions do. TestTypesHaveExamples is about
// types.
func TestExportedNamesStandInExamples(t *testing.T) {
	paths, err := filepath.Glob("example_*test.go")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				shown[s.Sel.Name] = true
			}
			return true
		})
	}
	for _, s := range symbols(t, ".") {
		kind, name, _ := strings.Cut(s.name, " ")
		name = name[strings.LastIndex(name, ".")+1:]
		called := !slices.Contains([]string{"String", "Error", "Unwrap"}, name) && !strings.Contains(s.doc, "generated ")
		if (kind == "func" || kind == "method") && called && !shown[name] {
			t.Errorf("%s stands in no example", s.name)
		}
	}
}
