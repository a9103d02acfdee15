//go:build linux && (amd64 || arm64)

package metal

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// kernelOf describes a kernel without arguments that has a source of its own.
func kernelOf(source string) *driver.Kernel {
	return &driver.Kernel{Name: "k", Pos: "k.metal:1", Library: &driver.Library{File: "k.metal", Source: &source}}
}

const emptyKernel = "#include <metal_stdlib>\nusing namespace metal;\n" +
	"kernel void k(uint i [[thread_position_in_grid]]) {}\n"

// sentTo returns the messages of the log to objects of a class.
func sentTo(class string) []string {
	var list []string
	for _, m := range metaltest.Log() {
		if m.Class == class && !strings.Contains("alloc init respondsToSelector:", m.Selector) {
			list = append(list, strings.TrimPrefix(m.String(), m.Receiver+" "))
		}
	}
	return list
}

func TestOptionsOfTheDeviceReachTheCompiler(t *testing.T) {
	for _, c := range []struct {
		name    string
		options driver.Options
		hide    []string
		want    []string
	}{
		{"none", driver.Options{}, nil, nil},
		{"safe", driver.Options{Math: driver.MathSafe}, nil, []string{"setMathMode: 0", "setMathFloatingPointFunctions: 1"}},
		{"relaxed", driver.Options{Math: driver.MathRelaxed}, nil,
			[]string{"setMathMode: 1", "setMathFloatingPointFunctions: 0"}},
		{"fast", driver.Options{Math: driver.MathFast}, nil, []string{"setMathMode: 2", "setMathFloatingPointFunctions: 0"}},
		{"safe, before macOS 15", driver.Options{Math: driver.MathSafe}, []string{"setMathMode:"},
			[]string{"setFastMathEnabled: NO"}},
		{"relaxed, before macOS 15", driver.Options{Math: driver.MathRelaxed}, []string{"setMathMode:"},
			[]string{"setFastMathEnabled: NO"}},
		{"fast, before macOS 15", driver.Options{Math: driver.MathFast}, []string{"setMathMode:"},
			[]string{"setFastMathEnabled: YES"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startWith(t, metaltest.Options{Hide: c.hide}, c.options)
			if err := d.Prepare(kernelOf(emptyKernel), nil); err != nil {
				t.Fatal(err)
			}
			c.want = append(c.want, "setLanguageVersion: 262144")
			if got := sentTo("MTLCompileOptions"); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestMacrosAreDefinedInEverySource(t *testing.T) {
	d := startWith(t, metaltest.Options{},
		driver.Options{Macros: map[string]string{"NAME": "k", "EMPTY": "", "N": "1 + 2"}})
	const source = "#include <metal_stdlib>\nusing namespace metal;\n" +
		"kernel void NAME(uint i [[thread_position_in_grid]]) { EMPTY int n = N; }\n"
	for range 2 {
		if err := d.Prepare(kernelOf(source), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// What a caller says of the caller's sources does not touch the driver's own, but for the language: nothing is compiled
// as a version beyond the one that is asked for.
func TestCopiesAreCompiledWithoutTheOptionsOfTheCallerButTheLanguage(t *testing.T) {
	d := startWith(t, metaltest.Options{}, driver.Options{
		Macros: map[string]string{"n": "4", "COPIER": "", "length": "]"}, Math: driver.MathSafe, Language: driver.MSL(2, 0),
		Metallibs: map[string][]byte{copyLibrary.File: []byte("none")},
	})
	if err := d.Prepare(&copiers[0].kernel, nil); err != nil {
		t.Error(err)
	}
	if got := sentTo("MTLCompileOptions"); !slices.Equal(got, []string{"setLanguageVersion: 131072"}) {
		t.Errorf("got %q", got)
	}
}

func TestMacrosThatAreNotTextAreAnError(t *testing.T) {
	for _, macros := range []map[string]string{{"A": "\xff"}, {"\xff": "A"}} {
		t.Run("", func(t *testing.T) {
			d := startWith(t, metaltest.Options{}, driver.Options{Macros: macros})
			if err := d.Prepare(kernelOf(emptyKernel), nil); err == nil || !strings.Contains(err.Error(), "k.metal: macros: ") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestASourceThatDoesNotCompileIsAnErrorWithItsLines(t *testing.T) {
	for _, c := range []struct{ name, source, pos string }{
		{"without #line", strings.Replace(emptyKernel, "{}", "{ int n = m; }", 1), "k.metal:3:"},
		{"with #line", "// made\n#line 1 \"orig.metal\"\n" + strings.Replace(emptyKernel, "{}", "{ int n = m; }", 1),
			"orig.metal:3:"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{})
			k := kernelOf(c.source)
			for range 2 { // the second time from memory
				var e *driver.CompileError
				err := d.Prepare(k, nil)
				if !errors.As(err, &e) || e.File != "k.metal" || len(e.Diagnostics) != 1 ||
					!strings.HasPrefix(e.Diagnostics[0].Pos, c.pos) {
					t.Fatalf("got %#v, want it at %s", err, c.pos)
				}
			}
			if n :=
				len(slices.DeleteFunc(metaltest.Log(),
					func(m metaltest.Message) bool { return !strings.HasPrefix(m.Selector, "newLibrary") })); n != 1 {
				t.Errorf("compiled %d times", n)
			}
			if err := d.Prepare(kernelOf(emptyKernel), nil); err != nil {
				t.Errorf("another source: %v", err)
			}
		})
	}
}

func TestWarningsAreNoError(t *testing.T) {
	d := start(t, metaltest.Options{})
	metaltest.Fail(metaltest.CompileWarning, metaltest.Fault{Text: "k.metal:1:1: warning: of the test"})
	if err := d.Prepare(kernelOf(emptyKernel), nil); err != nil {
		t.Error(err)
	}
}

func TestASourceThatIsNotTextIsAnError(t *testing.T) {
	d := start(t, metaltest.Options{})
	if err := d.Prepare(kernelOf("\xff"), nil); err == nil || !strings.Contains(err.Error(), "k.metal: ") {
		t.Errorf("got %v", err)
	}
}

func TestMetallibsTakeThePlaceOfSources(t *testing.T) {
	metallib := []byte("MTLB" + emptyKernel)
	for _, c := range []struct {
		name string
		libs map[string][]byte
		want string
	}{
		{"of the file", map[string][]byte{"k.metal": metallib}, ""},
		{"of another file", map[string][]byte{"l.metal": metallib}, "k.metal:1:1: "},
		{"not one", map[string][]byte{"k.metal": []byte("ELF")},
			"the metallib for k.metal: Invalid library file (MTLLibraryErrorDomain 1)"},
		{"empty", map[string][]byte{"k.metal": {}}, "the metallib for k.metal is empty"},
		{"of another kernel", map[string][]byte{"k.metal": []byte("MTLB" + strings.Replace(emptyKernel, "k(", "l(", 1))},
			"k.metal has no kernel k"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := startWith(t, metaltest.Options{}, driver.Options{Metallibs: c.libs})
			err := d.Prepare(kernelOf("nonsense"), nil)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// A failure that is the system's may pass; what failed is made at the next use.
func TestFailuresThatPassAreForgotten(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  metaltest.FaultKind
		fault metaltest.Fault
		want  string
	}{
		{"the compiler", metaltest.CompileError, metaltest.Fault{Text: "interrupted", Code: 2},
			"interrupted (MTLLibraryErrorDomain 2)"},
		{"a function", metaltest.FunctionError, metaltest.Fault{Name: "k", Text: "gone"}, "k.metal has no kernel k"},
		{"a pipeline", metaltest.PipelineError, metaltest.Fault{Name: "k", Text: "interrupted"},
			"no pipeline from Metal: interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := start(t, metaltest.Options{})
			k := kernelOf(emptyKernel)
			metaltest.Fail(c.kind, c.fault)
			err := d.Prepare(k, nil)
			var e *objc.Error
			if err == nil || !strings.Contains(err.Error(), c.want) || c.kind != metaltest.FunctionError && !errors.As(err, &e) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
			if err := d.Prepare(k, nil); err != nil {
				t.Errorf("the second time: %v", err)
			}
		})
	}
}

// The sources of this repository compile on the fake with all that may be asked for.
func TestTheSourcesOfTheRepositoryCompile(t *testing.T) {
	files, err := os.ReadDir("../../../gen")
	if err != nil {
		t.Fatal(err)
	}
	d := startWith(t, metaltest.Options{Quiet: true},
		driver.Options{Math: driver.MathSafe, Language: driver.MSL(3, 1), Macros: map[string]string{"UNUSED": "1"}})
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".metal") {
			continue
		}
		source, err := os.ReadFile("../../../gen/" + f.Name())
		if err != nil {
			t.Fatal(err)
		}
		text := string(source)
		objc.WithPool(func() {
			if _, err := d.library(&driver.Library{File: f.Name(), Source: &text}, nil); err != nil {
				t.Error(err)
			}
		})
	}
}
