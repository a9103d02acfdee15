package cpu

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/internal/fmath"
	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser/preprocess"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// The tests of projects run kernels of public libraries and compare what they
// compute with references in float64. The sources are read from checkouts of the
// projects, METALGEN_PROJECTS="ggml=dir candle=dir mlx=dir mlx-native=dir", and
// tests of those that it does not name are skipped. Each test logs its greatest
// error, as a part of the greatest value.

// project is a checkout of a library of kernels.
type project struct {
	dir     string
	options preprocess.Options

	mu        sync.Mutex
	device    *Device       // knows the arguments of kernels
	runs      driver.Device // that, or the one of METALGEN_DEVICE
	libraries map[string]*driver.Library
}

// projectSources are where in a checkout the sources are, folders for headers, and macros.
var projectSources = map[string]struct {
	in               string
	includes, define []string
}{
	"ggml":       {"src/ggml-metal", []string{"src"}, []string{"GGML_METAL_HAS_BF16=1"}},
	"mlx":        {"mlx/backend/metal/kernels", []string{"."}, nil},
	"candle":     {"candle-metal-kernels/src/metal_src", nil, nil},
	"mlx-native": {"src/shaders", nil, nil},
}

// sourcesOf returns how the sources of a project are read in a checkout, with more macros.
func sourcesOf(name, dir string, defines ...string) (options preprocess.Options) {
	s := projectSources[name]
	options.In, options.Define = filepath.Join(dir, s.in), slices.Concat(s.define, defines)
	for _, include := range s.includes {
		options.Include = append(options.Include, filepath.Join(dir, include))
	}
	return options
}

// openProject finds a checkout.
func openProject(t testing.TB, name string, defines ...string) *project {
	for _, entry := range strings.Fields(os.Getenv("METALGEN_PROJECTS")) {
		dir, ok := strings.CutPrefix(entry, name+"=")
		if !ok {
			continue
		}
		p := &project{options: sourcesOf(name, dir, defines...), device: Open(options()),
			libraries: map[string]*driver.Library{}}
		p.dir = p.options.In
		t.Cleanup(func() { p.device.Close() })
		if p.runs = p.device; chosen(t) != nil {
			p.runs = chosen(t)
		}
		return p
	}
	t.Skipf("METALGEN_PROJECTS names no checkout of %s", name)
	return nil
}

func (p *project) library(t testing.TB, file string) *driver.Library {
	p.mu.Lock()
	defer p.mu.Unlock()
	if l := p.libraries[file]; l != nil {
		return l
	}
	unit, errs := preprocess.Run(filepath.Base(file), filepath.Join(p.dir, file), &p.options)
	if errs.HasErrors() {
		t.Fatal(compileError(&driver.Library{File: file}, errs))
	}
	text := unit.Flat
	for _, define := range slices.Backward(p.options.Define) {
		name, value, given := strings.Cut(define, "=")
		if !given {
			value = "1"
		}
		text = "#define " + name + " " + value + "\n" + text
	}
	p.libraries[file] = &driver.Library{File: filepath.Base(file), Source: &text}
	return p.libraries[file]
}

// call is a dispatch of a kernel. The names in args are those of its parameters:
// an *array is a buffer, fields and numbers are values, an int for threadgroup
// memory is its bytes. What args leaves out is not bound.
type call struct {
	file, kernel    string
	groups, threads [3]int
	args            map[string]any
	constants       map[string]any // by name
}

// fields are those of a struct of parameters. The others are 0.
type fields map[string]any

// array is a buffer of numbers, or of bytes of any meaning.
type array struct {
	kind  tree.ScalarKind
	v     []float64
	bytes []byte
}

// typed is an array of numbers as a type holds them: v is rounded to it.
func typed(k tree.ScalarKind, v []float64) *array {
	a := &array{kind: k, v: v, bytes: make([]byte, len(v)*program.ScalarBytes[k])}
	for i, x := range v {
		putScalar(a.bytes[i*program.ScalarBytes[k]:], k, tree.Value{Kind: k, Float: x, Bits: uint64(int64(x))})
	}
	a.decode()
	return a
}

func f32(v []float64) *array { return typed(tree.Float, v) }
func f16(v []float64) *array { return typed(tree.Half, v) }

// raw is an array of bytes.
func raw(b []byte) *array { return &array{bytes: b} }

// decode reads the numbers back.
func (a *array) decode() {
	size := program.ScalarBytes[a.kind]
	for i := range a.v {
		var word [8]byte
		copy(word[:], a.bytes[i*size:(i+1)*size])
		bits := binary.LittleEndian.Uint64(word[:])
		switch a.kind {
		case tree.Float:
			a.v[i] = float64(math.Float32frombits(uint32(bits)))
		case tree.Half:
			a.v[i] = float64(fmath.HalfFromBits(uint16(bits)))
		case tree.BFloat:
			a.v[i] = float64(fmath.BFloatFromBits(uint16(bits)))
		case tree.Int:
			a.v[i] = float64(int32(bits))
		case tree.Long:
			a.v[i] = float64(int64(bits))
		default:
			a.v[i] = float64(bits)
		}
	}
}

// dispatch returns a call as a dispatch, and the memory of its arrays.
func (p *project) dispatch(t testing.TB, c call) (d *driver.Dispatch, arrays []*array, memories []driver.Memory) {
	t.Helper()
	k := &driver.Kernel{Name: c.kernel, Library: p.library(t, c.file)}
	compiled, err := p.device.kernel(k)
	if err != nil {
		t.Fatalf("%s: %v", c.kernel, err)
	}
	p.device.mu.Lock()
	library := p.device.libraries[k.Library]
	p.device.mu.Unlock()
	program, err := library.Program(func() bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("METALGEN_DEVICE") == "fakemetal" {
		k = described(k, compiled.checked, program)
	}
	d = &driver.Dispatch{Kernel: k, Grid: driver.Grid{Threadgroups: c.groups, Threads: c.threads}}
	bound := map[*array]driver.Memory{}
	given := map[string]bool{}
	for _, param := range compiled.checked.Params {
		a, ok := c.args[param.Name]
		given[param.Name] = true
		if !ok {
			continue
		}
		arg := argOf(k, param.Name, param.Index)
		if f, ok := a.(fields); ok && param.Pointer {
			a = raw(encoded(t, param.Type, f))
		}
		switch a := a.(type) {
		case *array:
			memory := bound[a]
			if memory == nil {
				var err error
				if memory, err = p.runs.NewMemory(max(1, len(a.bytes)), driver.StorageShared); err != nil {
					t.Fatal(err)
				}
				copy(memory.Bytes(), a.bytes)
				bound[a] = memory
			}
			d.Buffers = append(d.Buffers, driver.Buffer{Arg: arg, Memory: memory, Length: len(a.bytes)})
			arrays, memories = append(arrays, a), append(memories, memory)
		case int:
			if param.Kind == tree.ThreadgroupParam {
				d.Shared = append(d.Shared, driver.Shared{Arg: arg, Length: a})
				continue
			}
			d.Values = append(d.Values, driver.Value{Arg: arg, Bytes: encoded(t, param.Type, a)})
		default:
			d.Values = append(d.Values, driver.Value{Arg: arg, Bytes: encoded(t, param.Type, a)})
		}
	}
	for name := range c.args {
		if !given[name] && name != "shmem" { // which not all kernels of a kind take
			t.Fatalf("%s has no parameter %s", c.kernel, name)
		}
	}
	for name, v := range c.constants {
		i := slices.IndexFunc(program.Constants, func(f *tree.FunctionConstant) bool { return f.Name == name })
		if i < 0 {
			t.Fatalf("%s has no function constant %s", c.file, name)
		}
		f := program.Constants[i]
		d.Constants = append(d.Constants, driver.Value{Arg: argOf(k, f.Name, f.Index), Bytes: encoded(t, f.Type, v)})
	}
	return d, arrays, memories
}

// described returns a kernel with its arguments, without which the Metal driver does not take it. An argument may be an
// array or an element, and is read and written: so Metal's reflection has nothing to object to.
func described(of *driver.Kernel, checked *tree.Kernel, program *msl.Program) *driver.Kernel {
	k := *of
	for _, param := range checked.Params {
		if param.Type == nil || param.Attribute != "" {
			continue
		}
		arg := &driver.Arg{
			Index: param.Index, Name: param.Name, Type: "element[1]", Size: param.Type.Size, Reads: true, Writes: true,
		}
		switch {
		case param.Kind == tree.ThreadgroupParam:
			k.Shared = append(k.Shared, arg)
		case param.Pointer:
			k.Buffers = append(k.Buffers, arg)
		default:
			k.Values = append(k.Values, arg)
		}
	}
	for _, f := range program.Constants {
		k.Constants = append(k.Constants, &driver.Arg{
			Index: f.Index, Name: f.Name, Type: f.Type.String(), Size: f.Type.Size, Optional: true,
		})
	}
	return &k
}

// argOf returns the argument of a name, a new one where the kernel is not described.
func argOf(k *driver.Kernel, name string, index int) *driver.Arg {
	for _, list := range [][]*driver.Arg{k.Buffers, k.Values, k.Shared, k.Constants} {
		for _, a := range list {
			if a.Name == name {
				return a
			}
		}
	}
	return &driver.Arg{Index: index, Name: name}
}

// run executes a call and reads its arrays back.
func (p *project) run(t *testing.T, c call) {
	t.Helper()
	d, arrays, memories := p.dispatch(t, c)
	rec, err := p.runs.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	if err := rec.Record(d); err != nil {
		lacks(t, err)
		t.Fatalf("%s: %v", c.kernel, err)
	}
	job, err := rec.Submit()
	if err != nil {
		t.Fatalf("%s: %v", c.kernel, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hang)
	defer cancel()
	if _, err := job.Wait(ctx); !c.reported(t, err) && err != nil {
		t.Fatalf("%s: %v", c.kernel, err)
	}
	for i, a := range arrays {
		copy(a.bytes, memories[i].Bytes())
		a.decode()
	}
}

// projectMistakes are the kernels of projects in which the sanitizer finds what their authors get away with.
var projectMistakes = map[string]string{
	// block_reducer shares partial results between simd-groups, and softmax its total, over
	// threadgroup_barrier(mem_flags::mem_none).
	"softmax_f32":     "has no mem_flags::mem_threadgroup",
	"rmsnorm_f32":     "has no mem_flags::mem_threadgroup",
	"layernorm_f32":   "has no mem_flags::mem_threadgroup",
	"fast_sum_f32":    "has no mem_flags::mem_threadgroup",
	"fast_max_f32":    "has no mem_flags::mem_threadgroup",
	"fast_argmin_f32": "has no mem_flags::mem_threadgroup",

	// buf[tiisg] is read before threadgroup_barrier(mem_flags::mem_none), and cleared after it.
	"kernel_soft_max_f16":   "has no mem_flags::mem_threadgroup",
	"kernel_soft_max_f32_4": "has no mem_flags::mem_threadgroup",

	// All simd-groups copy the query to the same place, and clear more than their parts of the scratch memory. Lanes
	// exchange masks and scores without a barrier.
	"kernel_flash_attn_ext_vec_f16_dk64_dv64": "with no threadgroup_barrier(mem_flags::mem_threadgroup) between",
}

// reported reports whether an error is that the sanitizer has found the mistake of a kernel.
func (c *call) reported(t *testing.T, err error) bool {
	t.Helper()
	if !*sanitized {
		return false
	}
	var found *driver.Findings
	mistake := projectMistakes[c.kernel]
	errors.As(err, &found)
	switch {
	case found == nil && mistake == "":
		t.Logf("%s is silent", c.kernel)
	case mistake == "" || found == nil || !strings.Contains(err.Error(), mistake):
		t.Errorf("%s: found %v, want %q", c.kernel, err, mistake)
	}
	return found != nil
}

// encoded is a value as memory holds it: a number or bool, several in a slice, or
// fields of a struct.
func encoded(t testing.TB, typ *tree.Type, v any) []byte {
	t.Helper()
	to := make([]byte, typ.Size)
	switch v := v.(type) {
	case fields:
		for name, x := range v {
			i := slices.IndexFunc(typ.Struct.Fields, func(f *tree.Field) bool { return f.Name == name })
			if i < 0 {
				t.Fatalf("%s has no field %s", typ, name)
			}
			f := typ.Struct.Fields[i]
			copy(to[f.Offset:], encoded(t, f.Type, x))
		}
	case []int:
		for i, x := range v {
			if typ.Elem == nil { // a pointer to several
				to = append(to[:i*typ.Size], encoded(t, typ, x)...)
				continue
			}
			copy(to[i*typ.Elem.Size:], encoded(t, typ.Elem, x))
		}
	case int:
		putScalar(to, typ.Scalar, tree.Value{Kind: typ.Scalar, Float: float64(v), Bits: uint64(int64(v))})
	case float64:
		putScalar(to, typ.Scalar, tree.Value{Kind: typ.Scalar, Float: v})
	case bool:
		if v {
			to[0] = 1
		}
	default:
		t.Fatalf("a value of type %T", v)
	}
	return to
}

// closeTo compares results with a reference: no error may be beyond a part of the
// greatest value.
func closeTo(t *testing.T, part float64, got, want []float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	most := 0.0
	for _, w := range want {
		most = max(most, math.Abs(w))
	}
	worst, at := 0.0, 0
	for i, w := range want {
		e := math.Abs(got[i] - w)
		if got[i] == w {
			e = 0
		}
		if e != e || e > worst {
			worst, at = e, i
			if e != e {
				break
			}
		}
	}
	if most > 0 {
		worst /= most
	}
	t.Logf("max error %.1e of %.3g", worst, most)
	if !(worst <= part) {
		t.Errorf("number %d is %g, want %g; %g allowed", at, got[at], want[at], part)
	}
}

// normal returns n random numbers of a size.
func normal(r *rand.Rand, n int, size float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = r.NormFloat64() * size
	}
	return v
}

// times is the product of a matrix of rows of n numbers with a vector.
func times(m, x []float64) []float64 {
	n := len(x)
	v := make([]float64, len(m)/n)
	for i := range m {
		v[i/n] += m[i] * x[i%n]
	}
	return v
}

// putScalar writes a scalar as memory holds it.
func putScalar(to []byte, k tree.ScalarKind, v tree.Value) {
	switch k {
	case tree.Float:
		binary.LittleEndian.PutUint32(to, math.Float32bits(float32(v.Float)))
	case tree.Half:
		binary.LittleEndian.PutUint16(to, fmath.HalfBits(float32(v.Float)))
	case tree.BFloat:
		binary.LittleEndian.PutUint16(to, fmath.BFloatBits(float32(v.Float)))
	default:
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], v.Bits)
		copy(to, word[:program.ScalarBytes[k]])
	}
}
