package ptx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Products on tensor cores. Their instruction multiplies 16 x 8 by 8 x 8 elements, so it has room for two products with
// one second factor, and that of numbers with 16 bits 16 x 16 by 16 x 8: for two more that are added to these. It wants
// lanes in another order than that of Apple's GPUs, which kernels can see. So matrices that a kernel only loads,
// multiplies, passes on and stores are held in that order from the beginning, and of others lanes exchange elements
// around each product.

// tensorCapability is the oldest compute capability that has all types.
const tensorCapability = 80

// loadedAs returns the value that was loaded, of one that has been rounded since.
func (mx *matrices) loadedAs(v ir.Value) ir.Value {
	for in := mx.e.By[v]; in != nil && mx.e.IsSame(in); in = mx.e.By[v] {
		v = in.Args[0]
	}
	return v
}

// findPairs finds products with one second factor. The later one is computed with the earlier.
func (mx *matrices) findPairs(r *ir.Region) {
	waiting := map[ir.Value]*ir.Instr{} // by the second factor
	for _, in := range r.Code {
		if in.Op.Info().Has(ir.Constructs) || in.Op.Info().Has(ir.Terminates) {
			clear(waiting)
			continue
		}
		for factor, first := range waiting { // whose results something needs
			for _, v := range in.Args {
				if v == first.Results[0] || v == first.Results[1] {
					delete(waiting, factor)
				}
			}
		}
		if in.Op != ir.OpMatrix {
			continue
		}
		if first := waiting[in.Args[2]]; first != nil && first.Args[3] == in.Args[3] {
			mx.e.pairs[in], mx.e.within[first] = first, true
			delete(waiting, in.Args[2])
			continue
		}
		waiting[in.Args[2]] = in
	}
}

// findChains finds pairs whose sums are just what another pair begins with, where a product has 16 elements of a row.
func (mx *matrices) findChains(r *ir.Region) {
	made := map[ir.Value]*ir.Instr{} // pairs by all that they compute
	for _, in := range r.Code {
		first := mx.e.pairs[in]
		if first == nil || mx.kindOf(first, in) == ir.Float32 {
			continue
		}
		before := made[mx.sumOf(in)[0]]
		if before != nil && mx.e.chained[before] == nil && mx.kindOf(mx.e.pairs[before], before) == mx.kindOf(first, in) &&
			mx.continues(mx.e.pairs[before], first) && mx.continues(before, in) {
			mx.e.chained[in], mx.e.within[before] = before, true
		} else {
			made[in.Results[0]] = in
		}
	}
}

// continues reports whether a product is added to what another one computes, which nothing else needs.
func (mx *matrices) continues(before, in *ir.Instr) bool {
	for i, v := range mx.sumOf(in) {
		if v != before.Results[i] || mx.e.uses[v] != 1 {
			return false
		}
	}
	return true
}

// kindOf returns what all factors of products came from memory as.
func (mx *matrices) kindOf(list ...*ir.Instr) ir.Scalar {
	for _, kind := range []ir.Scalar{ir.Half16, ir.BFloat16} {
		if !slices.ContainsFunc(list, func(in *ir.Instr) bool {
			return !mx.e.CameAs(in.Args[0], kind) || !mx.e.CameAs(in.Args[2], kind)
		}) {
			return kind
		}
	}
	return ir.Float32
}

// tensorProduct writes one product, or two with one second factor, or four where two of them are added to the others.
func (mx *matrices) tensorProduct(in *ir.Instr) {
	pair := func(in *ir.Instr) []*ir.Instr {
		if first := mx.e.pairs[in]; first != nil {
			return []*ir.Instr{first, in}
		}
		return []*ir.Instr{in}
	}
	list := pair(in)
	terms := list
	if before := mx.e.chained[in]; before != nil {
		terms = append(pair(before), list...)
	}
	var sums, firsts, seconds []string
	for _, in := range terms[:len(list)] {
		sums = append(sums, mx.rows(mx.sumOf(in))...)
	}
	if len(list) == 1 {
		zero := mx.Make(text.Float, "mov.f32", "0f00000000")
		sums = append(sums, zero, zero)
	}
	kind := mx.kindOf(terms...)
	results := make([]string, 4)
	if kind == ir.Float32 {
		for _, in := range list {
			firsts = append(firsts, mx.rows(in.Args[:2])...)
		}
		results = mx.thrice(firsts, mx.columns(in.Args[2:4]), sums)
	} else {
		for n, in := range terms {
			firsts = append(firsts, mx.packed(kind, in.Args[:2], mx.rows))
			if n%len(list) == 0 {
				seconds = append(seconds, mx.packed(kind, in.Args[2:4], mx.columns))
			}
		}
		if len(firsts) == 1 {
			firsts = append(firsts, mx.Make(text.Word, "mov.b32", "0"))
		}
		typ := map[ir.Scalar]string{ir.Half16: "f16", ir.BFloat16: "bf16"}[kind]
		for i := range results {
			results[i] = mx.Fresh(text.Float)
		}
		mx.Op("mma.sync.aligned.m16n8k%d.row.col.f32.%s.%s.f32 {%s}, {%s}, {%s}, {%s};", 8*len(seconds), typ, typ,
			strings.Join(results, ", "), strings.Join(firsts, ", "), strings.Join(seconds, ", "), strings.Join(sums, ", "))
	}
	for n, in := range list {
		mx.setRows(in.Results, results[2*n:2*n+2])
	}
}

// sumOf returns the elements that a product is added to, 0 for none.
func (mx *matrices) sumOf(in *ir.Instr) []ir.Value {
	sum := make([]ir.Value, 2)
	copy(sum, in.Args[4:])
	return sum
}

// thrice multiplies floats as the sums of two numbers with 11 bits each: without the product of the lesser ones.
func (mx *matrices) thrice(firsts, seconds, sums []string) []string {
	for len(firsts) < 4 {
		firsts = append(firsts, mx.Make(text.Float, "mov.f32", "0f00000000"))
	}
	firsts[1], firsts[2] = firsts[2], firsts[1] // rows 8 further on come before columns further on
	split := func(list []string) (large, small []string) {
		for _, r := range list {
			s, ok := mx.e.splits[r]
			if !ok {
				s[0] = mx.Make(text.Word, "cvt.rna.tf32.f32", r)
				rest := mx.Make(text.Float, "sub.rn.f32", r, mx.Make(text.Float, "mov.b32", s[0]))
				s[1] = mx.Make(text.Word, "cvt.rna.tf32.f32", rest)
				mx.e.splits[r] = s
			}
			large, small = append(large, s[0]), append(small, s[1])
		}
		return large, small
	}
	a, aRest := split(firsts)
	b, bRest := split(seconds)
	for _, f := range [][2][]string{{aRest, b}, {a, bRest}, {a, b}} {
		next := make([]string, 4)
		for i := range next {
			next[i] = mx.Fresh(text.Float)
		}
		mx.Op("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%s}, {%s}, {%s}, {%s};", strings.Join(next, ", "),
			strings.Join(f[0], ", "), strings.Join(f[1], ", "), strings.Join(sums, ", "))
		sums = next
	}
	return sums
}

// packed returns a register with both elements of a lane, of 16 bits each.
func (mx *matrices) packed(kind ir.Scalar, pair []ir.Value, as func([]ir.Value) []string) string {
	if r, ok := mx.e.packs[mx.loadedAs(pair[0])]; ok {
		return r
	}
	list := as(pair)
	typ := map[ir.Scalar]string{ir.Half16: "f16x2", ir.BFloat16: "bf16x2"}[kind]
	return mx.Make(text.Word, "cvt.rn."+typ+".f32", list[1], list[0])
}

// elementsOf returns the registers of elements, zeros where there are none.
func (mx *matrices) elementsOf(pair []ir.Value) []string {
	list := make([]string, len(pair))
	for i, v := range pair {
		if list[i] = "0f00000000"; v != 0 {
			list[i] = mx.e.reg(v)
		} else {
			list[i] = mx.Make(text.Float, "mov.f32", list[i])
		}
	}
	return list
}

// uniform reports whether elements are the same in all lanes.
func (mx *matrices) uniform(pair []ir.Value) bool {
	for _, v := range pair {
		if _, constant := mx.e.Bits(v); !constant && v != 0 {
			return false
		}
	}
	return true
}

// rows returns elements in the layout of rows.
func (mx *matrices) rows(pair []ir.Value) []string {
	list := mx.elementsOf(pair)
	if mx.uniform(pair) || mx.e.Layouts[pair[0]] == facts.RowLayout {
		return list
	}
	return mx.exchanged(list, mx.lanesOf("apple", [5]int{0, 3, 1, 2, 4}))
}

// setRows makes elements hold what is in the layout of rows.
func (mx *matrices) setRows(pair []ir.Value, list []string) {
	if mx.e.Layouts[pair[0]] != facts.RowLayout {
		list = mx.exchanged(list, mx.lanesOf("rows", [5]int{0, 2, 3, 1, 4}))
	}
	for i, v := range pair {
		if mx.e.regOf[v] == "" {
			mx.e.regOf[v] = list[i]
			continue
		}
		mx.Op("mov.f32 %s, %s;", mx.e.regOf[v], list[i])
	}
}

func (mx *matrices) exchanged(list []string, lane string) []string {
	var out []string
	for _, r := range list {
		out = append(out, mx.e.lanes.read(ir.F32, r, lane))
	}
	return out
}

// lanesOf returns a register with the number of the lane whose bits are moved: bit i comes to to[i].
func (mx *matrices) lanesOf(name string, to [5]int) string {
	return mx.Once("lanes of "+name, text.Word, func(r string) {
		lane := mx.e.grid.lane()
		mx.First("mov.u32 %s, 0;", r)
		for i, n := range to {
			bit := mx.Fresh(text.Word)
			mx.First("bfe.u32 %s, %s, %d, 1;", bit, lane, i)
			mx.First("shl.b32 %s, %s, %d;", bit, bit, n)
			mx.First("or.b32 %s, %s, %s;", r, r, bit)
		}
	})
}

// columns returns elements in the layout of columns: those of rows l%4*2 and the next one, which two lanes have.
func (mx *matrices) columns(pair []ir.Value) []string {
	list := mx.elementsOf(pair)
	if mx.uniform(pair) || mx.e.Layouts[pair[0]] == facts.ColumnLayout {
		return list
	}
	odd := mx.Once("odd column", text.Pred, func(r string) {
		bit := mx.Fresh(text.Word)
		mx.First("and.b32 %s, %s, 4;", bit, mx.e.grid.lane())
		mx.First("setp.ne.u32 %s, %s, 0;", r, bit)
	})
	var out []string
	for k := range 2 {
		// of Apple's lanes the bits 1, 2 and 4 are the row, and 0 and 3 the column without its last bit
		lane := mx.Once(fmt.Sprint("lanes of columns ", k), text.Word, func(r string) {
			mx.First("mov.u32 %s, %d;", r, k<<1)
			for _, move := range [][2]int{{0, 2}, {1, 4}, {3, 0}, {4, 3}} {
				bit := mx.Fresh(text.Word)
				mx.First("bfe.u32 %s, %s, %d, 1;", bit, mx.e.grid.lane(), move[0])
				mx.First("shl.b32 %s, %s, %d;", bit, bit, move[1])
				mx.First("or.b32 %s, %s, %s;", r, r, bit)
			}
		})
		x, y := mx.e.lanes.read(ir.F32, list[0], lane), mx.e.lanes.read(ir.F32, list[1], lane)
		out = append(out, mx.Make(text.Float, "selp.f32", y, x, odd))
	}
	return out
}

// How many threads a multiprocessor shall have at once where products wait for memory, how many threadgroups any takes,
// and how many sums a thread may keep from turn to turn of a loop for that: more do not fit into so few registers.
const (
	busyThreads = 1024
	maxBlocks   = 16
	maxSums     = 32
)

// blocks returns what the entry says of how many threadgroups a multiprocessor takes at once, if it is to say that.
func (mx *matrices) blocks() string {
	products := false
	for in := range mx.e.All() {
		switch {
		case in.Op == ir.OpMatrix:
			if mx.kindOf(in) == ir.Float32 {
				return ""
			}
			products = true
		case in.Op == ir.OpLoop:
			sums := 0
			for _, p := range in.Regions[0].Params {
				if mx.e.Type(p) == ir.F32 {
					sums++
				}
			}
			if sums > maxSums {
				return ""
			}
		}
	}
	if n := min(busyThreads/mx.e.Threads, maxBlocks); mx.e.tensor && products && n > 1 {
		return fmt.Sprintf(".minnctapersm %d\n", n)
	}
	return ""
}
