package kerneltest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Kernel is a random kernel, of the name "test".
type Kernel struct {
	Source string

	// The grid, as driver.Grid has it.
	Threadgroups, Threads, Size [3]int

	// Constants are the function constants that have a value, by index: an int, a bool and a uint.
	Constants map[int]uint32

	has map[Construct]bool
}

// Has reports whether the kernel has a construct.
func (k *Kernel) Has(c Construct) bool { return k.has[c] }

// The arguments of all kernels, in their order:
//
//	device uint* out          wordsOfThread for each thread
//	device const uint* in     Inputs
//	device atomic_uint* sums  Sums
//	constant P& p             4 uints
//	threadgroup uint* shared  SharedBytes
//	texture2d<float> image, texture2d<uint> cells, of Side x Side texels
const (
	wordsOfThread = 16
	Inputs        = 1024
	Sums          = 16
	SharedBytes   = 16 << 10
	Side          = 8
)

// New returns the kernel of a seed. It has all constructs, or only those that it had before there were tables of
// constants, stores of less or more than a word, and loops along rows: then a seed that once failed makes the same.
func New(seed uint64, all bool) *Kernel {
	w := &writer{random: rand.New(rand.NewPCG(seed, 0)), kernel: &Kernel{has: map[Construct]bool{}}}
	w.kernel.Constants = map[int]uint32{}
	w.grid()
	w.all = all
	w.kernel.Source = w.write()
	return w.kernel
}

// Count returns the number of threads.
func (k *Kernel) Count() int {
	n := 1
	for i, size := range k.Size {
		if size == 0 {
			size = k.Threadgroups[i] * k.Threads[i]
		}
		n *= size
	}
	return n
}

// Arguments are what the buffers hold before a call.
type Arguments struct {
	Out, In, Sums []uint32
	Params        [4]uint32
	Image         []float32 // texels of four components
	Cells         []uint32
}

// Arguments returns arguments for a call, always the same ones.
func (k *Kernel) Arguments() *Arguments {
	r := rand.New(rand.NewPCG(1, uint64(k.Count())))
	a := &Arguments{
		Out: make([]uint32, wordsOfThread*k.Count()), In: make([]uint32, Inputs), Sums: make([]uint32, Sums),
		Image: make([]float32, 4*Side*Side), Cells: make([]uint32, 4*Side*Side),
	}
	for i := range a.Out {
		a.Out[i] = awkward(r)
	}
	for i := range a.In {
		a.In[i] = awkward(r)
	}
	for i := range a.Params {
		a.Params[i] = uint32(i + 2)
	}
	for i := range a.Image {
		a.Image[i], a.Cells[i] = float32(r.IntN(4096))/512-2, awkward(r)
	}
	return a
}

// awkward returns a number, often one at which something changes.
func awkward(r *rand.Rand) uint32 {
	switch r.IntN(4) {
	case 0:
		return edges[r.IntN(len(edges))]
	case 1:
		return r.Uint32N(64)
	case 2: // floats from 0.5 to 8
		return 0x3f000000 + r.Uint32N(0x02000000)
	}
	return r.Uint32()
}

var edges = []uint32{
	0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
	0xfffffffe, 0xffffffff, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7f7fffff, 0x4f000000, 0xcf000000,
	0x40490fdb, 0x12345678, 0xdeadbeef,
}

// grid chooses the grid.
func (w *writer) grid() {
	k := w.kernel
	k.Threadgroups, k.Threads = [3]int{1 + w.random.IntN(4), 1, 1}, [3]int{pick(w, 32, 64, 64, 96, 128), 1, 1}
	w.whole = true
	switch w.random.IntN(6) {
	case 0:
		w.has(Grid3)
		k.Threadgroups = [3]int{1 + w.random.IntN(2), 1 + w.random.IntN(2), 1 + w.random.IntN(2)}
		k.Threads = pick(w, [3]int{8, 4, 2}, [3]int{32, 2, 2}, [3]int{16, 2, 1}, [3]int{4, 4, 4}, [3]int{64, 1, 2})
		w.flat = false
	case 1:
		w.has(Grid3)
		k.Threads = pick(w, [3]int{7, 5, 1}, [3]int{3, 3, 5}, [3]int{33, 1, 2}, [3]int{20, 3, 1})
		k.Threadgroups[1] = 1 + w.random.IntN(2)
		w.whole = false
	case 2:
		k.Threads[0] = pick(w, 1, 5, 31, 33, 40, 63, 100)
		w.flat, w.whole = true, false
	default:
		w.flat = true
	}
	if w.one(4) {
		w.has(Ragged)
		for i := range k.Size {
			k.Size[i] = max(1, k.Threadgroups[i]*k.Threads[i]-w.random.IntN(k.Threads[i]))
		}
		w.whole = false
	}
	if !w.whole {
		w.has(PartialSimdgroup)
	}
}

// write writes the source.
func (w *writer) write() string {
	var b strings.Builder
	b.WriteString(prelude)
	w.out = &b
	w.functionConstants()
	if w.all {
		constantTables(w)
	}
	w.functions()
	w.body()
	return b.String()
}

const prelude = `struct P { uint a, b, c, d; };
union U { float f; uint u; uchar b[4]; ushort h[2]; };
inline uint bits(float x) { return x != x ? 0x7fc00000u : as_type<uint>(x); }
template <typename T> T number(T x) { return x != x ? T(1) : x; }
`

// functionConstants declares function constants, some of which have a value.
func (w *writer) functionConstants() {
	if !w.one(3) {
		return
	}
	w.has(FunctionConstant)
	w.line("constant int FI [[function_constant(0)]];")
	w.line("constant bool FB [[function_constant(1)]];")
	w.line("constant uint FU [[function_constant(2)]];")
	w.line("constant uint FD = is_function_constant_defined(FU) ? FU : 5u;")
	w.kernel.Constants[0] = awkward(w.random)
	w.kernel.Constants[1] = w.random.Uint32N(2)
	if w.one(2) {
		w.kernel.Constants[2] = w.random.Uint32N(9)
	}
	w.vars = append(w.vars,
		variable{"FI", intType, true}, variable{"FD", uintType, true}, variable{"FB", boolType, true})
}

// body writes the kernel.
func (w *writer) body() {
	position := "uint gid [[thread_position_in_grid]], uint total [[threads_per_grid]]"
	if !w.flat {
		position = "uint3 pos [[thread_position_in_grid]], uint3 size [[threads_per_grid]]"
	}
	w.line(`kernel void test(device uint* out [[buffer(0)]], device const uint* in [[buffer(1)]],
	device atomic_uint* sums [[buffer(2)]], constant P& p [[buffer(3)]], threadgroup uint* shared [[threadgroup(0)]],
	texture2d<float> image [[texture(0)]], texture2d<uint> cells [[texture(1)]], ` + position + `,
	uint tid [[thread_index_in_threadgroup]], uint lane [[thread_index_in_simdgroup]],
	uint sg [[simdgroup_index_in_threadgroup]], uint3 group [[threadgroup_position_in_grid]],
	uint3 tp [[thread_position_in_threadgroup]], uint3 per [[threads_per_threadgroup]]) {`)
	if !w.flat {
		w.line("uint gid = (pos.z * size.y + pos.y) * size.x + pos.x, total = size.x * size.y * size.z;")
		w.vars = append(w.vars, variable{"pos.x", uintType, true}, variable{"pos.y", uintType, true},
			variable{"pos.z", uintType, true})
	}
	w.line("uint members = per.x * per.y * per.z;")
	for _, name := range []string{"gid", "gid", "total", "tid", "lane", "sg", "group.x", "tp.x", "tp.y", "p.a", "p.d"} {
		w.vars = append(w.vars, variable{name, uintType, true})
	}
	w.packed = w.one(2)
	w.kernelBody, w.budget = true, 10+w.random.IntN(12)
	first := len(w.vars)
	for range 3 + w.random.IntN(4) {
		w.declare(pick(w, allTypes...))
	}
	w.phases()
	w.results(first)
	w.line("}")
}

// phases writes statements with barriers between, and then those that may return.
func (w *writer) phases() {
	for range w.random.IntN(3) {
		w.statements(1+w.random.IntN(3), 2)
		switch w.random.IntN(5) {
		case 0:
			w.exchange()
		case 1:
			w.exchangeInLoop()
		case 2:
			w.countTogether()
		case 3:
			w.matrices()
		case 4:
			w.shuffle()
		}
	}
	w.mayReturn = true
	w.statements(3+w.random.IntN(4), 3)
}

// results stores the variables of the kernel.
func (w *writer) results(first int) {
	n := 0
	for _, v := range w.vars[first:] {
		if v.fixed || n == wordsOfThread {
			continue
		}
		w.line(fmt.Sprintf("%s = %s;", w.word(n), w.asWord(v.name, v.typ)))
		n++
	}
}

// word returns a word of the thread in out.
func (w *writer) word(n int) string {
	if w.packed {
		return fmt.Sprintf("out[gid * %du + %du]", wordsOfThread, n)
	}
	return fmt.Sprintf("out[%du * total + gid]", n)
}

// asWord returns an expression of a type as a uint, all of whose bits count.
func (w *writer) asWord(x string, t *typ) string {
	switch {
	case t.float:
		return "bits(float(" + x + "))"
	case t.bits == 64:
		return fmt.Sprintf("(uint(%s) ^ uint((%s) >> 32) * 31u)", x, x)
	}
	return "uint(" + x + ")"
}
