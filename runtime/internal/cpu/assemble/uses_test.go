package assemble

import (
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// TestUsesAreKnownAfterMoreConstants: the last value of a kernel kept its uses only until a constant came while the
// program was written, as one does with float(x & 255).
func TestUsesAreKnownAfterMoreConstants(t *testing.T) {
	t.Parallel()
	k := ir.NewKernel("test", parser.Pos{})
	one := k.Known(ir.I32, 1)
	sum, last := k.NewValue(ir.I32), k.NewValue(ir.I32)
	k.Body = &ir.Region{Code: []*ir.Instr{
		{Op: ir.OpAdd, Type: ir.I32, Args: []ir.Value{one, one}, Results: []ir.Value{last}},
		{Op: ir.OpAdd, Type: ir.I32, Args: []ir.Value{last, last}, Results: []ir.Value{sum}},
		{Op: ir.OpReturn},
	}}
	f := factsOf(k, false)
	u := findUses(layoutOf(f, k.Body, program.KernelConstruct))
	for range 3 {
		for v := ir.Value(1); int(v) < k.Values(); v++ {
			want := 0
			if v == one || v == last {
				want = 2
			}
			if got := len(u.usesOf(v)); got != want {
				t.Errorf("value %d of %d has %d uses, want %d", v, k.Values(), got, want)
			}
		}
		k.Known(ir.I32, uint64(k.Values()))
		f.grow()
	}
}
