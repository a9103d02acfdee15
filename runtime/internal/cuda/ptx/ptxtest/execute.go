package ptxtest

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/fmath"
)

// compile makes an instruction ready to be executed.
func (p *Program) compile(in *Instruction) step {
	s := step{guard: -1, negated: in.Negated, in: in}
	if in.Guard != "" {
		s.guard = p.Registers[in.Guard].Index
	}
	_, typ := formOf(in)
	switch in.Parts[0] {
	case "bra":
		s.kind, s.target = branchStep, p.Labels[in.Operands[0]]
	case "ret":
		s.kind = endStep
	case "barrier":
		s.kind = barrierStep
	case "bar", "vote", "shfl":
		if in.Parts[1] == "sync" && in.Parts[0] == "bar" {
			s.kind = barrierStep
			break
		}
		s.kind, s.mask = warpStep, p.operand(in.Operands[len(in.Operands)-1])
	case "mma", "ldmatrix":
		s.kind, s.mask = warpStep, operand{register: -1, bits: math.MaxUint32}
	case "fence":
		s.run = func(*thread) {}
	case "ld":
		s.run = p.load(in, typ)
	case "st":
		s.run = p.store(in, typ)
	case "atom":
		s.run = p.atomic(in, typ)
	case "mov":
		s.run = p.move(in)
	case "cvta":
		window := map[string]uint64{"shared": sharedWindow, "local": localWindow, "param": paramWindow}[in.Parts[1]]
		d, a := p.Registers[in.Operands[0]].Index, p.operand(in.Operands[1])
		s.run = func(t *thread) { t.registers[d] = a.get(t) | window }
	case "cvt":
		s.run = p.arithmetic(in, convert(in.Parts[1:len(in.Parts)-1], typ))
	default:
		f := functionOf(in, typ)
		if f == nil {
			panic(failure{fmt.Errorf("line %d: %s is not known", in.Line, in.Name)})
		}
		s.run = p.arithmetic(in, f)
	}
	return s
}

// arithmetic returns what sets the first operand to a function of the others.
func (p *Program) arithmetic(in *Instruction, f func(x []uint64) uint64) func(t *thread) {
	d := p.Registers[in.Operands[0]].Index
	var from []operand
	for _, o := range in.Operands[1:] {
		from = append(from, p.operand(o))
	}
	switch len(from) {
	case 1:
		return func(t *thread) {
			x := [1]uint64{from[0].get(t)}
			t.registers[d] = f(x[:])
		}
	case 2:
		return func(t *thread) {
			x := [2]uint64{from[0].get(t), from[1].get(t)}
			t.registers[d] = f(x[:])
		}
	}
	return func(t *thread) {
		x := [3]uint64{from[0].get(t), from[1].get(t), from[2].get(t)}
		t.registers[d] = f(x[:])
	}
}

func (p *Program) move(in *Instruction) func(t *thread) {
	a := p.operand(in.Operands[1])
	if strings.HasPrefix(in.Operands[0], "{") {
		to := p.registersOf(in.Operands[0])
		return func(t *thread) {
			v := a.get(t)
			t.registers[to[0]], t.registers[to[1]] = uint64(uint32(v)), v>>32
		}
	}
	d := p.Registers[in.Operands[0]].Index
	return func(t *thread) { t.registers[d] = a.get(t) }
}

// sizeOf returns the bytes of a type.
func sizeOf(typ string) int {
	switch {
	case strings.HasSuffix(typ, "8"):
		return 1
	case strings.HasSuffix(typ, "16"):
		return 2
	case strings.HasSuffix(typ, "64"):
		return 8
	}
	return 4
}

// spaceOf returns the state space of an instruction.
func spaceOf(in *Instruction) string {
	for _, p := range in.Parts {
		if slices.Contains([]string{"global", "shared", "local", "param"}, p) {
			return p
		}
	}
	return ""
}

func (p *Program) load(in *Instruction, typ string) func(t *thread) {
	to, at, space, size := p.registersOf(in.Operands[0]), p.memory(in.Operands[1]), spaceOf(in), sizeOf(typ)
	return func(t *thread) {
		address := at(t)
		t.bytes(space, address, size*len(to))
		for i, r := range to {
			v := t.load(space, address+uint64(i*size), size)
			switch typ {
			case "s8":
				v = uint64(uint32(int8(v)))
			case "s16":
				v = uint64(uint32(int16(v)))
			}
			t.registers[r] = v
		}
	}
}

func (p *Program) store(in *Instruction, typ string) func(t *thread) {
	from, at, space, size := p.registersOf(in.Operands[1]), p.memory(in.Operands[0]), spaceOf(in), sizeOf(typ)
	return func(t *thread) {
		address := at(t)
		t.bytes(space, address, size*len(from))
		for i, r := range from {
			t.store(space, address+uint64(i*size), size, t.registers[r])
		}
	}
}

func (p *Program) atomic(in *Instruction, typ string) func(t *thread) {
	d, at, space, size := p.Registers[in.Operands[0]].Index, p.memory(in.Operands[1]), spaceOf(in), sizeOf(typ)
	a := p.operand(in.Operands[2])
	kind := in.Parts[len(in.Parts)-2]
	if kind == "cas" {
		b := p.operand(in.Operands[3])
		return func(t *thread) {
			was := t.load(space, at(t), size)
			if was == cut(a.get(t), size) {
				t.store(space, at(t), size, b.get(t))
			}
			t.registers[d] = was
		}
	}
	join := func(x []uint64) uint64 { return x[1] }
	if kind != "exch" {
		name := &Instruction{Parts: []string{kind}}
		if typ == "f32" {
			name.Parts = append(name.Parts, "rn")
		}
		join = functionOf(name, typ)
	}
	return func(t *thread) {
		was := t.load(space, at(t), size)
		x := [2]uint64{was, cut(a.get(t), size)}
		t.store(space, at(t), size, join(x[:]))
		t.registers[d] = was
	}
}

func cut(v uint64, size int) uint64 {
	if size == 4 {
		return uint64(uint32(v))
	}
	return v
}

// together executes an instruction that several threads come to together.
func (w *warp) together(s *step, come []*thread) {
	p, in := w.block.program, s.in
	switch in.Parts[0] {
	case "bar":
		return
	case "mma":
		w.multiply(s, come)
		return
	case "ldmatrix":
		w.loadMatrix(s, come)
		return
	}
	d, a := p.Registers[in.Operands[0]].Index, p.operand(in.Operands[1])
	if in.Parts[0] == "vote" {
		var ballot uint64
		for _, t := range come {
			if a.get(t) != 0 {
				ballot |= 1 << t.lane
			}
		}
		for _, t := range come {
			t.registers[d] = ballot
		}
		return
	}
	lane := p.operand(in.Operands[2])
	results := make([]uint64, len(come))
	for i, t := range come {
		from := int(lane.get(t) & 31)
		results[i] = 0xdeadbeef // of a lane that does not take part
		for _, other := range come {
			if other.lane == from {
				results[i] = uint64(uint32(a.get(other)))
			}
		}
	}
	for i, t := range come {
		t.registers[d] = results[i]
	}
}

func f32(v uint64) float32        { return math.Float32frombits(uint32(v)) }
func f64(v uint64) float64        { return math.Float64frombits(v) }
func of64(v float64) uint64       { return math.Float64bits(v) }
func truth(b bool) uint64         { return map[bool]uint64{true: 1}[b] }
func word(v int32) uint64         { return uint64(uint32(v)) }
func half(v uint64) float32       { return fmath.HalfFromBits(uint16(v)) }
func clampShift(n uint64) uint64  { return min(uint64(uint32(n)), 64) }
func isNaN32(v float32) bool      { return v != v }
func sameSign(f, s uint64) uint64 { return f&0x7fffffff | s&0x80000000 }

// of32 returns the bits of a result. A card has one NaN, whatever those of the operands were.
func of32(v float32) uint64 {
	if isNaN32(v) {
		return 0x7fffffff
	}
	return uint64(math.Float32bits(v))
}

// halfOf returns the bits of a number that has been rounded to a half.
func halfOf(v float32) uint64 {
	if isNaN32(v) {
		return 0x7fff
	}
	return uint64(fmath.HalfBits(v))
}

// functionOf returns what an instruction computes for one thread.
func functionOf(in *Instruction, typ string) func(x []uint64) uint64 {
	name := in.Parts[0]
	if name == "setp" && in.Parts[2] == "or" {
		f := compare(in.Parts[1], typ)
		return func(x []uint64) uint64 { return f(x) | x[2] }
	}
	if name == "setp" {
		return compare(in.Parts[1], typ)
	}
	if len(in.Parts) > 2 && (in.Parts[1] == "hi" || in.Parts[1] == "wide") {
		name += "." + in.Parts[1]
	}
	if f := anyFunctions[name]; f != nil {
		return f
	}
	switch typ {
	case "f32":
		return floatFunctions[name]
	case "f64":
		return doubleFunctions[name]
	case "f16":
		return func(x []uint64) uint64 {
			return halfOf(fmath.FmaHalf(half(x[0]), half(x[1]), half(x[2])))
		}
	case "s64", "u64", "b64":
		f := longFunctions[name]
		if g := longFunctions[name+"."+typ]; g != nil {
			f = g
		}
		return f
	case "pred":
		f := longFunctions[name]
		return func(x []uint64) uint64 { return f(x) & 1 }
	}
	f := wordFunctions[name]
	if g := wordFunctions[name+"."+typ]; g != nil {
		f = g
	}
	return f
}

var anyFunctions = map[string]func(x []uint64) uint64{
	"selp": func(x []uint64) uint64 {
		if x[2] != 0 {
			return x[0]
		}
		return x[1]
	},
}

func compare(op, typ string) func(x []uint64) uint64 {
	order := func(x []uint64) (less, equal, none bool) {
		switch typ {
		case "f32":
			a, b := f32(x[0]), f32(x[1])
			return a < b, a == b, a != a || b != b
		case "f64":
			a, b := f64(x[0]), f64(x[1])
			return a < b, a == b, a != a || b != b
		case "s32":
			return int32(x[0]) < int32(x[1]), uint32(x[0]) == uint32(x[1]), false
		case "u32":
			return uint32(x[0]) < uint32(x[1]), uint32(x[0]) == uint32(x[1]), false
		case "s64":
			return int64(x[0]) < int64(x[1]), x[0] == x[1], false
		}
		return x[0] < x[1], x[0] == x[1], false
	}
	return func(x []uint64) uint64 {
		less, equal, none := order(x)
		switch op {
		case "eq":
			return truth(equal)
		case "ne":
			return truth(!equal && !none)
		case "neu":
			return truth(!equal)
		case "lt":
			return truth(less)
		case "le":
			return truth(less || equal)
		case "gt":
			return truth(!less && !equal && !none)
		case "ge":
			return truth(!less && !none)
		}
		return truth(none)
	}
}

var floatFunctions = map[string]func(x []uint64) uint64{
	"add": func(x []uint64) uint64 { return of32(f32(x[0]) + f32(x[1])) },
	"sub": func(x []uint64) uint64 { return of32(f32(x[0]) - f32(x[1])) },
	"mul": func(x []uint64) uint64 { return of32(f32(x[0]) * f32(x[1])) },
	"div": func(x []uint64) uint64 { return of32(f32(x[0]) / f32(x[1])) },
	"neg": func(x []uint64) uint64 { return x[0] ^ 1<<31 },
	"abs": func(x []uint64) uint64 { return x[0] & 0x7fffffff },
	"min": func(x []uint64) uint64 { return of32(fmath.Fmin(f32(x[0]), f32(x[1]))) },
	"max": func(x []uint64) uint64 { return of32(fmath.Fmax(f32(x[0]), f32(x[1]))) },
	// the sign comes from the first operand
	"copysign": func(x []uint64) uint64 { return sameSign(x[1], x[0]) },
	"sqrt":     func(x []uint64) uint64 { return of32(float32(math.Sqrt(float64(f32(x[0]))))) },
	"ex2":      func(x []uint64) uint64 { return of32(float32(math.Exp2(float64(f32(x[0]))))) },
	"rsqrt":    func(x []uint64) uint64 { return of32(float32(1 / math.Sqrt(float64(f32(x[0]))))) },
	"fma":      func(x []uint64) uint64 { return of32(fmath.Fma(f32(x[0]), f32(x[1]), f32(x[2]))) },
}

var doubleFunctions = map[string]func(x []uint64) uint64{
	"add":      func(x []uint64) uint64 { return of64(f64(x[0]) + f64(x[1])) },
	"sub":      func(x []uint64) uint64 { return of64(f64(x[0]) - f64(x[1])) },
	"mul":      func(x []uint64) uint64 { return of64(f64(x[0]) * f64(x[1])) },
	"div":      func(x []uint64) uint64 { return of64(f64(x[0]) / f64(x[1])) },
	"neg":      func(x []uint64) uint64 { return x[0] ^ 1<<63 },
	"abs":      func(x []uint64) uint64 { return x[0] &^ (1 << 63) },
	"min":      func(x []uint64) uint64 { return of64(lesser(f64(x[0]), f64(x[1]))) },
	"max":      func(x []uint64) uint64 { return of64(-lesser(-f64(x[0]), -f64(x[1]))) },
	"copysign": func(x []uint64) uint64 { return of64(math.Copysign(f64(x[1]), f64(x[0]))) },
	"sqrt":     func(x []uint64) uint64 { return of64(math.Sqrt(f64(x[0]))) },
	"rcp":      func(x []uint64) uint64 { return of64(1 / f64(x[0])) },
	"fma":      func(x []uint64) uint64 { return of64(math.FMA(f64(x[0]), f64(x[1]), f64(x[2]))) },
}

// divide returns a division that makes something of one by zero, as a card does.
func divide(f func(x []uint64) uint64) func(x []uint64) uint64 {
	return func(x []uint64) uint64 {
		if x[1] == 0 {
			return 0xdeadbeef
		}
		return f(x)
	}
}

// lesser returns the number where one of two is a NaN.
func lesser(a, b float64) float64 {
	switch {
	case a != a:
		return b
	case b != b:
		return a
	}
	return min(a, b)
}

var wordFunctions = map[string]func(x []uint64) uint64{
	"add": func(x []uint64) uint64 { return word(int32(x[0]) + int32(x[1])) },
	"sub": func(x []uint64) uint64 { return word(int32(x[0]) - int32(x[1])) },
	"mul": func(x []uint64) uint64 { return word(int32(x[0]) * int32(x[1])) },
	"mad": func(x []uint64) uint64 { return word(int32(x[0])*int32(x[1]) + int32(x[2])) },
	"mul.hi.s32": func(x []uint64) uint64 {
		return word(int32(int64(int32(x[0])) * int64(int32(x[1])) >> 32))
	},
	"mul.hi.u32":   func(x []uint64) uint64 { return uint64(uint32(x[0])) * uint64(uint32(x[1])) >> 32 },
	"mul.wide.s32": func(x []uint64) uint64 { return uint64(int64(int32(x[0])) * int64(int32(x[1]))) },
	"mul.wide.u32": func(x []uint64) uint64 { return uint64(uint32(x[0])) * uint64(uint32(x[1])) },
	"mad.wide.s32": func(x []uint64) uint64 { return uint64(int64(int32(x[0]))*int64(int32(x[1]))) + x[2] },
	"mad.wide.u32": func(x []uint64) uint64 { return uint64(uint32(x[0]))*uint64(uint32(x[1])) + x[2] },
	"div.s32":      divide(func(x []uint64) uint64 { return word(int32(x[0]) / int32(x[1])) }),
	"div.u32":      divide(func(x []uint64) uint64 { return uint64(uint32(x[0]) / uint32(x[1])) }),
	"rem.s32":      divide(func(x []uint64) uint64 { return word(int32(x[0]) % int32(x[1])) }),
	"rem.u32":      divide(func(x []uint64) uint64 { return uint64(uint32(x[0]) % uint32(x[1])) }),
	"neg":          func(x []uint64) uint64 { return word(-int32(x[0])) },
	"abs":          func(x []uint64) uint64 { return word(max(int32(x[0]), -int32(x[0]))) },
	"min.s32":      func(x []uint64) uint64 { return word(min(int32(x[0]), int32(x[1]))) },
	"min.u32":      func(x []uint64) uint64 { return uint64(min(uint32(x[0]), uint32(x[1]))) },
	"max.s32":      func(x []uint64) uint64 { return word(max(int32(x[0]), int32(x[1]))) },
	"max.u32":      func(x []uint64) uint64 { return uint64(max(uint32(x[0]), uint32(x[1]))) },
	"and":          func(x []uint64) uint64 { return uint64(uint32(x[0] & x[1])) },
	"or":           func(x []uint64) uint64 { return uint64(uint32(x[0] | x[1])) },
	"xor":          func(x []uint64) uint64 { return uint64(uint32(x[0] ^ x[1])) },
	"not":          func(x []uint64) uint64 { return uint64(^uint32(x[0])) },
	"shl":          func(x []uint64) uint64 { return uint64(uint32(x[0]) << clampShift(x[1])) },
	"shr.s32":      func(x []uint64) uint64 { return word(int32(x[0]) >> clampShift(x[1])) },
	"shr.u32":      func(x []uint64) uint64 { return uint64(uint32(x[0]) >> clampShift(x[1])) },
	"shf": func(x []uint64) uint64 {
		return uint64(uint32((x[1]<<32 | uint64(uint32(x[0]))) << (x[2] & 31) >> 32))
	},
	"clz":  func(x []uint64) uint64 { return uint64(bits.LeadingZeros32(uint32(x[0]))) },
	"popc": func(x []uint64) uint64 { return uint64(bits.OnesCount32(uint32(x[0]))) },
	"brev": func(x []uint64) uint64 { return uint64(bits.Reverse32(uint32(x[0]))) },
	"bfe.u32": func(x []uint64) uint64 {
		return uint64(uint32(x[0])) >> clampShift(x[1]) & (1<<clampShift(x[2]) - 1)
	},
	"bfe.s32": func(x []uint64) uint64 {
		n := clampShift(x[2])
		return word(int32(int64(int32(x[0])) >> clampShift(x[1]) << (64 - n) >> (64 - n))) // beyond bit 31 are copies of it
	},
}

var longFunctions = map[string]func(x []uint64) uint64{
	"add": func(x []uint64) uint64 { return x[0] + x[1] },
	"sub": func(x []uint64) uint64 { return x[0] - x[1] },
	"mul": func(x []uint64) uint64 { return x[0] * x[1] },
	"mad": func(x []uint64) uint64 { return x[0]*x[1] + x[2] },
	"mul.hi.u64": func(x []uint64) uint64 {
		high, _ := bits.Mul64(x[0], x[1])
		return high
	},
	"mul.hi.s64": func(x []uint64) uint64 {
		high, _ := bits.Mul64(x[0], x[1])
		return high - uint64(int64(x[0])>>63)&x[1] - uint64(int64(x[1])>>63)&x[0]
	},
	"div.s64": divide(func(x []uint64) uint64 { return uint64(int64(x[0]) / int64(x[1])) }),
	"div.u64": divide(func(x []uint64) uint64 { return x[0] / x[1] }),
	"rem.s64": divide(func(x []uint64) uint64 { return uint64(int64(x[0]) % int64(x[1])) }),
	"rem.u64": divide(func(x []uint64) uint64 { return x[0] % x[1] }),
	"neg":     func(x []uint64) uint64 { return -x[0] },
	"abs":     func(x []uint64) uint64 { return uint64(max(int64(x[0]), -int64(x[0]))) },
	"min.s64": func(x []uint64) uint64 { return uint64(min(int64(x[0]), int64(x[1]))) },
	"min.u64": func(x []uint64) uint64 { return min(x[0], x[1]) },
	"max.s64": func(x []uint64) uint64 { return uint64(max(int64(x[0]), int64(x[1]))) },
	"max.u64": func(x []uint64) uint64 { return max(x[0], x[1]) },
	"and":     func(x []uint64) uint64 { return x[0] & x[1] },
	"or":      func(x []uint64) uint64 { return x[0] | x[1] },
	"xor":     func(x []uint64) uint64 { return x[0] ^ x[1] },
	"not":     func(x []uint64) uint64 { return ^x[0] },
	"shl":     func(x []uint64) uint64 { return x[0] << clampShift(x[1]) },
	"shr.s64": func(x []uint64) uint64 { return uint64(int64(x[0]) >> clampShift(x[1])) },
	"shr.u64": func(x []uint64) uint64 { return x[0] >> clampShift(x[1]) },
	"clz":     func(x []uint64) uint64 { return uint64(bits.LeadingZeros64(x[0])) },
	"popc":    func(x []uint64) uint64 { return uint64(bits.OnesCount64(x[0])) },
	"brev":    func(x []uint64) uint64 { return bits.Reverse64(x[0]) },
}
