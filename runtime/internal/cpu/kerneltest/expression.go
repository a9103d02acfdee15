package kerneltest

import "fmt"

// typ is a type of scalars.
type typ struct {
	name   string
	bits   int // of an integer; 0 of others
	signed bool
	float  bool
}

var (
	boolType   = &typ{name: "bool"}
	charType   = &typ{name: "char", bits: 8, signed: true}
	ucharType  = &typ{name: "uchar", bits: 8}
	shortType  = &typ{name: "short", bits: 16, signed: true}
	ushortType = &typ{name: "ushort", bits: 16}
	intType    = &typ{name: "int", bits: 32, signed: true}
	uintType   = &typ{name: "uint", bits: 32}
	longType   = &typ{name: "long", bits: 64, signed: true}
	ulongType  = &typ{name: "ulong", bits: 64}
	floatType  = &typ{name: "float", float: true}
	halfType   = &typ{name: "half", float: true}
	bfloatType = &typ{name: "bfloat", float: true}

	// the frequent ones several times
	allTypes = []*typ{
		boolType, charType, ucharType, shortType, ushortType, intType, intType, uintType, uintType, uintType,
		longType, longType, longType, ulongType, ulongType, floatType, floatType, floatType, halfType, bfloatType,
	}
	integerTypes = []*typ{intType, uintType, longType, ulongType}
	wordTypes    = []*typ{intType, uintType}
)

// expression returns an expression of exactly a type.
func (w *writer) expression(t *typ, depth int) string {
	if depth <= 0 || w.one(5) {
		return w.leaf(t)
	}
	if t.bits >= 32 && w.kernelBody && w.one(3) {
		return w.counting(t)
	}
	if len(w.tables) > 0 && w.one(8) {
		return w.entry(t, depth-1)
	}
	if w.one(9) {
		w.has(Choice)
		return fmt.Sprintf("(%s ? %s : %s)", w.condition(depth-1), w.expression(t, depth-1), w.expression(t, depth-1))
	}
	if w.one(8) {
		return w.convert(pick(w, allTypes...), t, depth-1)
	}
	switch {
	case t == boolType:
		return w.condition(depth)
	case t.float:
		return w.floating(t, depth-1)
	}
	return w.integer(t, depth-1)
}

// leaf returns a variable, a number or an input.
func (w *writer) leaf(t *typ) string {
	if w.one(4) {
		return w.number(t)
	}
	if t == uintType && w.kernelBody && w.one(4) {
		return w.input(0)
	}
	for range 4 {
		v := pick(w, w.vars...)
		if v.typ == t {
			return v.name
		}
	}
	v := pick(w, w.vars...)
	if t.bits == 64 && v.fixed {
		w.has(LongOfThread)
	}
	return w.cast(v.name, v.typ, t)
}

// cast converts an expression.
func (w *writer) cast(x string, from, to *typ) string {
	if from == to {
		return x
	}
	if from == boolType && to == bfloatType {
		x = "float(" + x + ")"
	}
	return to.name + "(" + x + ")"
}

func (w *writer) convert(from, to *typ, depth int) string {
	return w.cast(w.expression(from, depth), from, to)
}

// number returns a literal.
func (w *writer) number(t *typ) string {
	if t == boolType {
		return pick(w, "true", "false")
	}
	if t.float {
		return t.name + "(" + pick(w, "0.0f", "1.0f", "-1.5f", "0.5f", "3.0f", "1e-3f", "100.0f", "65504.0f", "-0.0f",
			"1e10f", "0.1f") + ")"
	}
	switch {
	case t.bits < 32:
		return fmt.Sprintf("%s(%d)", t.name, int32(awkward(w.random)))
	case t.bits == 32 && w.one(2):
		return fmt.Sprintf("%s(%d)", t.name, w.random.IntN(40))
	case t.bits == 32:
		return fmt.Sprintf("%s(%du)", t.name, awkward(w.random))
	case w.one(3):
		return fmt.Sprintf("%s(%d)", t.name, w.random.IntN(70))
	}
	v := uint64(awkward(w.random))
	switch w.random.IntN(4) {
	case 0:
		v = uint64(int64(int32(v)))
	case 1:
		v = 1 << w.random.IntN(64)
	case 2:
		v = v<<32 | uint64(awkward(w.random))
	}
	return fmt.Sprintf("%s(%dul)", t.name, v)
}

// input returns an element of in.
func (w *writer) input(depth int) string {
	switch w.random.IntN(6) {
	case 0:
		return fmt.Sprintf("in[%d]", w.random.IntN(Inputs))
	case 1:
		return fmt.Sprintf("in[tid + %d]", w.random.IntN(Inputs-256))
	case 2:
		return fmt.Sprintf("in[(gid * %d + %d) & %d]", 1+w.random.IntN(9), w.random.IntN(100), Inputs-1)
	case 3:
		w.has(LongIndex)
		return fmt.Sprintf("in[%s & %dL]", w.expression(longType, depth), Inputs-1)
	case 4:
		if w.one(30) {
			w.has(Unbounded)
			return fmt.Sprintf("in[%s]", w.expression(pick(w, intType, uintType, longType), depth))
		}
	}
	return fmt.Sprintf("in[%s & %d]", w.expression(pick(w, wordTypes...), depth), Inputs-1)
}

// integer returns an operation on integers.
func (w *writer) integer(t *typ, depth int) string {
	x := func() string { return w.expression(t, depth) }
	if t.bits < 32 {
		w.has(NarrowInteger)
	}
	exact := func(s string) string {
		if t.bits < 32 {
			return t.name + "(" + s + ")"
		}
		return "(" + s + ")"
	}
	switch n := w.random.IntN(20); {
	case n < 9:
		return exact(x() + pick(w, " + ", " + ", " - ", " - ", " * ", " * ", " & ", " | ", " ^ ") + x())
	case n < 11:
		return exact(pick(w, "-", "~") + "(" + x() + ")")
	case n < 13:
		return exact(fmt.Sprintf("%s %s (%s & %d)", x(), pick(w, "<<", ">>"),
			w.expression(pick(w, wordTypes...), depth-1), max(t.bits, 8)-1))
	case n < 14:
		return exact(fmt.Sprintf("%s %s %d", x(), pick(w, "<<", ">>"), w.random.IntN(t.bits)))
	case n < 16:
		op := pick(w, "/", "%")
		if w.one(30) {
			w.has(Unbounded)
			return exact(x() + " " + op + " " + x())
		}
		if w.one(2) {
			return exact(fmt.Sprintf("%s %s %s(%d)", x(), op, t.name, 1+w.random.IntN(40)))
		}
		return exact(fmt.Sprintf("%s %s ((%s & %s(15)) + %[4]s(1))", x(), op, x(), t.name))
	case n < 17:
		return fmt.Sprintf("%s(%s, %s)", pick(w, "min", "max"), w.cast(x(), t, t), w.cast(x(), t, t))
	case n < 18:
		return w.bitFunction(t, depth)
	case n < 19 && t == uintType && w.kernelBody:
		return w.input(depth)
	}
	return w.special(t, depth)
}

// bitFunction returns a function of bits.
func (w *writer) bitFunction(t *typ, depth int) string {
	w.has(BitFunction)
	x := w.expression(t, depth)
	switch w.random.IntN(6) {
	case 0:
		return fmt.Sprintf("popcount(%s)", x)
	case 1:
		return fmt.Sprintf("clz(%s)", x)
	case 2:
		return fmt.Sprintf("ctz(%s)", x)
	case 3:
		return fmt.Sprintf("rotate(%s, %s)", x, w.expression(t, depth))
	case 4:
		return fmt.Sprintf("mulhi(%s, %s)", x, w.expression(t, depth))
	}
	return fmt.Sprintf("clamp(%s, %s(3), %s(100))", x, t.name, t.name)
}

// floating returns an operation on floats.
func (w *writer) floating(t *typ, depth int) string {
	if t != floatType {
		w.has(Half)
	}
	x := func() string { return w.expression(t, depth) }
	switch n := w.random.IntN(12); {
	case n < 7:
		return t.name + "(" + x() + pick(w, " + ", " - ", " * ", " / ") + x() + ")"
	case n < 8:
		return t.name + "(-(" + x() + "))"
	case n < 9 && t == floatType:
		return fmt.Sprintf("fma(%s, %s, %s)", x(), x(), x())
	case n < 11 && t != bfloatType:
		w.has(Math)
		if w.one(3) {
			f := pick(w, "fmin", "fmax", "pow", "step", "fdim", "copysign")
			a, b := x(), x()
			if f == "copysign" { // the sign of a NaN is not that of another machine
				b = fmt.Sprintf("number(%s)", b)
			}
			return fmt.Sprintf("%s(%s, %s)", f, a, b)
		}
		f := pick(w, "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tanh", "fabs", "floor", "ceil",
			"trunc", "rint", "round", "fract", "saturate", "sign")
		return fmt.Sprintf("%s(%s)", f, x())
	}
	return w.special(t, depth)
}

// condition returns a bool.
func (w *writer) condition(depth int) string {
	if depth <= 0 {
		return w.compare(0)
	}
	switch w.random.IntN(8) {
	case 0, 1:
		w.has(ShortCircuit)
		return fmt.Sprintf("(%s %s %s)", w.condition(depth-1), pick(w, "&&", "||"), w.condition(depth-1))
	case 2:
		return "!(" + w.condition(depth-1) + ")"
	case 3:
		if w.kernelBody {
			w.has(Vote)
			return fmt.Sprintf("%s(%s)", pick(w, "simd_any", "simd_all"), w.condition(depth-1))
		}
	case 4:
		return w.leaf(boolType)
	}
	return w.compare(depth - 1)
}

func (w *writer) compare(depth int) string {
	t := pick(w, allTypes[1:]...)
	return fmt.Sprintf("(%s %s %s)", w.expression(t, depth), pick(w, "<", "<=", ">", ">=", "==", "!="),
		w.expression(t, depth))
}

// special returns what is not an operator.
func (w *writer) special(t *typ, depth int) string {
	switch w.random.IntN(9) {
	case 0:
		if !w.kernelBody || t.bits == 64 || t == bfloatType {
			break
		}
		w.has(Reduction)
		list := []string{"simd_sum", "simd_max", "simd_min", "simd_broadcast_first", "simd_prefix_exclusive_sum"}
		if t.bits > 0 {
			list = append(list, "simd_and", "simd_or", "simd_xor")
		} else { // whose sum depends on the order of lanes, but not on who adds
			list = list[:4]
		}
		return fmt.Sprintf("%s(%s)", pick(w, list...), w.expression(t, depth))
	case 1:
		if w.kernelBody {
			w.has(TextureRead)
			at := fmt.Sprintf("uint2(%s & 7, %s & 7)", w.expression(uintType, depth), w.expression(uintType, depth))
			if t.float {
				return fmt.Sprintf("%s(image.read(%s).%s)", t.name, at, pick(w, "x", "y", "w"))
			}
			return fmt.Sprintf("%s(cells.read(%s).%s)", t.name, at, pick(w, "x", "z"))
		}
	case 2:
		if w.kernelBody && t.float {
			w.has(TextureSample)
			return fmt.Sprintf("%s(image.sample(sampler(filter::%s, address::%s), float2(%s, %s)).y)", t.name,
				pick(w, "linear", "nearest"), pick(w, "repeat", "clamp_to_edge", "clamp_to_zero"),
				w.expression(floatType, depth), w.expression(floatType, depth))
		}
	case 3:
		if w.kernelBody {
			w.has(Vote)
			return fmt.Sprintf("%s(ulong(simd_ballot(%s)) >> (lane & 15))", t.name, w.condition(depth))
		}
	case 4, 5, 6:
		if len(w.callable) > 0 {
			return w.call(t, depth)
		}
	case 7:
		w.has(Vector)
		v := pick(w, intType, uintType, floatType)
		return fmt.Sprintf("%s(%s4(%s, %s, %s, %s)%s)", t.name, v.name, w.expression(v, depth), w.leaf(v), w.leaf(v),
			w.expression(v, depth), pick(w, ".x", ".wzyx.y", ".yz.y", fmt.Sprintf("[%s & 3]", w.leaf(uintType))))
	}
	return w.leaf(t)
}
