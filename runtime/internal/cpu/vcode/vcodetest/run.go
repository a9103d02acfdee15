// Package vcodetest executes the instructions of a machine and compares them with what Go computes.
//
// Every Op that a machine does not lack is executed by itself, with operands in registers of their own and in the same
// ones, on edges and on random bits. reference.go has what each of them computes.
package vcodetest

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
)

// Where an argument of the code has what: operands, more of them, the result, and memory.
const (
	slotBytes  = 64
	slotA      = 0
	slotB      = 1
	slotC      = 2
	slotArgs   = 4
	slotResult = 24
	memoryAt   = 32 * slotBytes
	memorySize = 1024
	middle     = memorySize / 2
)

// argument is what code under test works on.
type argument [memoryAt + memorySize]byte

func (g *argument) words(slot, n int) []uint32 {
	return unsafe.Slice((*uint32)(unsafe.Pointer(&g[slot*slotBytes])), n)
}

func (g *argument) long(slot int) *uint64 { return (*uint64)(unsafe.Pointer(&g[slot*slotBytes])) }

func (g *argument) memory() []byte { return g[memoryAt:] }

// trial is an instruction with the values of its operands.
type trial struct {
	*vcode.Instr
	lanes   int
	a, b, c uint64     // general-purpose registers; b is Imm where there is none
	va, vb  []uint32   // vectors, and predicates as zeros and others
	vc      []uint32   //
	args    [][]uint32 // further ones
	mem     []byte     // at and around A
	jumps   bool       // whether it does
}

// Run tests a machine. load returns what runs its code with an argument.
func Run(t *testing.T, machine func() vcode.Machine, load func(code []byte) func(argument unsafe.Pointer) uint64) {
	for op := vcode.GMove; op < vcode.Ops; op++ {
		name := vcode.Infos[op].Name
		r, ok := references[op]
		switch {
		case machine().Traits().Lacks[op], apart[op]:
			continue
		case !ok:
			t.Errorf("nothing tests %s", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			h := &harness{t: t, op: op, r: &r, machine: machine, runnable: load}
			h.t.Helper()
			h.rand = rand.New(rand.NewPCG(uint64(op), 1))
			for _, imm := range orOne(r.imms) {
				if r.below && imm >= int64(machine().Traits().Lanes) {
					continue
				}
				for _, c := range orOne(r.conds) {
					for shared := range 5 {
						h.one(imm, c, shared)
					}
				}
			}
		})
	}
}

func orOne[T any](list []T) []T {
	if len(list) == 0 {
		return make([]T, 1)
	}
	return list
}

// apart are the instructions that others need, or that no machine has.
var apart = map[vcode.Op]bool{
	vcode.Jump: true, vcode.Bind: true, vcode.Enter: true, vcode.Return: true, vcode.PStore: true, vcode.PLoad: true,
	vcode.RowAddress: true, vcode.RowStore: true, vcode.GatherRow: true, vcode.GatherNear: true,
	vcode.ScatterRow: true, vcode.ScatterAlong: true, vcode.Fill: true,
	vcode.Scatter: true, vcode.Exchange: true, vcode.LaneOf: true, vcode.LanesWhere: true,
	vcode.TileAddress: true, vcode.TileLoad: true,
	vcode.TileStore: true, vcode.TileHeld: true, vcode.TileDrain: true,
	vcode.TexelRow: true, vcode.TexelsOut: true, vcode.TexelScatter: true, vcode.Fetch: true,
	vcode.Flush: true, vcode.FlushAll: true, vcode.Forget: true,
}

// harness executes one Op.
type harness struct {
	t        *testing.T
	op       vcode.Op
	r        *reference
	machine  func() vcode.Machine
	runnable func(code []byte) func(argument unsafe.Pointer) uint64
	rand     *rand.Rand

	m    vcode.Machine
	next [vcode.Classes]vcode.Reg // that is free
}

// The ways in which operands share registers.
const (
	apartAll = iota
	resultInA
	resultInB
	resultInC
	sameOperands
)

// register returns one that nothing has yet.
func (h *harness) register(c vcode.Class) vcode.Reg {
	file := c
	if c == vcode.P && h.m.Traits().Registers[vcode.P] == 0 {
		file = vcode.V
	}
	h.next[file]++
	if int(h.next[file]) > h.m.Traits().Registers[file] {
		h.t.Fatal("the machine has too few registers for the test")
	}
	return h.next[file]
}

func (h *harness) emit(in vcode.Instr) {
	t := h.m.Traits()
	for c, n := range t.Temps[in.Op] {
		for i := range n {
			in.T[c][i] = h.register(vcode.Class(c))
		}
	}
	h.m.Emit(&in)
}

// load makes a register what a slot has.
func (h *harness) load(r vcode.Reg, c vcode.Class, slot int) {
	at := int64(slot * slotBytes)
	switch c {
	case vcode.G:
		h.emit(vcode.Instr{Op: vcode.GLoad64, D: r, A: vcode.Run, Imm: at})
	case vcode.V:
		h.emit(vcode.Instr{Op: vcode.VLoad, D: r, A: vcode.Run, Imm: at})
	case vcode.P:
		before := h.next
		x, zero := h.register(vcode.V), h.register(vcode.V)
		h.emit(vcode.Instr{Op: vcode.VLoad, D: x, A: vcode.Run, Imm: at})
		h.emit(vcode.Instr{Op: vcode.VConst32, D: zero})
		compare := vcode.VCmp
		if h.r.longs {
			compare = vcode.VCmpQ
		}
		h.emit(vcode.Instr{Op: compare, Cond: vcode.Ne, D: r, A: x, B: zero})
		h.next = before
	}
}

// store stores a register to the slot of results.
func (h *harness) store(r vcode.Reg, c vcode.Class) {
	const at = slotResult * slotBytes
	switch c {
	case vcode.G:
		h.emit(vcode.Instr{Op: vcode.GStore64, A: vcode.Run, B: r, Imm: at})
	case vcode.V:
		h.emit(vcode.Instr{Op: vcode.VStore, A: vcode.Run, B: r, Imm: at})
	case vcode.P:
		yes, no := h.register(vcode.V), h.register(vcode.V)
		h.emit(vcode.Instr{Op: vcode.VConst32, D: yes, Imm: -1})
		h.emit(vcode.Instr{Op: vcode.VConst32, D: no})
		blend := vcode.VBlend
		if h.r.longResult {
			blend = vcode.VBlendQ
		}
		h.emit(vcode.Instr{Op: blend, D: yes, A: yes, B: no, C: r})
		h.emit(vcode.Instr{Op: vcode.VStore, A: vcode.Run, B: yes, Imm: at})
	}
}

// order makes words those of an instruction of its own, where a machine has one: they stay within each four, or come in
// pairs within each eight.
func (h *harness) order(words []uint32, kind uint32) {
	for i := range words {
		j := uint32(i)
		switch {
		case kind == 1 && i < 4:
			words[i] %= 4
		case kind == 1:
			words[i] = words[i&3] + j&^3
		case kind == 2 && i < 8:
			words[i] = words[i&^1]&^1%8 + j&1
		case kind == 2:
			words[i] = words[i&7] + j&^7
		}
	}
}

// one makes code of the instruction, and executes it some times.
func (h *harness) one(imm int64, cond vcode.Cond, shared int) {
	info := &vcode.Infos[h.op]
	h.m, h.next = h.machine(), [vcode.Classes]vcode.Reg{}
	lanes := h.m.Traits().Lanes
	in := vcode.Instr{Op: h.op, Imm: imm, Cond: cond}
	switch {
	case h.op == vcode.VStoreQuad || h.op == vcode.VLoadQuad:
		in.Imm2 = int64(h.rand.IntN(lanes / 4))
	case len(h.r.imms2) > 0:
		in.Imm2 = h.r.imms2[h.rand.IntN(len(h.r.imms2))]
	}
	if h.r.words > 0 {
		for range h.r.words {
			in.Words = append(in.Words, h.rand.Uint32())
		}
		if h.op == vcode.VPermWords {
			h.order(in.Words, uint32(shared%3))
		}
	}
	noB := info.B == vcode.G && h.r.immediate && h.rand.IntN(3) == 0
	if noB {
		in.Imm = int64(h.long())
		if h.r.fit != nil {
			b := uint64(in.Imm)
			h.r.fit(nil, &b)
			in.Imm = int64(b)
		}
	}
	reserve := func(c vcode.Class) vcode.Reg {
		if c == vcode.NoClass {
			return vcode.None
		}
		return h.register(c)
	}
	in.A = reserve(info.A)
	if !noB {
		in.B = reserve(info.B)
	}
	in.C = reserve(info.C)
	if shared == sameOperands {
		if info.A != info.B || noB || h.r.memory {
			return
		}
		in.B = in.A
	}
	if info.Args != vcode.NoClass {
		n := h.m.Traits().Parts()
		if h.op == vcode.VScatter32 {
			n = 1
		}
		for range n {
			in.Args = append(in.Args, h.register(info.Args))
		}
	}
	switch {
	case info.D == vcode.NoClass:
	case shared == resultInA && info.A == info.D:
		in.D = in.A
	case shared == resultInB && info.B == info.D && in.B != vcode.None:
		in.D = in.B
	case shared == resultInC && info.C == info.D:
		in.D = in.C
	case shared == apartAll || shared == sameOperands:
		in.D = h.register(info.D)
	default:
		return
	}
	h.m.Emit(&vcode.Instr{Op: vcode.Enter})
	if in.A != vcode.None {
		h.load(in.A, info.A, slotA)
	}
	if in.B != vcode.None && shared != sameOperands {
		h.load(in.B, info.B, slotB)
	}
	if in.C != vcode.None {
		h.load(in.C, info.C, slotC)
	}
	for i, r := range in.Args {
		h.load(r, info.Args, slotArgs+i)
	}
	jumped, end := h.m.Label(), h.m.Label()
	in.Target = jumped
	h.emit(in)
	if info.D != vcode.NoClass {
		h.store(in.D, info.D)
	}
	h.m.Emit(&vcode.Instr{Op: vcode.Return, Imm: 7})
	h.m.Emit(&vcode.Instr{Op: vcode.Bind, Target: jumped})
	one := h.register(vcode.G)
	h.m.Emit(&vcode.Instr{Op: vcode.GConst, D: one, Imm: 8})
	h.m.Emit(&vcode.Instr{Op: vcode.Jump, Target: end})
	h.m.Emit(&vcode.Instr{Op: vcode.Bind, Target: end})
	h.m.Emit(&vcode.Instr{Op: vcode.Return, A: one})
	code, err := h.m.Code()
	if err != nil {
		h.t.Fatal(err)
	}
	h.trials(in, lanes, shared == sameOperands, h.runnable(code))
}

// trials runs an instruction on many operands.
func (h *harness) trials(in vcode.Instr, lanes int, same bool, run func(argument unsafe.Pointer) uint64) {
	info := &vcode.Infos[h.op]
	arg := new(argument)
	for n := range 60 {
		for i := range memorySize / 8 {
			binary.LittleEndian.PutUint64(arg.memory()[8*i:], h.rand.Uint64())
		}
		for s := range slotResult {
			w := arg.words(s, lanes)
			for i := range w {
				w[i] = h.word(n)
			}
			if h.rand.IntN(2) == 0 {
				*arg.long(s) = h.long()
			}
		}
		memory := func(c vcode.Class, slot int) {
			switch {
			case c == vcode.G && slot == slotA && h.r.memory:
				*arg.long(slot) = uint64(uintptr(unsafe.Pointer(&arg[memoryAt+middle])))
			case c == vcode.P: // elements of 64 bits are the same in both halves
				w := arg.words(slot, lanes)
				for i := range w {
					w[i] = uint32(h.rand.IntN(2))
					if h.r.longs && i&1 == 1 {
						w[i] = w[i-1]
					}
				}
			}
		}
		memory(info.A, slotA)
		memory(info.B, slotB)
		memory(info.C, slotC)
		for i := range in.Args {
			memory(info.Args, slotArgs+i)
		}
		tr := &trial{Instr: &in, lanes: lanes}
		if h.r.fit != nil {
			h.r.fit(arg.words(slotB, lanes), arg.long(slotB))
		}
		if h.r.indexes {
			at := slotB
			if h.op == vcode.VScatter32 {
				at = slotArgs
			}
			for i := range arg.words(at, lanes) {
				n := int32(h.rand.IntN(memorySize-8) - middle)
				if h.r.even {
					n &^= 1
				}
				arg.words(at, lanes)[i] = uint32(n)
			}
			c := arg.words(slotC, lanes)
			for i := range c {
				if c[i] == 0 && !h.r.longs {
					arg.words(at, lanes)[i] = h.rand.Uint32()
				}
			}
		}
		if same {
			copy(arg[slotA*slotBytes:(slotA+1)*slotBytes], arg[slotB*slotBytes:])
		}
		if h.r.swaps && h.rand.IntN(2) == 0 {
			*arg.long(slotC) = uint64(binary.LittleEndian.Uint32(arg.memory()[middle:]))
		}
		if h.r.indexes && n == 0 { // where no element is active, none is at an address that memory has
			clear(arg.words(slotC, lanes))
			*arg.long(slotA) = 8
		}
		tr.a, tr.b, tr.c = *arg.long(slotA), *arg.long(slotB), *arg.long(slotC)
		if in.B == vcode.None && info.B == vcode.G {
			tr.b = uint64(in.Imm)
		}
		clone := func(slot int) []uint32 { return slices.Clone(arg.words(slot, lanes)) }
		tr.va, tr.vb, tr.vc = clone(slotA), clone(slotB), clone(slotC)
		for i := range in.Args {
			tr.args = append(tr.args, clone(slotArgs+i))
		}
		tr.mem = slices.Clone(arg.memory())
		if h.r.skip != nil && h.r.skip(tr) {
			continue
		}
		h.compare(tr, arg, run(unsafe.Pointer(arg)))
	}
}

// compare compares what an execution did with the reference.
func (h *harness) compare(tr *trial, arg *argument, returned uint64) {
	info := &vcode.Infos[h.op]
	want := make([]uint32, tr.lanes)
	wantLong := h.r.compute(tr, want)
	text := func() string {
		return fmt.Sprintf("%s %d cond %d [D %d A %d B %d C %d]: a %#x %#x, b %#x %#x, c %#x, args %#x", info.Name,
			tr.Imm, tr.Cond, tr.D, tr.A, tr.B, tr.C, tr.a, tr.va, tr.b, tr.vb, tr.vc, tr.args)
	}
	if wantReturn := map[bool]uint64{false: 7, true: 8}[tr.jumps]; returned != wantReturn {
		h.t.Fatalf("%s\nreturned %d, want %d", text(), returned, wantReturn)
	}
	if !slices.Equal(tr.mem, arg.memory()) {
		h.t.Fatalf("%s\nmemory differs", text())
	}
	switch {
	case tr.jumps || info.D == vcode.NoClass:
	case info.D == vcode.G:
		if got := *arg.long(slotResult); got != wantLong {
			h.t.Fatalf("%s\n got %#x\nwant %#x", text(), got, wantLong)
		}
	default:
		got := arg.words(slotResult, tr.lanes)
		for i := range want {
			if (got[i]^want[i])<<h.r.unknown != 0 && !h.r.bothNaN(got, want, i) {
				h.t.Fatalf("%s\n got %#x\nwant %#x", text(), got, want)
			}
		}
	}
}

// bothNaN reports whether element i is a NaN: any will do.
func (r *reference) bothNaN(got, want []uint32, i int) bool {
	isNaN := func(w []uint32) bool {
		switch r.floats {
		case 16:
			return w[i]&0x7c00 == 0x7c00 && w[i]&0x3ff != 0
		case 32:
			f := math.Float32frombits(w[i])
			return f != f
		case 64:
			f := math.Float64frombits(longsOf(w)[i/2])
			return f != f
		}
		return false
	}
	return isNaN(got) && isNaN(want)
}

// edges are numbers and floats where something changes.
var edges = []uint32{
	0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000,
	0x80000001, 0xffffffff, 0xfffffffe, 0xffffff80, 0xffff8000,
	0x3f800000, 0xbf800000, 0x3f000000, 0x3fc00000, 0x40200000, 0xc0200000, 0x4b000001, 0x4effffff, 0x4f000000,
	0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0x7f800001,
	0xff800001, 0x00800000, 0x007fffff, 0x477fe000, 0x477ff000, 0x477fefff, 0x33800000, 0x33000000, 0x33000001,
	0x38800000, 0x387fffff, 0x38801000,
}

// word returns an edge, a small number, a float of a common size, or any bits.
func (h *harness) word(n int) uint32 {
	switch h.rand.IntN(4) {
	case 0:
		return edges[h.rand.IntN(len(edges))]
	case 1:
		return uint32(h.rand.IntN(64) - 16)
	case 2:
		return math.Float32bits(float32(h.rand.NormFloat64()) * float32(int(1)<<(n%40)))
	}
	return h.rand.Uint32()
}

// long returns an edge or any bits.
func (h *harness) long() uint64 {
	switch h.rand.IntN(4) {
	case 0:
		return uint64(int64(int32(edges[h.rand.IntN(len(edges))])))
	case 1:
		return 1 << h.rand.IntN(64)
	case 2:
		return uint64(h.rand.IntN(200) - 100)
	}
	return h.rand.Uint64()
}
