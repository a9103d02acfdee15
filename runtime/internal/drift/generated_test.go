package drift_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/drift"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestWhatIsGeneratedIsNoDrift compares the descriptions of all kernels of this repository with the sources that they
// were generated from, and with METALGEN_CORPUS="dir -Idir -DNAME=1" those of any folder.
func TestWhatIsGeneratedIsNoDrift(t *testing.T) {
	words := strings.Fields(os.Getenv("METALGEN_CORPUS"))
	if len(words) == 0 {
		words = []string{"../../../shaders"}
	}
	opt := &preprocess.Options{In: words[0]}
	for _, w := range words[1:] {
		if dir, ok := strings.CutPrefix(w, "-I"); ok {
			opt.Include = append(opt.Include, dir)
		} else if define, ok := strings.CutPrefix(w, "-D"); ok {
			opt.Define = append(opt.Define, define)
		}
	}
	compared := 0
	err := filepath.WalkDir(opt.In, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".metal" {
			compared += compareSource(t, path, opt)
		}
		return err
	})
	if err != nil || compared == 0 {
		t.Fatal(err, compared)
	}
	t.Logf("%d kernels", compared)
}

// compareSource compares the kernels of a source, and returns how many there are.
func compareSource(t *testing.T, path string, opt *preprocess.Options) int {
	unit, errs := preprocess.Run(filepath.Base(path), path, opt)
	if errs.HasErrors() {
		t.Log(errs)
		return 0
	}
	parsed, _ := parser.Parse(unit)
	program, _ := msl.Analyze(parsed)
	sources := map[string]*tree.Kernel{}
	for _, k := range program.Kernels {
		sources[k.Name] = k
	}
	pkg, _ := binding.Build("gen", []binding.Input{{File: filepath.Base(path), Program: program}}, binding.Options{})
	n := 0
	compare := func(k *binding.Kernel) {
		n++
		if err := drift.Of(described(k), sources[k.Name], program.Constants); err != nil {
			t.Errorf("%s: %s: %v", path, k.Name, err)
		}
	}
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			if !k.IsFamily() {
				compare(k)
			}
			for _, v := range k.Variants {
				compare(k.Instance(v))
			}
		}
	}
	return n
}

// described is what the runtime makes of the description of a kernel.
func described(k *binding.Kernel) *driver.Kernel {
	out := &driver.Kernel{Name: k.Name}
	lists := map[binding.ArgKind]*[]*driver.Arg{
		binding.Buffer: &out.Buffers, binding.Value: &out.Values, binding.Threadgroup: &out.Shared,
		binding.Texture: &out.Textures, binding.Sampler: &out.Samplers, binding.FunctionConstant: &out.Constants,
	}
	for _, a := range k.Passed(k.Args) {
		d := a.Describe()
		if d.Kind == binding.Texture || d.Kind == binding.Sampler {
			d.Count = max(d.Count, 1) // which says that it is no array
		}
		*lists[d.Kind] = append(*lists[d.Kind], &driver.Arg{
			Index: d.Index, Name: d.Name, Type: d.Type, Size: d.Size, Fields: fieldsOf(d.Fields), Optional: d.Optional,
			Count: d.Count,
			Reads: d.Access != binding.Write, Writes: d.Access != binding.Read,
		})
	}
	return out
}

func fieldsOf(st *binding.Struct) []driver.Field {
	if st == nil || st.Var == "" {
		return nil
	}
	var list []driver.Field
	for _, f := range st.Fields {
		inner := fieldsOf(binding.StructIn(f.GoType))
		list = append(list, driver.Field{Name: f.Name, Type: f.Plain, Offset: f.Offset, Fields: inner})
	}
	return list
}
