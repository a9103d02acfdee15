package gen_test

import (
	"math"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// groups returns a grid of full threadgroups.
func groups(x, y, z, threadsX, threadsY, threadsZ int) runtime.Grid {
	return runtime.Grid{Threadgroups: [3]int{x, y, z}, Threads: [3]int{threadsX, threadsY, threadsZ}}
}

// What each kernel asks for in ordinary calls is in the tables; here are the edges.
func TestGridsAtTheEdges(t *testing.T) {
	const most = math.MaxUint32
	for _, c := range []struct {
		name      string
		got, want runtime.Grid
	}{
		{"a thread for each element, of none", gen.SwigluFusedGrid(0), groups(0, 1, 1, 256, 1, 1)},
		{"of one", gen.SwigluFusedGrid(1), groups(1, 1, 1, 256, 1, 1)},
		{"of 256", gen.SwigluFusedGrid(256), groups(1, 1, 1, 256, 1, 1)},
		{"of 257", gen.SwigluFusedGrid(257), groups(2, 1, 1, 256, 1, 1)},
		{"of as many as there can be", gen.SwigluFusedGrid(most), groups(1<<24, 1, 1, 256, 1, 1)},
		{"a thread for four elements, of three", gen.SwigluFusedVec4Grid(3), groups(0, 1, 1, 256, 1, 1)},
		{"of 1028", gen.SwigluFusedVec4Grid(1028), groups(2, 1, 1, 256, 1, 1)},
		{"a thread for each element of rows that overflow", gen.SwigluFusedBatchedGrid(most, most),
			groups(math.MaxInt, 1, 1, 256, 1, 1)},
		{"negative parameters", gen.SiluMulStackedF32Grid(-1, -5), groups(0, -5, 1, 256, 1, 1)},

		{"next_pow2 of no elements", gen.FusedNormAddF32Grid(0, 2), groups(2, 1, 1, 1, 1, 1)},
		{"of 1", gen.FusedNormAddF32Grid(1, 2), groups(2, 1, 1, 1, 1, 1)},
		{"of 3", gen.FusedNormAddF32Grid(3, 2), groups(2, 1, 1, 4, 1, 1)},
		{"of 128", gen.FusedNormAddF32Grid(128, 2), groups(2, 1, 1, 128, 1, 1)},
		{"of 129", gen.FusedNormAddF32Grid(129, 2), groups(2, 1, 1, 256, 1, 1)},
		{"of as many as there can be", gen.FusedNormAddF32Grid(most, 2), groups(2, 1, 1, 256, 1, 1)},

		{"rows in eights, of none", gen.DequantMatvec4bitV3Grid(0), groups(0, 1, 1, 256, 1, 1)},
		{"of 9", gen.DequantMatvec4bitV3Grid(9), groups(2, 1, 1, 256, 1, 1)},
		{"experts beyond the eighth", gen.DequantMatvec4bitV3ExpertsGrid(10, 9), groups(80, 1, 1, 256, 1, 1)},
		{"rows times tokens, which overflow", gen.DequantMatvec4bitFastNTokensGrid(most, most),
			groups(math.MaxInt, 1, 1, 64, 1, 1)},

		{"tokens by the length, which has half of one too many", gen.RmsNormBf16FusedNTokensGrid(250, 100),
			groups(2, 1, 1, 256, 1, 1)},
		{"of tokens without elements", gen.RmsNormBf16FusedNTokensGrid(250, 0), groups(math.MaxInt, 1, 1, 256, 1, 1)},
		{"of tokens with more elements than can be counted", gen.RmsNormPerHeadNTokensGrid(250, most, most),
			groups(most, math.MaxInt, 1, 256, 1, 1)},
		{"heads of more elements than a threadgroup has threads", gen.GatedRmsNormGrid(6000, 2000, 3),
			groups(3, 1, 1, 1024, 1, 1)},

		{"a size in threads", gen.AttnValuesBatchedGrid(20, 60, 2),
			runtime.Threads(120).Of(256)},
		{"the longest of several parts", gen.MlaSplitQKvGrid(2, 20, 30, 600), groups(3, 1, 1, 256, 1, 1)},
		{"one threadgroup", gen.RmsNormSumSqGrid(), groups(1, 1, 1, 256, 1, 1)},
		{"constants of the shader", gen.GatedDeltaNetSequentialGrid(16), groups(32, 16, 1, 32, 4, 1)},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

// A caller may choose another grid, and threadgroup memory then follows it, or
// another length of that as well. Lengths in bytes are multiples of 16.
func TestCallersChooseGridAndMemory(t *testing.T) {
	small := groups(3, 1, 1, 50, 1, 1)
	for _, c := range []struct {
		name   string
		grid   runtime.Grid
		shared int
		want   runtime.Grid
		bytes  int
	}{
		{"as the shader states", runtime.Grid{}, 0, groups(3, 1, 1, 128, 1, 1), 512},
		{"another grid", small, 0, small, 208},
		{"another length", runtime.Grid{}, 131, groups(3, 1, 1, 128, 1, 1), 528},
		{"both", small, 51, small, 208},
		{"a grid of threads", runtime.Threads(130).Of(50), 0,
			runtime.Threads(130).Of(50), 208},
		{"threads in three dimensions", groups(3, 1, 1, 5, 3, 2), 0, groups(3, 1, 1, 5, 3, 2), 128},
		{"all of the memory", runtime.Grid{}, 8192, groups(3, 1, 1, 128, 1, 1), 32768},
	} {
		t.Run(c.name, func(t *testing.T) {
			dev, rec := open(t)
			a := normArgs(t, dev, 100, 3)
			a.Grid, a.Shared = c.grid, c.shared
			if err := run(t, dev, gen.FusedNormAddF32, a); err != nil {
				t.Fatal(err)
			}
			d := rec.Dispatches()[0]
			if d.Grid != c.want || d.Threadgroup[0].Bytes != c.bytes {
				t.Errorf("grid of %v, %d bytes\nwant    %v, %d bytes", d.Grid, d.Threadgroup[0].Bytes, c.want, c.bytes)
			}
		})
	}
}

// The statement is "2 * tg_size + dim": the grid counts twice, the row once.
func TestMemoryIsComputedFromGridAndArguments(t *testing.T) {
	dev, rec := open(t)
	floats := newBuffer[float32](t, dev, 300)
	err := run(t, dev, gen.FusedMoeWsumDnormAddF32, gen.FusedMoeWsumDnormAddF32Args{
		ExpertOutputs: floats, Weights: floats, Residual: floats, ResNormWeight: floats, MoeNormWeight: floats,
		Output: floats, Dim: 100, TopK: 1, Rows: 3, Grid: groups(3, 1, 1, 33, 1, 1),
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := rec.Dispatches()[0].Threadgroup[0].Bytes; got != 672 { // 4 * (2 * 33 + 100), rounded up
		t.Errorf("%d bytes", got)
	}
}
