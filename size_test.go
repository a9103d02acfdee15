package metalgen

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The limits of CONTRIBUTING.md: what is larger than that holds more than one idea.
const (
	maxMethods = 60   // of a type, with those of what it embeds
	maxLines   = 500  // of a file outside of tests
	maxPackage = 6000 // lines of a package outside of tests
)

// sized are the folders whose packages keep the limits, those within them included.
var sized = []string{
	"internal/binding", "internal/ir", "internal/msl", "parser", "runtime/internal/cpu", "runtime/internal/cuda",
}

// larger are the limits of packages that have others, in lines.
var larger = map[string]int{"internal/msl": 12000}

func TestTypesFilesAndPackagesAreSmall(t *testing.T) {
	m := measure(t)
	for name := range m.methods {
		if n := len(m.methodSet(name, map[string]bool{})); n > maxMethods {
			t.Errorf("%s has %d methods with those of what it embeds, more than %d", name, n, maxMethods)
		}
	}
	for file, n := range m.files {
		if n > maxLines {
			t.Errorf("%s has %d lines, more than %d", file, n, maxLines)
		}
	}
	for dir, n := range m.packages {
		limit := maxPackage
		if larger[dir] > 0 {
			limit = larger[dir]
		}
		if n > limit {
			t.Errorf("%s has %d lines outside of tests, more than %d", dir, n, limit)
		}
	}
	if len(m.packages) < len(sized) || len(m.methods) == 0 {
		t.Errorf("measured %d packages and %d types with methods only", len(m.packages), len(m.methods))
	}
}

// TestMethodsOfEmbeddedTypesCount checks the measure itself, which reads no types but names.
func TestMethodsOfEmbeddedTypesCount(t *testing.T) {
	m := measurement{methods: map[string]map[string]bool{}, embeds: map[string][]string{}}
	file, err := parser.ParseFile(token.NewFileSet(), "a.go", `package a
import "github.com/metalgen/metalgen/internal/b"
type T struct { *U; b.V; n int }
type U struct{}
func (T) one() {}
func (u *U) one() {}
func (u *U) two() {}
type G[X any] struct{ U }
func (g *G[X]) three() {}`, 0)
	if err != nil {
		t.Fatal(err)
	}
	m.add("internal/a", file)
	m.methods["internal/b.V"] = map[string]bool{"four": true}
	for name, want := range map[string]int{"internal/a.T": 3, "internal/a.U": 2, "internal/a.G": 3} {
		if got := len(m.methodSet(name, map[string]bool{})); got != want {
			t.Errorf("%s has %d methods, want %d", name, got, want)
		}
	}
}

// measurement is what was found in the sized folders. Types go by folder and name, as in "internal/msl.checker".
type measurement struct {
	methods  map[string]map[string]bool
	embeds   map[string][]string
	files    map[string]int // lines
	packages map[string]int // lines
}

func measure(t *testing.T) measurement {
	t.Helper()
	m := measurement{map[string]map[string]bool{}, map[string][]string{}, map[string]int{}, map[string]int{}}
	for _, root := range sized {
		err := filepath.WalkDir(filepath.FromSlash(root), func(name string, entry os.DirEntry, err error) error {
			dir := filepath.ToSlash(filepath.Dir(name))
			switch {
			case err != nil:
				return err
			case entry.IsDir() && entry.Name() == "testdata":
				return filepath.SkipDir
			case entry.IsDir(), !strings.HasSuffix(name, ".go"), strings.HasSuffix(name, "_test.go"):
				return nil
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
			if err != nil {
				return err
			}
			n := strings.Count(string(text), "\n")
			m.files[filepath.ToSlash(name)], m.packages[dir] = n, m.packages[dir]+n
			m.add(dir, file)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// add notes the methods of a file, and what its types embed.
func (m measurement) add(dir string, file *ast.File) {
	imports := map[string]string{} // folders of the module by the names of packages
	for _, spec := range file.Imports {
		to, _ := strconv.Unquote(spec.Path.Value)
		name := path.Base(to)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		imports[name] = strings.TrimPrefix(to, "github.com/metalgen/metalgen/")
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				continue
			}
			name := typeName(decl.Recv.List[0].Type, dir, imports)
			if m.methods[name] == nil {
				m.methods[name] = map[string]bool{}
			}
			m.methods[name][decl.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				m.addEmbedded(spec, dir, imports)
			}
		}
	}
}

// addEmbedded notes what a type embeds, if it is a struct.
func (m measurement) addEmbedded(spec ast.Spec, dir string, imports map[string]string) {
	typ, ok := spec.(*ast.TypeSpec)
	if !ok {
		return
	}
	s, ok := typ.Type.(*ast.StructType)
	if !ok {
		return
	}
	name := dir + "." + typ.Name.Name
	if m.methods[name] == nil {
		m.methods[name] = map[string]bool{}
	}
	for _, field := range s.Fields.List {
		if len(field.Names) == 0 {
			m.embeds[name] = append(m.embeds[name], typeName(field.Type, dir, imports))
		}
	}
}

// typeName is the name of a type as a measurement has it, without pointers and arguments.
func typeName(e ast.Expr, dir string, imports map[string]string) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X, dir, imports)
	case *ast.IndexExpr:
		return typeName(e.X, dir, imports)
	case *ast.IndexListExpr:
		return typeName(e.X, dir, imports)
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			return imports[of.Name] + "." + e.Sel.Name
		}
	case *ast.Ident:
		return dir + "." + e.Name
	}
	return ""
}

// methodSet returns the names of a type's methods, with those of what it embeds.
func (m measurement) methodSet(name string, seen map[string]bool) map[string]bool {
	set := map[string]bool{}
	if seen[name] {
		return set
	}
	seen[name] = true
	for method := range m.methods[name] {
		set[method] = true
	}
	for _, inner := range m.embeds[name] {
		for method := range m.methodSet(inner, seen) {
			set[method] = true
		}
	}
	return set
}
