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

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// TestEveryOperationComputesTheSameInMachineCode takes each of operationKernels through two rounds. It fails
// for operations that they lack: those of the tables that native code is made with, and those of op_*.go.
func TestEveryOperationComputesTheSameInMachineCode(t *testing.T) {
	executed, names := map[program.Opcode]bool{}, map[string]bool{}
	note := func(in *program.Instruction) {
		executed[in.Op] = true
		for name := range strings.SplitSeq(nameOf(interp.Operations()[in.Op]), ".") {
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
	for i, run := range interp.Operations() {
		op, on := program.Opcode(i), machine.Ops()[i]
		given := op < program.FirstOfIR && on == wide.Foreign
		if run != nil && on != machine.Unknown && !given && !executed[op] && !noRow[op.String()] {
			t.Errorf("no row has %s, operation %d of package native", op, on)
		}
	}
	files, err := filepath.Glob("interp/op_*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		if !isComparedElsewhere(filepath.Base(file)) {
			for _, name := range operationsIn(t, file) {
				if !names[name] {
					t.Errorf("no row has %s of %s", name, file)
				}
			}
		}
	}
}

// noRow are operations that no kernel comes to, as what they would do is known before it runs or is said otherwise, and
// those of handles, see isComparedElsewhere.
var noRow = map[string]bool{"xor.bool": true, "floatbits.f32": true, "isnull.ptr": true, "tomem.ptr": true}

// isComparedElsewhere reports whether operationRows leave the operations of a file out: package sample compares what
// reads textures, which native code does not have, and builtin_header_test.go is about pointers in memory.
func isComparedElsewhere(file string) bool {
	return file == "op_texture.go" || file == "op_resource.go"
}

// eachOperation calls f for the instructions of the kernel that are operations.
func (o *operationTest) eachOperation(t *testing.T, f func(in *program.Instruction)) {
	k, _, err := o.on[0].dev.join(o.on[0].dispatch.Kernel, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]program.Instruction{k.program.Prologue, k.program.Code} {
		for i := range list {
			in := &list[i]
			if in.Flow == program.FlowNone {
				f(in)
			}
			if in.Masked != nil {
				f(&in.Masked[0])
				f(&in.Masked[1])
			}
		}
	}
}

// nameOf is the name of the function that an operation is, or is made in.
func nameOf(run interp.Operation) string {
	return runtime.FuncForPC(reflect.ValueOf(run).Pointer()).Name()
}

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
		case results != nil && types.ExprString(results.List[0].Type) == "Operation",
			results == nil && len(params) == 2 && types.ExprString(params[1].Type) == "*program.Instruction":
			names = append(names, fn.Name.Name)
		}
	}
	return names
}
