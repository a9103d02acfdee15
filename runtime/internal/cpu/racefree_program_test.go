package cpu

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// The programs of the sanitizer's tests are made at random. What a thread touches depends on
// its indices only, so that a reference knows all accesses of all threads without running
// anything, see racefree_oracle_test.go. Where two of them race, the program gets a barrier
// there or loses one of them, until there is no race left.

// racer is a thread of a random program.
type racer struct {
	group, index int // in the grid and in the threadgroup
	count        int // of the threads of its threadgroup
	rounds       [3]int
}

// term is an expression of the indices of a thread. The threads of a simd-group or of a
// threadgroup have one value in common where it is as uniform as that.
type term struct {
	text    string
	uniform uniformity
	value   func(r *racer) int
}

type uniformity int

const (
	perThread uniformity = iota
	perSimdgroup
	perThreadgroup
)

// view is a way to touch memory: a part of an element of a type.
type view struct {
	element      string
	stride       int
	part         string
	offset, size int
	store        string // what to store, of a uint V
	load         string // a uint, of E
	changes      bool   // E += V
}

var racerViews = []view{
	{"uchar", 1, "", 0, 1, "uchar(V)", "uint(E)", true},
	{"ushort", 2, "", 0, 2, "ushort(V)", "uint(E)", true},
	{"uint", 4, "", 0, 4, "V", "E", true},
	{"half", 2, "", 0, 2, "half(V & 255u)", "uint(as_type<ushort>(E))", false},
	{"float", 4, "", 0, 4, "float(V)", "as_type<uint>(E)", false},
	{"ulong", 8, "", 0, 8, "ulong(V) << 20", "uint(E)", true},
	{"uchar2", 2, "", 0, 2, "uchar2(V)", "sum(uint2(E))", false},
	{"uint2", 8, "", 0, 8, "uint2(V)", "sum(E)", false},
	{"uint4", 16, "", 0, 16, "uint4(V)", "sum(E)", false},
	{"uint4", 16, ".yz", 4, 8, "uint2(V)", "sum(E)", false},
	{"uchar4", 4, ".w", 3, 1, "uchar(V)", "uint(E)", true},
	{"packed_uchar3", 3, "", 0, 3, "uchar3(V)", "uint3(E).y", false},
	{"packed_short3", 6, "", 0, 6, "short3(V)", "uint3(E).z", false},
	{"packed_float3", 12, "", 0, 12, "float3(V)", "as_type<uint3>(E).x", false},
	{"P", 8, "", 0, 8, "P{V, 1, 2, 3}", "sum(E)", false},
	{"P", 8, ".n", 0, 4, "V", "E", true},
	{"P", 8, ".h", 4, 2, "half(V & 7u)", "uint(as_type<ushort>(E))", false},
	{"P", 8, ".low", 6, 1, "uchar(V)", "uint(E)", true},
	{"P", 8, ".high", 7, 1, "uchar(V)", "uint(E)", true},
}

var (
	racerAtomic = view{"atomic_uint", 4, "", 0, 4, "", "", false}
	racerMatrix = view{"float", 4, "", 0, 256, "", "", false}
)

const racerHeading = `struct P { uint n; half h; uchar low, high; };
uint sum(uint2 v) { return v.x + v.y; }
uint sum(uint4 v) { return sum(v.xy) + sum(v.zw); }
uint sum(P p) { return p.n + p.low + p.high; }
kernel void test(device uint* d, threadgroup uint* s, device uint* out, device const uint* in,
	uint i [[thread_position_in_grid]], uint t [[thread_position_in_threadgroup]],
	uint g [[threadgroup_position_in_grid]], uint n [[threads_per_threadgroup]],
	uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]]) {
uint v = in[i];
simdgroup_float8x8 m = make_filled_simdgroup_matrix<float, 8>(2.0f);
`

// racerStep is a statement.
type racerStep struct {
	line int
	kind racerKind

	view   *view
	memory racerMemory
	at     term

	flags     int
	simdgroup bool // simdgroup_barrier

	when        term // of a branch or a loop
	depth       int  // of a loop
	body, other []*racerStep

	release, acquire string // the orders of the fences around the atomic, see racerFences
}

type racerKind int

const (
	racerReads racerKind = iota
	racerWrites
	racerChanges
	racerAdds
	racerAddsPlainly // what an atomic is without being one
	racerLoads
	racerLoadsMatrix
	racerStoresMatrix
	racerBarrier
	racerBranch
	racerLoop
	racerFills     // all threads write all of the threadgroup's memory together
	racerHandsOver // its body is for the threadgroup that comes last, by an atomic and fences
)

// racerFences are the orders of fences: the first three release, and the last three acquire.
var racerFences = []string{"release", "acq_rel", "seq_cst", "acquire"}

// racerMemory is threadgroup or device memory, after which two words are for threadgroups that
// hand over: how many have, and which one was last.
type racerMemory int

const (
	racerLocal racerMemory = iota
	racerGlobal
)

func (m racerMemory) name() string  { return [2]string{"s", "d"}[m] }
func (m racerMemory) space() string { return [2]string{"threadgroup", "device"}[m] }
func (m racerMemory) size() int     { return [2]int{racerShared, 8 << 10}[m] }
func (m racerMemory) flag() int     { return [2]int{program.MemThreadgroup, program.MemDevice}[m] }

const racerShared = 2 << 10

// racerProgram is a kernel with its grid.
type racerProgram struct {
	random  *rand.Rand
	groups  int
	threads int // of a threadgroup
	total   int
	input   []uint32
	body    []*racerStep
	last    int // the threadgroup that the reference has come last
}

func newRacerProgram(seed uint64) *racerProgram {
	p := &racerProgram{random: rand.New(rand.NewPCG(seed, 13))}
	p.groups, p.threads = 1+p.random.IntN(3), []int{32, 40, 64, 70, 96}[p.random.IntN(5)]
	p.total = p.groups * p.threads
	if p.one(4) { // fewer in the last threadgroup
		p.total -= p.random.IntN(p.threads)
	}
	for range p.total {
		p.input = append(p.input, p.random.Uint32N(256))
	}
	p.body = append(p.block(0, perThreadgroup, 8), p.block(0, perThreadgroup, 8)...)
	p.body = append([]*racerStep{{kind: racerFills}, {kind: racerBarrier, flags: program.MemThreadgroup}}, p.body...)
	if p.one(3) {
		p.body = append(p.body, &racerStep{kind: racerBarrier, flags: program.MemDevice}, &racerStep{
			kind: racerHandsOver, body: p.block(0, perThreadgroup, 4),
			release: racerFences[p.random.IntN(3)], acquire: racerFences[1+p.random.IntN(3)],
		})
	}
	p.mend()
	return p
}

func (p *racerProgram) one(n int) bool { return p.random.IntN(n) == 0 }

// block returns statements inside of some loops, which the threads go through together as far
// as it is uniform.
func (p *racerProgram) block(loops int, within uniformity, most int) (list []*racerStep) {
	for range 1 + p.random.IntN(most) {
		list = append(list, p.step(loops, within, most/2))
	}
	return list
}

func (p *racerProgram) step(loops int, within uniformity, most int) *racerStep {
	switch choice := p.random.IntN(14); {
	case choice == 0 && within > perThread:
		return p.barrier(within)
	case choice == 1 && most > 0 && loops < len(racer{}.rounds):
		s := &racerStep{kind: racerLoop, depth: loops, when: p.count()}
		s.body = p.block(loops+1, min(within, s.when.uniform), most)
		return s
	case choice <= 4 && most > 0:
		s := &racerStep{kind: racerBranch, when: p.condition(loops)}
		s.body = p.block(loops, min(within, s.when.uniform), most)
		if p.one(2) {
			s.other = p.block(loops, min(within, s.when.uniform), most)
		}
		return s
	case choice == 5 && within == perThreadgroup && p.threads%32 == 0 && p.total%32 == 0:
		s := &racerStep{kind: racerLoadsMatrix + racerKind(p.random.IntN(2)), view: &racerMatrix}
		s.memory = racerMemory(p.random.IntN(2))
		by := 16 * p.random.IntN(5)
		s.at = term{fmt.Sprintf("simd * %d", by), perSimdgroup, func(r *racer) int { return r.index / 32 * by }}
		if p.one(2) && s.memory == racerGlobal {
			s.at = term{fmt.Sprintf("(g * 3 + simd) * %d", by), perSimdgroup,
				func(r *racer) int { return (r.group*3 + r.index/32) * by }}
		}
		return s
	}
	s := &racerStep{memory: racerMemory(p.random.IntN(2)), view: &racerViews[p.random.IntN(len(racerViews))]}
	switch choice := p.random.IntN(8); {
	case choice < 2:
		s.kind, s.view = racerAdds, &racerAtomic
		if p.one(4) {
			s.kind = racerLoads
		}
	case choice < 5:
		s.kind = racerWrites
	case choice == 5 && s.view.changes:
		s.kind = racerChanges
	}
	s.at = p.index(loops, s.memory)
	return s
}

func (p *racerProgram) barrier(within uniformity) *racerStep {
	return &racerStep{kind: racerBarrier, flags: p.random.IntN(4), simdgroup: within < perThreadgroup || p.one(2)}
}

// roundOf is the counter of one of the loops around, or a constant.
func (p *racerProgram) roundOf(loops int) term {
	if loops == 0 || p.one(3) {
		c := p.random.IntN(4)
		return term{fmt.Sprint(c), perThreadgroup, func(*racer) int { return c }}
	}
	k := p.random.IntN(loops)
	return term{fmt.Sprintf("k%d", k), perThreadgroup, func(r *racer) int { return r.rounds[k] }}
}

func (p *racerProgram) index(loops int, m racerMemory) term {
	a, b, k := 1+p.random.IntN(4), p.random.IntN(40), p.roundOf(loops)
	list := []term{
		{"t", 0, func(r *racer) int { return r.index }},
		{fmt.Sprintf("t + %d", b), 0, func(r *racer) int { return r.index + b }},
		{fmt.Sprintf("t * %d + %s", a, k.text), 0, func(r *racer) int { return r.index*a + k.value(r) }},
		{fmt.Sprintf("n - 1 - t + %d", a), 0, func(r *racer) int { return r.count - 1 - r.index + a }},
		{fmt.Sprintf("t ^ %d", b), 0, func(r *racer) int { return r.index ^ b }},
		{fmt.Sprintf("t / %d + %s", a, k.text), 0, func(r *racer) int { return r.index/a + k.value(r) }},
		{fmt.Sprintf("t + %s * n", k.text), 0, func(r *racer) int { return r.index + k.value(r)*r.count }},
		{fmt.Sprintf("lane * %d + simd", a), 0, func(r *racer) int { return r.index%32*a + r.index/32 }},
		{fmt.Sprintf("in[i] %% %d", 1+b), 0, func(r *racer) int { return int(p.input[p.inGrid(r)]) % (1 + b) }},
		{fmt.Sprintf("t * %d %% 64", 2*a+1), 0, func(r *racer) int { return r.index * (2*a + 1) % 64 }},
		{fmt.Sprintf("simd + %s", k.text), 0, func(r *racer) int { return r.index/32 + k.value(r) }},
		{fmt.Sprintf("%d + %s", b, k.text), 0, func(r *racer) int { return b + k.value(r) }},
	}
	x := list[p.random.IntN(len(list))]
	if m == racerGlobal && !p.one(3) {
		of := x.value
		x = term{fmt.Sprintf("g * 500 + %s", x.text), 0, func(r *racer) int { return r.group*500 + of(r) }}
		if strings.Contains(x.text, "^") {
			x.text = strings.Replace(x.text, "t ^", "(t ^", 1) + ")"
		}
	} else if m == racerGlobal && p.one(3) {
		x = term{fmt.Sprintf("i * %d", a), 0, func(r *racer) int { return p.inGrid(r) * a }}
	}
	return x
}

// inGrid returns thread_position_in_grid.
func (p *racerProgram) inGrid(r *racer) int { return r.group*p.threads + r.index }

func (p *racerProgram) condition(loops int) term {
	a, b, k := 2+p.random.IntN(3), p.random.IntN(p.threads), p.roundOf(loops)
	truth := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	list := []term{
		{fmt.Sprintf("t < %d", b), perThread, func(r *racer) int { return truth(r.index < b) }},
		{fmt.Sprintf("t == %d", b), perThread, func(r *racer) int { return truth(r.index == b) }},
		{fmt.Sprintf("t %% %d == %s", a, k.text), perThread, func(r *racer) int { return truth(r.index%a == k.value(r)) }},
		{"in[i] & 1", perThread, func(r *racer) int { return int(p.input[p.inGrid(r)] & 1) }},
		{fmt.Sprintf("lane >= %d", b%32), perThread, func(r *racer) int { return truth(r.index%32 >= b%32) }},
		{fmt.Sprintf("simd == %d", b/32), perSimdgroup, func(r *racer) int { return truth(r.index/32 == b/32) }},
		{fmt.Sprintf("g == %d", b%3), perThreadgroup, func(r *racer) int { return truth(r.group == b%3) }},
		{fmt.Sprintf("%s == 1", k.text), perThreadgroup, func(r *racer) int { return truth(k.value(r) == 1) }},
	}
	return list[p.random.IntN(len(list))]
}

// count is how many rounds a loop has.
func (p *racerProgram) count() term {
	c := 1 + p.random.IntN(4)
	list := []term{
		{fmt.Sprint(c), perThreadgroup, func(*racer) int { return c }},
		{fmt.Sprintf("g + %d", c), perThreadgroup, func(r *racer) int { return r.group + c }},
		{fmt.Sprintf("simd + %d", c), perSimdgroup, func(r *racer) int { return r.index/32 + c }},
		{fmt.Sprintf("t %% %d", c), perThread, func(r *racer) int { return r.index % c }},
	}
	return list[p.random.IntN(len(list))]
}

// elements returns how many elements a view has in the memory of a step.
func (s *racerStep) elements() int { return (s.memory.size()-s.view.size)/s.view.stride + 1 }

// first returns the first byte that a thread touches.
func (s *racerStep) first(r *racer) int {
	return s.at.value(r)%s.elements()*s.view.stride + s.view.offset
}

// source returns the text of the program, and numbers its lines.
func (p *racerProgram) source() string {
	text := racerHeading
	emit := func(format string, args ...any) { text += fmt.Sprintf(format, args...) + "\n" }
	var block func(list []*racerStep)
	block = func(list []*racerStep) {
		for _, s := range list {
			s.line = strings.Count(text, "\n") + 1
			switch s.kind {
			case racerFills:
				emit("for (uint k = t; k < %d; k += n) s[k] = k;", racerShared/4)
			case racerBarrier:
				emit("%s", s.barrierText())
			case racerBranch:
				emit("if (%s) {", s.when.text)
				block(s.body)
				if s.other != nil {
					emit("} else {")
					block(s.other)
				}
				emit("}")
			case racerHandsOver:
				emit("if (t == 0) {")
				emit("atomic_thread_fence(mem_flags::mem_device, memory_order_%s, thread_scope_device);", s.release)
				emit("uint c = atomic_fetch_add_explicit((device atomic_uint*)d + %d, 1, memory_order_relaxed);",
					racerGlobal.size()/4)
				emit("atomic_thread_fence(mem_flags::mem_device, memory_order_%s, thread_scope_device);", s.acquire)
				emit("s[%d] = c == %d;", racerShared/4, p.groups-1)
				emit("if (s[%d] != 0) d[%d] = g;", racerShared/4, racerGlobal.size()/4+1)
				emit("}\nthreadgroup_barrier(mem_flags::mem_threadgroup);\nif (s[%d] != 0) {", racerShared/4)
				block(s.body)
				emit("}")
			case racerLoop:
				emit("for (uint k%d = 0; k%d < %s; k%d++) {", s.depth, s.depth, s.when.text, s.depth)
				block(s.body)
				emit("}")
			default:
				emit("%s", p.accessText(s))
			}
		}
	}
	block(p.body)
	return text + "out[i] = v;\n}\n"
}

func (s *racerStep) barrierText() string {
	name := "threadgroup_barrier"
	if s.simdgroup {
		name = "simdgroup_barrier"
	}
	return name + []string{
		"(mem_flags::mem_none);", "(mem_flags::mem_device);", "(mem_flags::mem_threadgroup);",
		"(mem_flags::mem_device | mem_flags::mem_threadgroup);",
	}[s.flags]
}

// accessText has an index without what keeps it in bounds where it always is.
func (p *racerProgram) accessText(s *racerStep) string {
	at := s.at.text
	if p.exceeds(s) {
		at = fmt.Sprintf("(%s) %% %d", at, s.elements())
	}
	pointer := fmt.Sprintf("((%s %s*)%s)", s.memory.space(), s.view.element, s.memory.name())
	place := fmt.Sprintf("%s[%s]%s", pointer, at, s.view.part)
	switch s.kind {
	case racerWrites:
		return place + " = " + strings.ReplaceAll(s.view.store, "V", "(v + 7)") + ";"
	case racerChanges:
		return place + " += 3;"
	case racerAdds:
		return fmt.Sprintf("atomic_fetch_add_explicit(&%s, 5, memory_order_relaxed);", place)
	case racerAddsPlainly:
		return fmt.Sprintf("((%s uint*)%s)[%s] += 5;", s.memory.space(), s.memory.name(), at)
	case racerLoads:
		return fmt.Sprintf("if (atomic_load_explicit(&%s, memory_order_relaxed) == 0xdeadbeef) v++;", place)
	case racerLoadsMatrix:
		return fmt.Sprintf("simdgroup_load(m, %s + %s, 8);", pointer, at)
	case racerStoresMatrix:
		return fmt.Sprintf("simdgroup_store(m, %s + %s, 8);", pointer, at)
	}
	return "v = v * 31 + " + strings.ReplaceAll(s.view.load, "E", place) + ";"
}

// exceeds reports whether the index of a step is out of bounds for some thread that comes to
// it.
func (p *racerProgram) exceeds(s *racerStep) bool {
	found := false
	p.each(func(r *racer) {
		p.last = r.group
		p.walk(r, func(at *racerStep) { found = found || at == s && s.at.value(r) >= s.elements() })
	})
	return found
}

// grid returns the grid that the program is for.
func (p *racerProgram) grid() driver.Grid {
	return driver.Grid{
		Threadgroups: [3]int{p.groups, 1, 1}, Threads: [3]int{p.threads, 1, 1}, Size: [3]int{p.total, 1, 1},
	}
}

// change replaces a statement by others.
func (p *racerProgram) change(s *racerStep, by ...*racerStep) {
	var edit func(list []*racerStep) []*racerStep
	edit = func(list []*racerStep) []*racerStep {
		if i := slices.Index(list, s); i >= 0 {
			return slices.Concat(list[:i], by, list[i+1:])
		}
		for _, in := range list {
			in.body, in.other = edit(in.body), edit(in.other)
		}
		return list
	}
	p.body = edit(p.body)
}
