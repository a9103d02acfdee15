package gen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tables are those of all shaders.
var tables = []table{
	activationTable,
	attentionTable,
	blurTable,
	colorTable,
	composeTable,
	embeddingTable,
	histogramTable,
	linearAttentionTable,
	matvec4bitTable,
	matvecBf16Table,
	matvecQuantizedTable,
	mlaTable,
	moeCombineTable,
	moeGateTable,
	moeRoutingTable,
	normTable,
	residualTable,
	resizeTable,
	rmsNormTable,
	ropeTable,
	sobelTable,
}

func TestEveryKernelIsInATable(t *testing.T) {
	tested := map[string]bool{}
	for _, tests := range tables {
		for _, k := range tests {
			if tested[k.function] {
				t.Errorf("%s is in the tables twice", k.function)
			}
			tested[k.function] = true
		}
	}
	generated := kernelFunctions(t)
	if len(generated) != 91 {
		t.Errorf("gen has %d kernels, want 91", len(generated))
	}
	for _, f := range generated {
		if !tested[f] {
			t.Errorf("%s is in no table", f)
		}
		delete(tested, f)
	}
	if len(tested) > 0 {
		t.Errorf("gen does not have %q", slices.Sorted(maps.Keys(tested)))
	}
}

// kernelFunctions returns the functions of gen that take a *runtime.Batch.
func kernelFunctions(t *testing.T) (names []string) {
	t.Helper()
	files, err := filepath.Glob("../gen/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in gen, %v", len(files), err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			fun, ok := decl.(*ast.FuncDecl)
			if !ok || fun.Recv != nil || !fun.Name.IsExported() || fun.Type.Params.NumFields() == 0 {
				continue
			}
			if p, ok := fun.Type.Params.List[0].Type.(*ast.StarExpr); ok {
				if s, ok := p.X.(*ast.SelectorExpr); ok && s.Sel.Name == "Batch" {
					names = append(names, fun.Name.Name)
				}
			}
		}
	}
	return names
}

func TestTablesAreNamedAfterShaders(t *testing.T) {
	shaders, err := filepath.Glob("../shaders/*.metal")
	if err != nil || len(shaders) != len(tables) {
		t.Errorf("%d shaders and %d tables, %v", len(shaders), len(tables), err)
	}
	for _, shader := range shaders {
		test := strings.TrimSuffix(filepath.Base(shader), ".metal") + "_test.go"
		if found, err := filepath.Glob(test); err != nil || len(found) != 1 {
			t.Errorf("%s has no %s", shader, test)
		}
	}
}
