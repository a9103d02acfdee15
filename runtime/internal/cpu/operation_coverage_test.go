package cpu

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// TestEveryOperationComputesTheSameInAssemblyAndNativeCode takes each of operationKernels through two rounds. It fails
// for operations that they lack: those of the tables that native code is made with, and those of op_*.go.
func TestEveryOperationComputesTheSameInAssemblyAndNativeCode(t *testing.T) {
	executed, names := map[opcode]bool{}, map[string]bool{}
	note := func(in *instruction) {
		executed[in.op] = true
		for name := range strings.SplitSeq(nameOf(operationsOf()[in.op]), ".") {
			names[strings.TrimSuffix(name, "[")] = true
		}
	}
	for i, rows := range operationKernels() {
		rng := rand.New(rand.NewPCG(uint64(i), 2))
		test := newOperationTest(t, rows, rng)
		for range 2 {
			if err := test.run(t, rng); err != nil {
				t.Errorf("%v\n%s", err, test.source)
			}
		}
		test.eachOperation(t, note)
		test.close()
	}
	for i, run := range operationsOf() {
		if op := opcode(i); run != nil && nativeOps()[i] != unknown && !executed[op] && !foldsAway[op.String()] {
			t.Errorf("no row has %s, operation %d of package native", op, nativeOps()[i])
		}
	}
	files, err := filepath.Glob("op_*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !isComparedElsewhere(file) {
			for _, name := range operationsIn(t, file) {
				if !names[name] {
					t.Errorf("no row has %s of %s", name, file)
				}
			}
		}
	}
}

// foldsAway are operations that no kernel comes to: what they would do is known before it runs, or is said otherwise.
var foldsAway = map[string]bool{"xor.bool": true, "floatbits.f32": true}

// isComparedElsewhere reports whether operationRows leave the operations of a file out: package sample compares what
// reads textures, which native code does not have, builtin_header_test.go is about pointers in memory, and op_unset*.go
// are the sanitizer's.
func isComparedElsewhere(file string) bool {
	return file == "op_texture.go" || file == "op_resource.go" || strings.HasPrefix(file, "op_unset") ||
		strings.HasSuffix(file, "_test.go")
}

// eachOperation calls f for the instructions of the kernel that are operations.
func (o *operationTest) eachOperation(t *testing.T, f func(in *instruction)) {
	k, _, err := o.on[0].dev.join(o.on[0].dispatch.Kernel)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]instruction{k.program.prologue, k.program.code} {
		for i := range list {
			in := &list[i]
			if in.flow == flowNone {
				f(in)
			}
			if in.masked != nil {
				f(&in.masked[0])
				f(&in.masked[1])
			}
		}
	}
}

// nameOf is the name of the function that an operation is, or is made in.
func nameOf(run operation) string { return runtime.FuncForPC(reflect.ValueOf(run).Pointer()).Name() }

// operationsIn returns the functions of a file that are operations, or make some.
func operationsIn(t *testing.T, file string) (names []string) {
	source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range source.Decls {
		fn, ok := decl.(*ast.FuncDecl)
		if !ok || fn.Recv != nil {
			continue
		}
		switch params, results := fn.Type.Params.List, fn.Type.Results; {
		case results != nil && types.ExprString(results.List[0].Type) == "operation",
			results == nil && len(params) == 2 && types.ExprString(params[1].Type) == "*instruction":
			names = append(names, fn.Name.Name)
		}
	}
	return names
}
