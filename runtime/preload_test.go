package runtime_test

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// specialised has a function constant.
var specialised = bind.Kernel{Name: "specialised", Library: &normLibrary, Pos: "norm.metal:50", Args: []bind.Arg{
	{Kind: bind.ConstantArg, Index: 0, Name: "has_mask", Type: "bool", Size: 1},
}}

// undescribed lacks the access of its buffer.
var undescribed = bind.Kernel{Name: "undescribed", Library: &normLibrary, Pos: "norm.metal:60", Args: []bind.Arg{
	{Kind: bind.BufferArg, Name: "x", Type: "float", Size: 4},
}}

func TestPreloadCompilesKernelsWithoutConstants(t *testing.T) {
	dev, rec := open(t)
	if err := dev.Preload(); err != nil {
		t.Error(err)
	}
	many := []*bind.Kernel{&specialised}
	for range 50 {
		many = append(many, &norm, &fill)
	}
	if err := dev.Preload(many...); err != nil {
		t.Error(err)
	}
	got := rec.Prepared()
	slices.Sort(got)
	if n := len(got); n != 100 || !slices.Equal(slices.Compact(got), []string{"fill", "fused_norm_add_f32"}) {
		t.Errorf("prepared %d: %q", n, got)
	}
	if n := len(rec.Dispatches()); n != 0 {
		t.Errorf("%d dispatches", n)
	}
}

// One library is compiled by one kernel of it, and all others of it wait: so it is
// other libraries that come next.
func TestPreloadTakesLibrariesInTurn(t *testing.T) {
	defer goruntime.GOMAXPROCS(goruntime.GOMAXPROCS(1)) // one after the other
	dev, rec := open(t)
	var kernels []*bind.Kernel
	for _, of := range []struct {
		library string
		kernels int
	}{{"a", 4}, {"b", 1}, {"c", 2}, {"d", 4}} {
		library := &bind.Library{File: of.library + ".metal", Source: &normSource}
		for i := range of.kernels {
			kernels = append(kernels, &bind.Kernel{Name: fmt.Sprint(of.library, i), Library: library})
		}
	}
	if err := dev.Preload(kernels...); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(rec.Prepared(), " "); got != "a0 b0 c0 d0 a1 c1 d1 a2 d2 a3 d3" {
		t.Errorf("prepared %s", got)
	}
}

func TestPreloadReportsAllThatFail(t *testing.T) {
	broken := errors.New("does not compile")
	dev, _ := open(t, runtimetest.FailRecord(broken))
	err := dev.Preload(&norm, &specialised, nil, &undescribed, &fill)
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	want := []string{
		"call of no kernel: the *Kernel is nil",
		"undescribed (norm.metal:60): description of x: its Access is not Read, Write or ReadWrite",
		"fused_norm_add_f32 (norm.metal:24): does not compile",
		"fill (norm.metal:40): does not compile",
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
	if call, ok := errors.AsType[*runtime.CallError](err); !ok || call.Kernel != "call of no kernel" {
		t.Errorf("the first is %+v", call)
	}
}

func TestPreloadNeedsADevice(t *testing.T) {
	dev, rec := runtimetest.New()
	dev.Close()
	if err := dev.Preload(&norm, &fill); !errors.Is(err, runtime.ErrClosed) || strings.Contains(err.Error(), "\n") {
		t.Errorf("closed: %v", err)
	}
	if got := rec.Prepared(); len(got) > 0 {
		t.Errorf("prepared %q", got)
	}
	if err := (*runtime.Device)(nil).Preload(&norm); !errors.Is(err, runtime.ErrNoDevice) {
		t.Errorf("nil: %v", err)
	}
}

func TestPreloadOnTheCPUSaysWhatDoesNotCompile(t *testing.T) {
	dev := openCPU(t)
	wantCompileError(t, dev.Preload(&count, &broken))
	if err := dev.Preload(&count); err != nil {
		t.Error(err)
	}
}

// wantCompileError fails the test unless err is that of kernel broken.
func wantCompileError(t *testing.T, err error) {
	t.Helper()
	if call, ok := errors.AsType[*runtime.CallError](err); !ok || call.Kernel != "broken" || call.Pos != "count.metal:8" {
		t.Errorf("got %v", err)
	}
	compile, ok := errors.AsType[*runtime.CompileError](err)
	if !ok || compile.File != "count.metal" || len(compile.Diagnostics) != 1 {
		t.Fatalf("got %+v", compile)
	}
	if d := compile.Diagnostics[0]; d.Pos != "count.metal:8:59" || d.Warning || !strings.Contains(d.Msg, "y") {
		t.Errorf("got %+v", d)
	}
}

// What is compiled of a kernel with function constants depends on their values, which calls say.
func TestPreloadCompilesWhatCallsName(t *testing.T) {
	instances := []bind.Variant{{Name: "f_a"}, {Name: "f_b"}, {Name: "f_c"}}
	family := bind.Family{Name: "f", Library: &normLibrary, Variants: instances}
	strict := bind.Kernel{Name: "strict", Library: &normLibrary, Args: specialised.Args,
		Requires: []bind.Requirement{{Need: "n > 0", Terms: []string{"n"}}}}
	const all = "specialised strict f_a f_b f_c"
	plain := []*bind.Kernel{&fill, &specialised, &strict}
	masked := func(k *bind.Kernel) func(b *runtime.Batch) {
		return func(b *runtime.Batch) {
			c := b.Call(k)
			if len(k.Requires) > 0 {
				c.Require(0, false, 0)
			}
			bind.Constant(c, 0, true)
			c.Dispatch(runtime.Grid{})
		}
	}
	instance := func(n int) func(b *runtime.Batch) {
		return func(b *runtime.Batch) { b.CallVariant(&family, n).Dispatch(runtime.Grid{}) }
	}
	for _, c := range []struct {
		name       string
		calls      []func(b *runtime.Batch)
		left, does string
		err        string
	}{
		{"nothing", nil, all, "fill", ""},
		{"constants", []func(*runtime.Batch){masked(&specialised), masked(&strict)}, "f_a f_b f_c",
			"fill specialised strict", ""},
		{"an instance", []func(*runtime.Batch){instance(2)}, "specialised strict f_a f_c", "f_b fill", ""},
		{"none", []func(*runtime.Batch){instance(0)}, all, "fill", "f: Variant is not set"},
		{"no dispatch", []func(*runtime.Batch){func(b *runtime.Batch) { b.Call(&specialised) }}, all, "fill",
			"specialised (norm.metal:50): the call was begun but not dispatched"},
		{"no constant", []func(*runtime.Batch){func(b *runtime.Batch) { b.Call(&specialised).Dispatch(runtime.Grid{}) }},
			all, "fill", "specialised: has_mask: need a function constant of bool, have nothing"},
	} {
		dev, rec := open(t)
		left, err := dev.PreloadPackage(plain, []*bind.Family{&family}, c.calls)
		if got := strings.Join(left, " "); got != c.left {
			t.Errorf("%s: left out %s, want %s", c.name, got, c.left)
		}
		got := rec.Prepared()
		slices.Sort(got)
		if strings.Join(got, " ") != c.does || len(rec.Dispatches()) != 0 {
			t.Errorf("%s: compiled %s, want %s", c.name, got, c.does)
		}
		if (err == nil) != (c.err == "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
			t.Errorf("%s: %v, want %s", c.name, err, c.err)
		}
	}
}
