package asm

import (
	"bytes"
	"cmp"
	"debug/elf"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// instructions returns the constants of the package by the names of their types, but those of AVX2 alone.
func instructions(t *testing.T) map[string]map[string]uint64 {
	t.Helper()
	return constantsOf(t, "encode.go", "vector.go", "vector_one.go", "vector_move.go", "mask.go", "general.go")
}

// constantsOf returns those of some files.
func constantsOf(t *testing.T, names ...string) map[string]map[string]uint64 {
	t.Helper()
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	// what other files declare is not known, and not needed for constants
	config := types.Config{Error: func(error) {}}
	p, _ := config.Check("asm", set, files, nil)
	all := make(map[string]map[string]uint64)
	for _, name := range p.Scope().Names() {
		c, ok := p.Scope().Lookup(name).(*types.Const)
		if !ok {
			continue
		}
		if shape, ok := c.Type().(*types.Named); ok {
			value, ok := constant.Uint64Val(c.Val())
			if !ok {
				t.Fatalf("%s has no value", name)
			}
			if all[shape.Obj().Name()] == nil {
				all[shape.Obj().Name()] = make(map[string]uint64)
			}
			all[shape.Obj().Name()][name] = value
		}
	}
	return all
}

// form is an instruction with operands.
type form struct {
	text string // for the system's assembler, in Intel's syntax
	code []byte
}

// former makes forms of an instruction.
type former struct {
	t     *testing.T
	rand  *rand.Rand
	forms []form
	vex   bool // in the encoding of AVX2
}

// add assembles what encode appends, and keeps it with its text.
func (f *former) add(text string, encode func(a *Assembler)) {
	f.t.Helper()
	var a Assembler
	encode(&a)
	if a.err != nil {
		f.t.Fatalf("%s: %v", text, a.err)
	}
	f.forms = append(f.forms, form{text, a.bytes})
}

var names64 = strings.Fields("rax rcx rdx rbx rsp rbp rsi rdi r8 r9 r10 r11 r12 r13 r14 r15")

// gp returns the name of a register of some bits.
func gp(g GP, size int) string {
	name := names64[g]
	switch {
	case size == 64:
		return name
	case g >= R8:
		return name + map[int]string{32: "d", 16: "w", 8: "b"}[size]
	case size == 32:
		return "e" + name[1:]
	case size == 16:
		return name[1:]
	case g >= RSP:
		return name[1:] + "l"
	}
	return name[1:2] + "l"
}

// vector returns the name of a register of some bytes, which are at least 16.
func vector(v V, size int32) string {
	return fmt.Sprintf("%cmm%d", "xyz"[max(size, 16)/32], v)
}

func mask(k K) string { return fmt.Sprintf("k%d", k) }

var sizes = map[int32]string{
	1: "byte", 2: "word", 4: "dword", 8: "qword", 16: "xmmword", 32: "ymmword", 64: "zmmword",
}

// memory returns the text of memory of some bytes. Of 0 bytes, the assembler knows how many there are.
func memory(m Mem, size int32) string {
	s := "[" + gp(m.Base, 64)
	if m.Scale > 0 {
		s += fmt.Sprintf("+%s*%d", gp(m.Index, 64), m.Scale)
	}
	if m.Disp != 0 {
		s += fmt.Sprintf("%+d", m.Disp)
	}
	s += "]"
	if size > 0 {
		s = sizes[size] + " ptr " + s
	}
	return s
}

// anyMem returns memory, more often than not with a register or a displacement that is encoded
// in a way of its own.
func (f *former) anyMem(unit int32) Mem {
	m := Mem{Base: GP(f.rand.IntN(16))}
	if f.rand.IntN(2) == 0 {
		m.Base = []GP{RSP, RBP, R12, R13}[f.rand.IntN(4)]
	}
	if f.rand.IntN(2) == 0 {
		m.Scale = 1 << f.rand.IntN(4)
		for m.Index = RSP; m.Index == RSP; {
			m.Index = GP(f.rand.IntN(16))
		}
		if f.rand.IntN(8) == 0 {
			m.Index = R12
		}
	}
	displacements := []int32{
		0, 0, 1, -1, 127, 128, -128, -129, unit, -unit, 127 * unit, 128 * unit, -128 * unit, -129 * unit, 3*unit + 1,
		1<<31 - 1, -1 << 31, f.rand.Int32N(1 << 20),
	}
	m.Disp = displacements[f.rand.IntN(len(displacements))]
	if m.Scale == 1 && (m.Base == RSP || m.Index == RSP) {
		m.Scale = 2 // the assembler would exchange them
	}
	return m
}

func (f *former) gp() GP { return GP(f.rand.IntN(16)) }

func (f *former) v() V {
	if f.vex {
		return V(f.rand.IntN(16))
	}
	return V(f.rand.IntN(32))
}

func (f *former) k() K { return K(f.rand.IntN(8)) }

// x returns a vector register as long as memory, or memory, or where it can be a broadcast.
func (f *former) x(op uint64) (X, string) {
	choice := f.rand.IntN(4)
	if f.vex && op&rmDst != 0 {
		choice = 0
	}
	switch choice {
	case 0, 1:
		v := f.v()
		return v, vector(v, unitOf(op, false))
	case 2:
		if op&(b4|b8) != 0 {
			unit := int32(4)
			if op&b8 != 0 {
				unit = 8
			}
			m := f.anyMem(unit)
			return m.Broadcast(), fmt.Sprintf("%s{1to%d}", memory(m, unit), unitOf(op, false)/unit)
		}
	}
	m := f.anyMem(unitOf(op, false))
	return m, memory(m, unitOf(op, false))
}

// masks returns an instruction with and without masks, where it takes some, and their texts.
func (f *former) masks(op uint64, zero bool) (uint64, string) {
	if f.vex {
		return op, ""
	}
	k := 1 + K(f.rand.IntN(7))
	switch choice := f.rand.IntN(3); {
	case op&needsMask != 0 || choice == 1:
		return uint64(Mask(VVX(op), k)), fmt.Sprintf("{k%d}", k)
	case choice == 2 && zero:
		return uint64(Zero(VVX(op), k)), fmt.Sprintf("{k%d}{z}", k)
	}
	return op, ""
}

// length returns the bytes of an instruction's vectors.
func length(op uint64) int32 { return 16 << (op / l256 & 3) }

// endings tell apart the encodings that share a name.
var endings = []string{"_ST", "_I", "_G", "_N", "_CL", "_TOG"}

// mnemonic returns the assembler's name of an instruction.
func mnemonic(name string) string {
	for _, e := range endings {
		name = strings.TrimSuffix(name, e)
	}
	return strings.ToLower(name)
}

// name returns the assembler's name of an instruction on vectors, with the encoding.
func (f *former) name(name string) string {
	if !f.vex {
		return "{evex} " + mnemonic(name)
	}
	return "{vex} " + cmp.Or(namesVEX[name], mnemonic(name))
}

// namesVEX are the names of instructions that have others in the encoding of AVX2.
var namesVEX = map[string]string{
	"VMOVDQU32": "{load} vmovdqu", "VMOVUPS": "{load} vmovups",
	"VPANDD": "vpand", "VPANDND": "vpandn", "VPORD": "vpor", "VPXORD": "vpxor",
	"VRNDSCALEPS": "vroundps", "VRNDSCALEPD": "vroundpd", "VCMPPS_V": "vcmpps", "VPERM128": "vperm2i128",
	"VEXTRACTI32X4": "vextracti128", "VINSERTI32X4": "vinserti128",
	"VCMPEQD": "vpcmpeqd", "VCMPEQQ": "vpcmpeqq", "VCMPGTD": "vpcmpgtd", "VCMPGTQ": "vpcmpgtq",
}

// shorter are the conversions whose result has half the bytes of what memory holds.
var shorter = strings.Fields("VCVTPD2PS VCVTPD2DQ VCVTPD2UDQ VCVTTPD2DQ VCVTTPD2UDQ VCVTQQ2PS VCVTUQQ2PS")

// least has the instructions that do not exist for the shortest vectors, and the least bytes.
var least = map[string]int32{
	"VBROADCASTSD": 32, "VBROADCASTF32X4": 32, "VBROADCASTI32X4": 32, "VBROADCASTF64X4": 64, "VBROADCASTI64X4": 64,
	"VPERMD": 32, "VPERMQ": 32, "VPERMPS": 32, "VPERMPD": 32, "VPERMQ_I": 32, "VPERMPD_I": 32,
	"VSHUFF32X4": 32, "VSHUFF64X2": 32, "VSHUFI32X4": 32, "VSHUFI64X2": 32,
	"VINSERTF32X4": 32, "VINSERTI32X4": 32, "VINSERTF64X4": 64, "VINSERTI64X4": 64,
	"VEXTRACTF32X4": 32, "VEXTRACTI32X4": 32, "VEXTRACTF64X4": 64, "VEXTRACTI64X4": 64,
}

// lengthsOf returns an instruction for all lengths that it has.
func lengthsOf(name string, op uint64) []uint64 {
	if op&l512 == 0 {
		return []uint64{op}
	}
	ops := []uint64{op}
	if least[name] <= 32 {
		ops = append(ops, uint64(Len256(VVX(op))))
	}
	if least[name] <= 16 {
		ops = append(ops, uint64(Len128(VVX(op))))
	}
	return ops
}

// width splits a general-purpose instruction into its name and the bits of its operands.
func width(name string) (string, int) {
	s := mnemonic(name)
	switch {
	case strings.HasSuffix(s, "q"):
		return s[:len(s)-1], 64
	case strings.HasSuffix(s, "w"):
		return s[:len(s)-1], 16
	case strings.HasSuffix(s, "b"):
		return s[:len(s)-1], 8
	}
	return strings.TrimSuffix(s, "l"), 32
}

// r returns a general-purpose register or memory of some bits.
func (f *former) r(size int) (R, string) {
	if f.rand.IntN(2) == 0 || f.vex && size == 64 { // of 64 bits in memory the assembler takes another form
		g := f.gp()
		return g, gp(g, size)
	}
	m := f.anyMem(int32(size / 8))
	return m, memory(m, int32(size/8))
}

// destination returns the first operand of an instruction on vectors.
func (f *former) destination(name string, op uint64) (V, string) {
	d := f.v()
	size := length(op)
	if slices.Contains(shorter, name) {
		size /= 2
	}
	return d, vector(d, size)
}

// extended are the instructions that extend integers, with the bits of their operands.
var extended = map[string]struct {
	name     string
	to, from int
}{
	"MOVZXB": {"movzx", 32, 8}, "MOVZXW": {"movzx", 32, 16},
	"MOVSXBL": {"movsx", 32, 8}, "MOVSXBQ": {"movsx", 64, 8}, "MOVSXWL": {"movsx", 32, 16},
	"MOVSXWQ": {"movsx", 64, 16}, "MOVSXD": {"movsxd", 64, 32},
}

// shapes has, for each type of instructions, what adds one form of an instruction.
var shapes = map[string]func(f *former, name string, op uint64){
	"VVX": func(f *former, name string, op uint64) {
		op, k := f.masks(op, true)
		d, ds := f.destination(name, op)
		x := f.v()
		y, ys := f.x(op)
		f.add(fmt.Sprintf("%s %s%s, %s, %s", f.name(name), ds, k, vector(x, length(op)), ys),
			func(a *Assembler) { VVX(op).Put(a, d, x, y) })
	},
	"VVXI": func(f *former, name string, op uint64) {
		op, k := f.masks(op, true)
		d, ds := f.destination(name, op)
		x, i := f.v(), f.rand.IntN(256)
		y, ys := f.x(op)
		f.add(fmt.Sprintf("%s %s%s, %s, %s, %d", f.name(name), ds, k, vector(x, length(op)), ys, i),
			func(a *Assembler) { VVXI(op).Put(a, d, x, y, uint8(i)) })
	},
	"VX": func(f *former, name string, op uint64) {
		op, k := f.masks(op, true)
		d, ds := f.destination(name, op)
		x, xs := f.x(op)
		f.add(fmt.Sprintf("%s %s%s, %s", f.name(name), ds, k, xs),
			func(a *Assembler) { VX(op).Put(a, d, x) })
	},
	"VXI": func(f *former, name string, op uint64) {
		op, k := f.masks(op, true)
		d, ds := f.destination(name, op)
		x, xs := f.x(op)
		i := f.rand.IntN(256)
		f.add(fmt.Sprintf("%s %s%s, %s, %d", f.name(name), ds, k, xs, i),
			func(a *Assembler) { VXI(op).Put(a, d, x, uint8(i)) })
	},
	"XV": func(f *former, name string, op uint64) {
		d, ds := f.x(op)
		_, register := d.(V)
		op, k := f.masks(op, register)
		v := f.v()
		f.add(fmt.Sprintf("{store} %s %s%s, %s", f.name(name), ds, k, vector(v, length(op))),
			func(a *Assembler) { XV(op).Put(a, d, v) })
	},
	"XVI": func(f *former, name string, op uint64) {
		d, ds := f.x(op)
		_, register := d.(V)
		op, k := f.masks(op, register)
		v, i := f.v(), f.rand.IntN(256)
		f.add(fmt.Sprintf("%s %s%s, %s, %d", f.name(name), ds, k, vector(v, length(op)), i),
			func(a *Assembler) { XVI(op).Put(a, d, v, uint8(i)) })
	},
	"VM": func(f *former, name string, op uint64) {
		op, k := f.masks(op, true)
		d, ds := f.destination(name, op)
		m := f.anyMem(unitOf(op, false))
		f.add(fmt.Sprintf("%s %s%s, %s", f.name(name), ds, k, memory(m, unitOf(op, false))),
			func(a *Assembler) { VM(op).Put(a, d, m) })
	},
	"VN": func(f *former, name string, op uint64) {
		f.vectored(name, op, func(a *Assembler, op uint64, v V, m Vectored) { VN(op).Put(a, v, m) })
	},
	"NV": func(f *former, name string, op uint64) {
		f.vectored(name, op, func(a *Assembler, op uint64, v V, m Vectored) { NV(op).Put(a, m, v) })
	},
	"VR": func(f *former, name string, op uint64) {
		d, size := f.v(), int(unitOf(op, false)*8)
		r, rs := f.r(size)
		f.add(fmt.Sprintf("%s %s, %s", f.name(name), vector(d, 16), rs),
			func(a *Assembler) { VR(op).Put(a, d, r) })
	},
	"RV": func(f *former, name string, op uint64) {
		v, size := f.v(), int(unitOf(op, false)*8)
		r, rs := f.r(size)
		f.add(fmt.Sprintf("%s %s, %s", f.name(name), rs, vector(v, 16)),
			func(a *Assembler) { RV(op).Put(a, r, v) })
	},
	"VG": func(f *former, name string, op uint64) {
		op, k := f.masks(op, true)
		d, g, size := f.v(), f.gp(), 32
		if op&w1 != 0 {
			size = 64
		}
		f.add(fmt.Sprintf("%s %s%s, %s", f.name(name), vector(d, length(op)), k, gp(g, size)),
			func(a *Assembler) { VG(op).Put(a, d, g) })
	},
	"KVX": func(f *former, name string, op uint64) {
		op, k := f.masks(op, false)
		d, x := f.k(), f.v()
		y, ys := f.x(op)
		f.add(fmt.Sprintf("%s %s%s, %s, %s", f.name(name), mask(d), k, vector(x, length(op)), ys),
			func(a *Assembler) { KVX(op).Put(a, d, x, y) })
	},
	"KVXI": func(f *former, name string, op uint64) {
		op, k := f.masks(op, false)
		d, x, i := f.k(), f.v(), f.rand.IntN(32)
		y, ys := f.x(op)
		f.add(fmt.Sprintf("%s %s%s, %s, %s, %d", f.name(name), mask(d), k, vector(x, length(op)), ys, i),
			func(a *Assembler) { KVXI(op).Put(a, d, x, y, uint8(i)) })
	},
	"KXI": func(f *former, name string, op uint64) {
		op, k := f.masks(op, false)
		d, i := f.k(), f.rand.IntN(256)
		x, xs := f.x(op)
		f.add(fmt.Sprintf("%s %s%s, %s, %d", f.name(name), mask(d), k, xs, i),
			func(a *Assembler) { KXI(op).Put(a, d, x, uint8(i)) })
	},
	"KKK": func(f *former, name string, op uint64) {
		d, x, y := f.k(), f.k(), f.k()
		f.add(fmt.Sprintf("%s %s, %s, %s", mnemonic(name), mask(d), mask(x), mask(y)),
			func(a *Assembler) { KKK(op).Put(a, d, x, y) })
	},
	"KK": func(f *former, name string, op uint64) {
		d, x := f.k(), f.k()
		f.add(fmt.Sprintf("%s %s, %s", mnemonic(name), mask(d), mask(x)), func(a *Assembler) { KK(op).Put(a, d, x) })
	},
	"KKI": func(f *former, name string, op uint64) {
		d, x, i := f.k(), f.k(), f.rand.IntN(64)
		f.add(fmt.Sprintf("%s %s, %s, %d", mnemonic(name), mask(d), mask(x), i),
			func(a *Assembler) { KKI(op).Put(a, d, x, uint8(i)) })
	},
	"KW": func(f *former, name string, op uint64) {
		d, k, m := f.k(), f.k(), f.anyMem(1)
		if f.rand.IntN(2) == 0 {
			f.add(fmt.Sprintf("%s %s, %s", mnemonic(name), mask(d), mask(k)), func(a *Assembler) { KW(op).Put(a, d, k) })
			return
		}
		f.add(fmt.Sprintf("%s %s, %s", mnemonic(name), mask(d), memory(m, 0)),
			func(a *Assembler) { KW(op).Put(a, d, m) })
	},
	"MK": func(f *former, name string, op uint64) {
		k, m := f.k(), f.anyMem(1)
		f.add(fmt.Sprintf("%s %s, %s", mnemonic(name), memory(m, 0), mask(k)),
			func(a *Assembler) { MK(op).Put(a, m, k) })
	},
	"KG": func(f *former, name string, op uint64) {
		d, g := f.k(), f.gp()
		_, size := width(name)
		f.add(fmt.Sprintf("%s %s, %s", mnemonic(name), mask(d), gp(g, max(size, 32))),
			func(a *Assembler) { KG(op).Put(a, d, g) })
	},
	"GK": func(f *former, name string, op uint64) {
		d, k := f.gp(), f.k()
		_, size := width(name)
		f.add(fmt.Sprintf("%s %s, %s", mnemonic(name), gp(d, max(size, 32)), mask(k)),
			func(a *Assembler) { GK(op).Put(a, d, k) })
	},
	"GR": func(f *former, name string, op uint64) {
		s, to := width(name)
		from := to
		if e, ok := extended[name]; ok {
			s, to, from = e.name, e.to, e.from
		}
		d := f.gp()
		r, rs := f.r(from)
		f.add(fmt.Sprintf("{load} %s %s, %s", s, gp(d, to), rs), func(a *Assembler) { GR(op).Put(a, d, r) })
	},
	"GM": func(f *former, name string, op uint64) {
		s, size := width(name)
		d, m := f.gp(), f.anyMem(1)
		f.add(fmt.Sprintf("%s %s, %s", s, gp(d, size), memory(m, 0)), func(a *Assembler) { GM(op).Put(a, d, m) })
	},
	"MG": func(f *former, name string, op uint64) {
		s, size := width(name)
		g, m := f.gp(), f.anyMem(1)
		if s == "mov" {
			g |= 1 // of RAX and memory without registers there is a form of its own
		}
		f.add(fmt.Sprintf("%s %s, %s", s, memory(m, 0), gp(g, size)), func(a *Assembler) { MG(op).Put(a, m, g) })
	},
	"M": func(f *former, name string, op uint64) {
		m := f.anyMem(1)
		f.add(fmt.Sprintf("%s %s", mnemonic(name), memory(m, 0)), func(a *Assembler) { M(op).Put(a, m) })
	},
	"RI": func(f *former, name string, op uint64) {
		s, size := width(name)
		r, rs := f.r(size)
		i := f.number()
		if r == GP(RAX) { // which has forms of its own
			r, rs = RBX, gp(RBX, size)
		}
		f.add(fmt.Sprintf("%s %s, %d", s, rs, i), func(a *Assembler) { RI(op).Put(a, r, i) })
	},
	"MI": func(f *former, name string, op uint64) {
		_, size := width(name)
		m, i := f.anyMem(1), f.number()
		f.add(fmt.Sprintf("mov %s, %d", memory(m, int32(size/8)), i), func(a *Assembler) { MI(op).Put(a, m, i) })
	},
	"GRI": func(f *former, name string, op uint64) {
		s, size := width(name)
		r, rs := f.r(size)
		d, i := f.gp(), f.number()
		f.add(fmt.Sprintf("%s %s, %s, %d", s, gp(d, size), rs, i), func(a *Assembler) { GRI(op).Put(a, d, r, i) })
	},
	"RB": func(f *former, name string, op uint64) {
		s, size := width(name)
		r, rs := f.r(size)
		i := 2 + f.rand.IntN(62) // by 1 there are forms of its own
		f.add(fmt.Sprintf("%s %s, %d", s, rs, i), func(a *Assembler) { RB(op).Put(a, r, uint8(i)) })
	},
	"RO": func(f *former, name string, op uint64) {
		s, size := width(name)
		switch {
		case strings.HasSuffix(name, "_CL"):
			r, rs := f.r(size)
			f.add(fmt.Sprintf("%s %s, cl", s, rs), func(a *Assembler) { RO(op).Put(a, r) })
			return
		case name == "CALL" || name == "JMP":
			s, size = mnemonic(name), 64
		}
		r, rs := f.r(size)
		f.add(fmt.Sprintf("%s %s", s, rs), func(a *Assembler) { RO(op).Put(a, r) })
	},
	"GRG": func(f *former, name string, op uint64) {
		s, size := width(name)
		d, g := f.gp(), f.gp()
		r, rs := f.r(size)
		f.add(fmt.Sprintf("%s %s, %s, %s", s, gp(d, size), rs, gp(g, size)),
			func(a *Assembler) { GRG(op).Put(a, d, r, g) })
	},
	"GGR": func(f *former, name string, op uint64) {
		s, size := width(name)
		d, x := f.gp(), f.gp()
		r, rs := f.r(size)
		f.add(fmt.Sprintf("%s %s, %s, %s", s, gp(d, size), gp(x, size), rs),
			func(a *Assembler) { GGR(op).Put(a, d, x, r) })
	},
	"DR": func(f *former, name string, op uint64) {
		s, size := width(name)
		d := f.gp()
		r, rs := f.r(size)
		f.add(fmt.Sprintf("%s %s, %s", s, gp(d, size), rs), func(a *Assembler) { DR(op).Put(a, d, r) })
	},
	"G": func(f *former, name string, op uint64) {
		g := f.gp()
		f.add(fmt.Sprintf("%s %s", mnemonic(name), gp(g, 64)), func(a *Assembler) { G(op).Put(a, g) })
	},
	"O": func(f *former, name string, op uint64) {
		f.add(mnemonic(name), func(a *Assembler) { O(op).Put(a) })
	},
}

// number returns a number of 32 bits, often one at an edge.
func (f *former) number() int32 {
	edges := []int32{0, 1, -1, 127, 128, -128, -129, 1<<31 - 1, -1 << 31}
	if f.rand.IntN(3) == 0 {
		return f.rand.Int32() >> f.rand.IntN(31)
	}
	return edges[f.rand.IntN(len(edges))]
}

// vectored adds a form of a gather or scatter.
func (f *former) vectored(name string, op uint64, encode func(a *Assembler, op uint64, v V, m Vectored)) {
	op, k := f.masks(op, false)
	v := f.v()
	m := Vectored{Base: f.gp(), Index: f.v(), Scale: 1 << f.rand.IntN(4)}
	m.Disp = f.anyMem(unitOf(op, false)).Disp
	for m.Index == v {
		m.Index = f.v()
	}
	elements, indexes := length(op), length(op)
	switch rest := strings.TrimLeft(name, "VPGATHERSCD"); {
	case strings.HasSuffix(name, "DQ") || strings.HasSuffix(name, "DPD"):
		indexes /= 2
	case strings.HasSuffix(name, "QD") || strings.HasSuffix(name, "QPS"):
		elements /= 2
	case rest == name:
		f.t.Fatalf("%s is no gather or scatter", name)
	}
	memory := fmt.Sprintf("[%s+%s*%d%+d]", gp(m.Base, 64), vector(m.Index, indexes), m.Scale, m.Disp)
	text := fmt.Sprintf("%s %s%s, %s", mnemonic(name), vector(v, elements), k, memory)
	if strings.Contains(name, "SCATTER") {
		text = fmt.Sprintf("%s %s%s, %s", mnemonic(name), memory, k, vector(v, elements))
	}
	f.add(text, func(a *Assembler) { encode(a, op, v, m) })
}

func TestEveryInstructionIsEncodedAsTheSystemsAssemblerDoes(t *testing.T) {
	f := &former{t: t, rand: rand.New(rand.NewPCG(1, 2))}
	all := instructions(t)
	for _, shape := range slices.Sorted(maps.Keys(all)) {
		add := shapes[shape]
		if add == nil {
			if shape != "Condition" {
				t.Errorf("no test of instructions of type %s", shape)
			}
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(all[shape])) {
			for _, op := range lengthsOf(name, all[shape][name]) {
				for range 24 {
					add(f, name, op)
				}
			}
		}
	}
	for shape := range shapes {
		if all[shape] == nil {
			t.Errorf("there are no instructions of type %s", shape)
		}
	}
	f.conditionals()
	compareWithAssembler(t, f.forms)
}

func TestVectorsTooShortForAnInstructionAreAMistake(t *testing.T) {
	for shape, ops := range instructions(t) {
		for name, op := range ops {
			if op&l512 == 0 || op&needsMask != 0 {
				continue
			}
			for _, n := range []int32{16, 32, 64} {
				short := op&^lengths | uint64(n/32)*l256
				what := mistake(short, 0, 0, operand{})
				if (what != "") != (n < least[name]) {
					t.Errorf("%s %s of %d bytes: %q", shape, name, n, what)
				}
			}
		}
	}
}

// conditions are the assembler's names of conditions.
var conditions = strings.Fields("o no b ae e ne be a s ns p np l ge le g")

// conditionals adds what methods encode that have a condition, or choose among encodings.
func (f *former) conditionals() {
	for c := range Always {
		for range 8 {
			d := f.gp()
			r, rs := f.r(64)
			f.add(fmt.Sprintf("cmov%s %s, %s", conditions[c], gp(d, 64), rs), func(a *Assembler) { a.Move(c, d, r) })
			r32, rs := f.r(32)
			f.add(fmt.Sprintf("cmov%s %s, %s", conditions[c], gp(d, 32), rs), func(a *Assembler) { a.MoveL(c, d, r32) })
			r8, rs := f.r(8)
			f.add(fmt.Sprintf("set%s %s", conditions[c], rs), func(a *Assembler) { a.Set(c, r8) })
		}
	}
	for g := range R15 + 1 {
		f.add(fmt.Sprintf("mov %s, 0x7fffffff", gp(g, 32)), func(a *Assembler) { a.Number(g, 1<<31-1) })
		f.add(fmt.Sprintf("mov %s, 0xffffffff", gp(g, 32)), func(a *Assembler) { a.Number(g, 1<<32-1) })
		f.add(fmt.Sprintf("mov %s, -2", gp(g, 64)), func(a *Assembler) { a.Number(g, 1<<64-2) })
		f.add(fmt.Sprintf("movabs %s, 0x123456789abcdef0", gp(g, 64)),
			func(a *Assembler) { a.Number(g, 0x123456789abcdef0) })
	}
}

// slot is the bytes that each instruction is filled up to, so that a mistake moves no others.
const slot = 16

func compareWithAssembler(t *testing.T, forms []form) {
	t.Helper()
	var text strings.Builder
	for _, f := range forms {
		fmt.Fprintf(&text, "%s\n.balign %d, 0xcc\n", f.text, slot)
	}
	want := assemble(t, text.String())
	if len(want) != slot*len(forms) {
		t.Fatalf("the assembler makes %d bytes of %d instructions", len(want), len(forms))
	}
	wrong := 0
	for i, f := range forms {
		w := want[slot*i:][:slot]
		got := append(bytes.Clone(f.code), bytes.Repeat([]byte{0xcc}, slot)...)[:slot]
		if !bytes.Equal(got, w) {
			t.Errorf("%s\n got % x\nwant % x", f.text, got, w)
			if wrong++; wrong == 20 {
				t.Fatal("and maybe more")
			}
		}
	}
	t.Logf("%d instructions", len(forms))
}

// assemble returns what the system's assembler makes of a text.
func assemble(t *testing.T, text string) []byte {
	t.Helper()
	var as string
	for _, name := range []string{"x86_64-linux-gnu-as", "as"} {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		help, err := exec.Command(path, "--help").Output()
		if err == nil && bytes.Contains(help, []byte("-mevexlig")) {
			as = cmp.Or(as, path)
		}
	}
	if as == "" {
		t.Skip("there is no GNU assembler for amd64")
	}
	object := filepath.Join(t.TempDir(), "x.o")
	c := exec.Command(as, "--64", "-o", object, "-")
	c.Stdin = strings.NewReader(".intel_syntax noprefix\n" + text)
	if out, err := c.CombinedOutput(); err != nil {
		lines := bytes.Split(out, []byte("\n"))
		all := strings.Split(text, "\n")
		for _, line := range lines[:min(len(lines), 40)] {
			var n int
			if _, err := fmt.Sscanf(string(line), "{standard input}:%d:", &n); err == nil && n >= 2 {
				t.Logf("%s: %s", line, all[n-2])
			}
		}
		t.Fatalf("%s: %v", as, err)
	}
	file, err := elf.Open(object)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	code, err := file.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	return code
}
