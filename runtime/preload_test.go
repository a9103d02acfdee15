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
		"fused_norm_add_f32 (norm.metal:24): does not compile",
		"call of no kernel: the *Kernel is nil",
		"undescribed (norm.metal:60): description of x: its Access is not Read, Write or ReadWrite",
		"fill (norm.metal:40): does not compile",
	}
	if err == nil || err.Error() != strings.Join(want, "\n") {
		t.Errorf("got\n%v\nwant\n%s", err, strings.Join(want, "\n"))
	}
	if call, ok := errors.AsType[*runtime.CallError](err); !ok || call.Kernel != norm.Name {
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
