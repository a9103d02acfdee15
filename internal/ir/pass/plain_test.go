package pass

import (
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/parser"
)

// TestPlainFunctionsAreWhatTheTableSays of numbers at the edges of all types. What is written of constants is a
// constant at once, so nothing has to run.
func TestPlainFunctionsAreWhatTheTableSays(t *testing.T) {
	k := ir.NewKernel("test", parser.Pos{})
	w := ir.NewWriter(k)
	for op, spell := range spelled {
		operands, tested := strings.Index(op.Info().Signature, ":"), 0
		for _, on := range []ir.Type{ir.S32, ir.U32, ir.S64, ir.U64, ir.Void} {
			widths, as := []int64{8, 16, 32}, on
			if on == ir.Void {
				as = ir.S32
			}
			if as.Bits() == 64 {
				widths = []int64{64}
			}
			for _, width := range widths {
				for _, x := range tuples(extremes(as, width), operands) {
					args := make([]ir.Value, operands)
					for i, bits := range x {
						args[i] = k.Known(as, bits)
					}
					want, ok := ir.Eval(op, on, width, x...)
					if !ok {
						continue // not of this type
					}
					v := spell(words{w, on, as.Held(), width}, args)
					if v == 0 {
						continue // it stays as it is
					}
					tested++
					if want := k.Known(op.Result(on), want); v != want {
						got, _ := k.Bits(v)
						bits, _ := k.Bits(want)
						t.Fatalf("%s.%s of %d bits: %#x is %#x, want %#x", op, on, width, x, got, bits)
					}
				}
			}
		}
		if tested == 0 {
			t.Errorf("%s is not tested", op)
		}
	}
}

// extremes returns numbers of some bits, as registers hold them.
func extremes(t ir.Type, width int64) []uint64 {
	var list []uint64
	for _, n := range []uint64{0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 0x5a, 0x1234_5678_9abc_def0} {
		for _, n := range []uint64{n, -n, n << (width - 1), n<<(width-1) - 1} {
			n <<= 64 - width
			if t == ir.S32 || t == ir.S64 {
				n = uint64(int64(n) >> (64 - width))
			} else {
				n >>= 64 - width
			}
			if t.Bits() == 32 {
				n = uint64(uint32(n))
			}
			list = append(list, n)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// tuples returns all lists of n numbers.
func tuples(numbers []uint64, n int) [][]uint64 {
	list := [][]uint64{nil}
	for range n {
		var longer [][]uint64
		for _, t := range list {
			for _, x := range numbers {
				longer = append(longer, append(slices.Clip(t), x))
			}
		}
		list = longer
	}
	return list
}
