package runtime_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

func TestKindsAndAccessesPrintAsWords(t *testing.T) {
	for _, c := range []struct {
		value fmt.Stringer
		want  string
	}{
		{bind.BufferArg, "buffer"},
		{bind.ValueArg, "value"},
		{bind.ThreadgroupArg, "threadgroup"},
		{bind.ConstantArg, "function constant"},
		{bind.ArgKind(0), "ArgKind(0)"},
		{bind.ArgKind(9), "ArgKind(9)"},
		{runtime.Read, "read"},
		{runtime.Write, "write"},
		{runtime.ReadWrite, "read-write"},
		{runtime.Access(0), "Access(0)"},
	} {
		if got := c.value.String(); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

func TestKernelDescriptionsAreChecked(t *testing.T) {
	good := bind.Arg{Kind: bind.BufferArg, Name: "x", Type: "float", Size: 4, Align: 4, Access: runtime.Read}
	with := func(change func(*bind.Arg)) *bind.Kernel {
		a := good
		change(&a)
		return &bind.Kernel{Name: "k", Library: &normLibrary, Args: []bind.Arg{a}}
	}
	for _, c := range []struct {
		kernel *bind.Kernel
		want   string
	}{
		{&bind.Kernel{Library: &normLibrary}, "the kernel has no Name"},
		{&bind.Kernel{Name: "k"}, "the kernel has no Library, or one without Source"},
		{&bind.Kernel{Name: "k", Library: &bind.Library{File: "k.metal"}},
			"the kernel has no Library, or one without Source"},
		{with(func(a *bind.Arg) { a.Kind = 0 }), "description of x: the Kind is not set"},
		{with(func(a *bind.Arg) { a.Index = 31 }), "description of x: its Index 31 is not within 0 to 30"},
		{with(func(a *bind.Arg) { a.Index = -1 }), "description of x: its Index -1 is not within 0 to 30"},
		{with(func(a *bind.Arg) { a.Size = 0 }), "description of x: its Size is 0"},
		{with(func(a *bind.Arg) { a.Align = -4 }), "description of x: its Align is -4"},
		{with(func(a *bind.Arg) { a.Access = 0 }), "description of x: its Access is not Read, Write or ReadWrite"},
		{with(func(a *bind.Arg) { a.Kind, a.Size = bind.ConstantArg, 32 }),
			"description of x: its Size is 32, a function constant has at most 16 bytes"},
		{&bind.Kernel{Name: "k", Library: &normLibrary, Args: []bind.Arg{
			good, {Kind: bind.ValueArg, Name: "y", Type: "float", Size: 4},
		}}, "description of y: index 0 is that of x as well"},
	} {
		t.Run(c.want, func(t *testing.T) {
			dev, _ := open(t)
			b := dev.NewBatch()
			b.Call(c.kernel).Dispatch(one)
			err := b.Run(t.Context())
			if _, ok := errors.AsType[*runtime.CallError](err); !ok || !strings.HasSuffix(err.Error(), ": "+c.want) {
				t.Errorf("got %v", err)
			}
		})
	}
}
