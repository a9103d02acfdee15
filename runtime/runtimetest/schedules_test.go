package runtimetest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/runtimetest"
)

// failures is a testing.TB that notes failures and goes on.
type failures struct {
	testing.TB
	failed bool
	log    []string
}

func (f *failures) Errorf(string, ...any) { f.failed = true }
func (f *failures) Failed() bool          { return f.failed }
func (f *failures) Logf(format string, args ...any) {
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

var reverseSource = `#include <metal_stdlib>
using namespace metal;
kernel void reverse(device uint* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
	threadgroup uint s[128];
	s[i] = x[i];
	if (BARRIER) threadgroup_barrier(mem_flags::mem_threadgroup);
	x[i] = s[127 - i];
}
`

func TestSchedulesFailWhereTheOrderMatters(t *testing.T) {
	for barrier, broken := range map[string]bool{"true": false, "false": true} {
		source := "#define BARRIER " + barrier + "\n" + reverseSource
		reverse := bind.Kernel{
			Name: "reverse", Library: &bind.Library{File: "reverse.metal", Source: &source}, Pos: "reverse.metal:3",
			Args: []bind.Arg{{Kind: bind.BufferArg, Name: "x", Type: "uint", Size: 4, Align: 4, Access: runtime.ReadWrite}},
		}
		f, runs := &failures{TB: t}, 0
		runtimetest.Schedules(f, 20, func(dev *runtime.Device) {
			runs++
			want := make([]uint32, 128)
			for i := range want {
				want[i] = uint32(i)
			}
			x, err := runtime.Upload(dev, want)
			if err != nil {
				t.Fatal(err)
			}
			b := dev.NewBatch()
			c := b.Call(&reverse)
			c.Buffer(0, x.View(), 128)
			c.Dispatch(runtime.Grid{Threadgroups: [3]int{1, 1, 1}, Threads: [3]int{128, 1, 1}})
			if err := b.Run(t.Context()); err != nil {
				t.Fatal(err)
			}
			slices.Reverse(want)
			if got := x.Data(); !slices.Equal(got, want) {
				f.Errorf("%v", got)
			}
		})
		switch {
		case f.failed != broken:
			t.Errorf("with a barrier: %s, failed: %t", barrier, f.failed)
		case broken && (len(f.log) != 1 || f.log[0] != fmt.Sprintf("with METALGEN_SCHEDULE=%d", runs)):
			t.Errorf("after %d runs the log has %q", runs, f.log)
		case !broken && (runs != 20 || len(f.log) > 0):
			t.Errorf("%d runs, the log has %q", runs, f.log)
		}
	}
}
