package ptx

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
)

// place is where an access is.
type place struct {
	object  int    // that it reaches, or unknown
	number  string // of the object, where that is not known here
	at      string // a register with the offset, or "" where it is fixed
	fixed   int64  // the offset, or what is added to it
	zeros   int    // low bits of the offset that are 0
	low     int    // low bits of the register that are 0
	base    string // where the object is; "" where the register has the whole address
	index   string // an index of 32 bits, so many times which is the offset; or ""
	signed  bool
	scale   int64
	element ir.Value // the index, where it is wide
	wide    bool     // the index has 64 bits
	ahead   int64    // how much of fixed is that of a linear index
	sure    bool     // an access needs no check
	moves   bool     // in rounds that are done together, otherwise than linearly
	within  bool     // from is known
	from    uint64   // how far from the beginning of the object the place without fixed is at most
	space   string   // of the instruction: ".global"
	room    func(bytes int64) string
}

// spaces are the state spaces of objects by their kind.
var spaces = map[ir.ObjectKind]string{
	ir.Buffer: ".global", ir.PassedValue: ".param", ir.GroupArgument: ".shared", ir.GroupVariable: ".shared",
	ir.ThreadVariable: ".local", ir.Table: ".global",
}

// spaceOf returns the state space of an object.
func (e *emitter) spaceOf(object int) string {
	if e.Bound[object] {
		return ".global"
	}
	return spaces[e.Objects[object].Kind]
}

// baseOf returns where an object begins in its state space, with what is added to that.
func (e *emitter) baseOf(object int) string {
	o := e.Objects[object]
	switch {
	case e.isActivated(object):
		return e.routines.baseOf(object)
	case o.Kind == ir.Buffer || e.Bound[object]:
		return e.parameter(BufferField, object, 0, "u64")
	case o.Kind == ir.PassedValue:
		return fmt.Sprintf("args+%d", e.fieldAt[fieldKey{ValueField, object}])
	case o.Kind == ir.GroupArgument:
		if !e.symbols["dynamic"] {
			e.symbols["dynamic"] = true
			e.declare(".extern .shared .align 16 .b8 dynamic[];")
		}
		begin := e.parameter(SharedField, object, 0, "u32")
		return e.once(fmt.Sprint("base ", object), longClass, func(r string) {
			wide, at := e.fresh(longClass), e.fresh(longClass)
			e.first("cvt.u64.u32 %s, %s;", wide, begin)
			e.first("mov.u64 %s, dynamic;", at)
			e.first("add.s64 %s, %s, %s;", r, at, wide)
		})
	}
	return symbol(object)
}

// sizeOf returns the bytes of an object where they are known.
func (e *emitter) sizeOf(object int) (int64, bool) {
	o := e.Objects[object]
	return int64(o.Size), o.Kind != ir.Buffer && o.Kind != ir.GroupArgument && !e.Bound[object]
}

// lengthOfObject returns the bytes of an object as a register or a number.
func (e *emitter) lengthOfObject(object int) string {
	if n, ok := e.sizeOf(object); ok {
		return fmt.Sprint(n)
	}
	if e.Objects[object].Kind != ir.GroupArgument {
		return e.parameter(BufferField, object, 8, "u64")
	}
	short := e.parameter(SharedField, object, 4, "u32")
	return e.once(fmt.Sprint("length ", object), longClass, func(r string) {
		e.first("cvt.u64.u32 %s, %s;", r, short)
	})
}

// baseZeros returns how the address of an object is aligned.
func (e *emitter) baseZeros(object int) int {
	if e.spaceOf(object) == ".global" && e.Objects[object].Kind != ir.Table {
		return bits.TrailingZeros(uint(e.Align))
	}
	return 4
}

// roomIn returns one more than the greatest offset at which so many bytes of an object lie within it: a register, or a
// number where the size of the object is known.
func (e *emitter) roomIn(object int) func(bytes int64) string {
	return func(bytes int64) string {
		if n, ok := e.sizeOf(object); ok {
			return fmt.Sprint(max(n-bytes+1, 0))
		}
		return e.limit(Limit{Object: object, Bytes: bytes})
	}
}

// limit returns a register with what the host computes of the length of an object.
func (e *emitter) limit(l Limit) string {
	i := slices.Index(e.module.Limits, l)
	if i < 0 {
		i = len(e.module.Limits)
		e.module.Limits = append(e.module.Limits, l)
		e.field(LimitField, i, 8, 8)
	}
	if l.Scale > 0 && !l.Wide {
		return e.parameter(LimitField, i, 0, "u32")
	}
	return e.parameter(LimitField, i, 0, "u64")
}

// placeOf returns where a pointer leads that has not been moved.
func (e *emitter) placeOf(v ir.Value) place {
	object := e.origins[v]
	if object == unknown {
		return e.placeOfAny(v)
	}
	p := place{object: object, zeros: min(e.zeros[v], e.baseZeros(object)), space: e.spaceOf(object)}
	root, fixed := e.rootOf(v)
	p.low = e.zeros[root]
	p.from, p.within = e.mostMoved(root, 0)
	if moved, ok := e.movedLinearly(root); ok {
		p.at, p.ahead, p.fixed, p.from, p.within = moved.at, moved.ahead, moved.fixed, moved.from, moved.within
		p.low = 0
	} else if made := e.by[root]; made == nil || made.Op != ir.OpAddress {
		p.at = e.reg(root)
		p.moves = e.joint != nil && e.joint.inside[root]
	}
	p.fixed += fixed
	p.base, p.room = e.baseOf(object), e.roomIn(object)
	return p
}

// rootOf returns the pointer from which one has been moved by a constant, and how far.
func (e *emitter) rootOf(v ir.Value) (root ir.Value, fixed int64) {
	for {
		made := e.by[v]
		if made == nil || made.Op != ir.OpMove || e.origins[made.Args[0]] == unknown {
			return v, fixed
		}
		n, ok := e.Bits(made.Args[1])
		by := bytesOf(made.Type, n, made.Imm)
		if !ok || by < 0 || by > 1<<20 || fixed+by > 1<<24 {
			return v, fixed
		}
		v, fixed = made.Args[0], fixed+by
	}
}

// indexed moves a place by the index and the offset of an access.
func (e *emitter) indexed(p place, a *ir.Access, index ir.Value) place {
	p.fixed += a.Offset
	if a.Offset != 0 {
		p.zeros = min(p.zeros, bits.TrailingZeros64(uint64(a.Offset)))
	}
	if a.Index == ir.Void {
		return p
	}
	if n, ok := e.Bits(index); ok {
		by := bytesOf(a.Index, n, int64(a.Scale))
		p.fixed += by
		if by != 0 {
			p.zeros = min(p.zeros, bits.TrailingZeros64(uint64(by)))
		}
		return p
	}
	low := e.zerosOf(index, 0) + bits.TrailingZeros32(uint32(a.Scale))
	p.zeros, p.low = min(p.zeros, low), min(p.low, low)
	most := e.mostOf(index, 0)
	if l, ok := e.linearOf(index); ok && l.exact && uint64(l.add) <= l.most {
		most = l.most - uint64(l.add)
	}
	p.within = p.within && a.Index.Bits() == 32 && a.Scale > 0 && (a.Index == ir.U32 || most <= math.MaxInt32)
	p.from += most * uint64(a.Scale)
	if e.indexedLinearly(&p, a, index) {
		p.low = 0
		return p
	}
	if e.noted != "" && p.at == "" && a.Index.Bits() == 64 && a.Scale > 0 && p.fixed >= 0 && p.object != unknown {
		p.index, p.wide, p.scale = e.reg(index), true, int64(a.Scale) // it is compared before it can wrap around
		p.element = index
		if at, ok := e.rowByRow(index, &p, a); ok {
			p.base, p.at, p.low = "", at, 0
			return p
		}
		if shift := bits.TrailingZeros32(uint32(a.Scale)); a.Scale == 1<<shift {
			p.at = e.make(longClass, "shl.b64", p.index, fmt.Sprint(shift))
		} else {
			p.at = e.make(longClass, "mul.lo.s64", p.index, fmt.Sprint(a.Scale))
		}
		return p
	}
	if p.at == "" && a.Index.Bits() == 32 && a.Scale > 0 {
		p.index, p.signed, p.scale = e.reg(index), a.Index == ir.S32, int64(a.Scale)
	}
	p.at = e.scaled(p.at, a.Index, index, int64(a.Scale))
	return p
}

// bytesOf returns so many elements of so many bytes: where they go too far, what is lost.
func bytesOf(t ir.Type, n uint64, scale int64) int64 {
	elements := signedBits(t, n)
	if limit := reach / max(scale, -scale, 1); elements > limit {
		return lost
	} else if elements < -limit {
		return -lost
	}
	return elements * scale
}

func signedBits(t ir.Type, n uint64) int64 {
	switch t {
	case ir.S32:
		return int64(int32(n))
	case ir.U32:
		return int64(uint32(n))
	}
	return int64(n)
}

// scaled returns a register with an offset, "" for 0, and so many elements of so many bytes more. An index that would
// wrap around becomes one that is beyond every object.
func (e *emitter) scaled(at string, t ir.Type, index ir.Value, scale int64) string {
	r := e.fresh(longClass)
	if at == "" {
		at = "0"
	}
	i := e.reg(index)
	switch {
	case t.Bits() == 32:
		if scale < 1<<31 {
			e.op("mad.wide.%s %s, %s, %d, %s;", t, r, i, scale, at)
			return r
		}
		long := e.fresh(longClass)
		e.op("cvt.%s.%s %s, %s;", wide(t), t, long, i)
		i = long
	case e.lengthOf(index, 0)+bits.Len64(uint64(scale)) > 62 && scale > 0:
		limit := reach / scale
		low, high := e.fresh(longClass), e.fresh(longClass)
		e.op("max.s64 %s, %s, %d;", low, i, -limit)
		e.op("min.s64 %s, %s, %d;", high, low, limit)
		i = high
	}
	e.op("mad.lo.s64 %s, %s, %d, %s;", r, i, scale, at)
	return r
}

// reach is how far pointers may be moved. Those that go further are lost: no move brings them back.
const (
	reach = int64(1) << 46
	lost  = int64(1) << 60
)

// sum returns a register with the whole offset of a place.
func (e *emitter) sum(p *place) string {
	switch {
	case p.at == "":
		r := e.fresh(longClass)
		e.op("mov.u64 %s, %d;", r, p.fixed)
		p.at, p.fixed = r, 0
	case p.fixed != 0:
		r := e.fresh(longClass)
		e.op("add.s64 %s, %s, %d;", r, p.at, p.fixed)
		p.at, p.fixed = r, 0
	}
	return p.at
}

// address returns a register with the address of an offset in the object.
func (e *emitter) address(p *place, at string) string {
	if p.base == "" {
		return at
	}
	r := e.fresh(longClass)
	base := p.base
	offset := ""
	if before, after, ok := strings.Cut(base, "+"); ok {
		base, offset = before, after
	}
	if !strings.HasPrefix(base, "%") {
		named := e.fresh(longClass)
		e.op("mov.u64 %s, %s;", named, base)
		base = named
	}
	e.op("add.s64 %s, %s, %s;", r, base, at)
	if offset != "" {
		moved := e.fresh(longClass)
		e.op("add.s64 %s, %s, %s;", moved, r, offset)
		r = moved
	}
	return r
}

// reached returns what stands in brackets of an instruction.
func (e *emitter) reached(p *place) func(offset int64) string {
	if e.padded[p.object] {
		return e.reachedInRows(p)
	}
	if p.at == "" {
		base := p.base
		return func(offset int64) string {
			if n := p.fixed + offset; n != 0 {
				return fmt.Sprintf("[%s+%d]", base, n)
			}
			return "[" + base + "]"
		}
	}
	r := e.address(p, p.at)
	return func(offset int64) string {
		if n := p.fixed + offset; n != 0 {
			return fmt.Sprintf("[%s+%d]", r, n)
		}
		return "[" + r + "]"
	}
}

// typeInMemory is how an instruction names a scalar in memory, and the registers that it takes.
type typeInMemory struct {
	name  string
	class class
}

var typesInMemory = map[ir.Scalar]typeInMemory{
	ir.Byte: {"u8", wordClass}, ir.Int8: {"s8", wordClass}, ir.Uint8: {"u8", wordClass}, ir.Int16: {"s16", wordClass},
	ir.Uint16: {"u16", wordClass}, ir.Word32: {"b32", wordClass}, ir.Word64: {"b64", longClass},
	ir.Half16: {"b16", halfClass}, ir.BFloat16: {"u16", wordClass}, ir.Float32: {"f32", floatClass},
	ir.Address64: {"b64", longClass},
}

// pieces returns in how many scalars side by side each instruction of an access goes, from what is known of the
// alignment.
func pieces(zeros, size, count int) []int {
	var list []int
	for done := 0; done < count; {
		n := 1
		for _, try := range []int{4, 2} {
			aligned := 1<<min(zeros, 4) >= try*size && done*size%(try*size) == 0
			if try*size <= 16 && done+try <= count && aligned {
				n = try
				break
			}
		}
		list = append(list, n)
		done += n
	}
	return list
}

// ifThere writes that an access to an argument which a call may leave out is skipped where it does. Its results are 0.
func (e *emitter) ifThere(in *ir.Instr) (skip string) {
	object := e.origins[in.Args[0]]
	if object == unknown || !e.Objects[object].Optional || e.spaceOf(object) != ".global" {
		return ""
	}
	for _, v := range in.Results {
		r := e.reg(v)
		if c := classOf(e.Type(v)); c == predClass {
			e.op("mov.pred %s, 0;", r)
		} else {
			e.op("mov.%s %s, %s;", classTypes[c], r, immediate(e.Type(v), 0))
		}
	}
	skip = e.label()
	e.op("@%s bra %s;", e.test("eq.s64", e.baseOf(object), "0"), skip)
	return skip
}

func (e *emitter) load(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	if skip := e.ifThere(in); skip != "" {
		defer e.place(skip)
	}
	p := e.accessed(in, a, false)
	size := a.Kind.Bytes()
	at := e.reached(&p)
	m := typesInMemory[a.Kind]
	done := 0
	for _, n := range pieces(p.zeros, size, a.Count) {
		raw, guard := make([]string, n), e.guard(&p)
		for i := range raw {
			raw[i] = e.fresh(m.class)
			if m.class == floatClass || a.Kind == ir.Word32 || a.Kind == ir.Word64 || a.Kind == ir.Address64 {
				raw[i] = e.unguarded(in.Results[done+i], m.class)
			}
			if guard != "" { // so that what it held does not have to be waited for
				zero := map[bool]string{true: "0f00000000", false: "0"}[m.class == floatClass]
				e.op("mov.%s %s, %s;", classTypes[m.class], raw[i], zero)
			}
		}
		e.op("%sld%s%s.%s %s, %s;", guard, p.space, vector(n), m.name, list(raw), at(int64(done*size)))
		for i, r := range raw {
			e.loaded(in.Results[done+i], a.Kind, r)
		}
		done += n
	}
}

// unguarded returns where a load goes: the register of its result, or in rounds that are done together a new one.
func (e *emitter) unguarded(v ir.Value, c class) string {
	if e.noted == "" {
		return e.reg(v)
	}
	return e.fresh(c)
}

// loaded makes a value of what memory holds.
func (e *emitter) loaded(v ir.Value, kind ir.Scalar, raw string) {
	switch kind {
	case ir.Byte:
		e.toBool(v, raw)
	case ir.Half16:
		e.halves[v] = raw
		e.op("cvt.f32.f16 %s, %s;", e.reg(v), raw)
	case ir.BFloat16:
		shifted := e.fresh(wordClass)
		e.op("shl.b32 %s, %s, 16;", shifted, raw)
		e.op("mov.b32 %s, %s;", e.reg(v), shifted)
	case ir.Int8, ir.Uint8, ir.Int16, ir.Uint16:
		if e.regOf[v] != "" {
			e.op("mov.b32 %s, %s;", e.regOf[v], raw)
			return
		}
		e.regOf[v] = raw
	default:
		if r := e.reg(v); r != raw {
			e.op("mov.%s %s, %s;", classTypes[classOf(e.Type(v))], r, raw)
		}
	}
}

func (e *emitter) store(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	if e.Unchecked { // else what was left out has no room for it
		if skip := e.ifThere(in); skip != "" {
			defer e.place(skip)
		}
	}
	p := e.accessed(in, a, true)
	if e.isConstant(&p) {
		return // it has faulted
	}
	size := a.Kind.Bytes()
	at := e.reached(&p)
	m := typesInMemory[a.Kind]
	values := in.Args[len(in.Args)-a.Count:]
	done := 0
	for _, n := range pieces(p.zeros, size, a.Count) {
		raw := make([]string, n)
		for i := range raw {
			raw[i] = e.stored(values[done+i], a.Kind)
		}
		name := strings.Replace(m.name, "s", "u", 1)
		e.op("%sst%s%s.%s %s, %s;", e.guard(&p), p.space, vector(n), name, at(int64(done*size)), list(raw))
		done += n
	}
}

// stored returns a register with what memory is to hold of a value.
func (e *emitter) stored(v ir.Value, kind ir.Scalar) string {
	switch kind {
	case ir.Byte:
		r := e.fresh(wordClass)
		e.op("selp.b32 %s, 1, 0, %s;", r, e.reg(v))
		return r
	case ir.Half16:
		if r := e.halves[v]; r != "" {
			return r
		}
		r := e.fresh(halfClass)
		e.op("cvt.rn.f16.f32 %s, %s;", r, e.reg(v))
		return r
	case ir.BFloat16:
		r := e.fresh(wordClass)
		e.expand(templateOf(rows[ir.OpBFloatBits], ir.F32), r, []string{e.reg(v)}, 0)
		return r
	case ir.Address64:
		return e.full(v)
	}
	return e.reg(v)
}

func vector(n int) string {
	if n == 1 {
		return ""
	}
	return fmt.Sprintf(".v%d", n)
}

func list(registers []string) string {
	if len(registers) == 1 {
		return registers[0]
	}
	return "{" + strings.Join(registers, ", ") + "}"
}

// accessed returns the checked place of an access.
func (e *emitter) accessed(in *ir.Instr, a *ir.Access, store bool) place {
	p := e.placeOf(in.Args[0])
	index := ir.Value(0)
	if a.Index != ir.Void {
		index = in.Args[1]
	}
	p = e.indexed(p, a, index)
	e.readOnly(&p, in, store)
	size := a.Kind.Bytes()
	s := Site{Scalar: a.Kind, Count: a.Count, Store: store}
	e.check(&p, in, s, int64(size*a.Count), size)
	return p
}

// readOnly faults where a thread would store to memory that no kernel writes.
func (e *emitter) readOnly(p *place, in *ir.Instr, store bool) {
	if store && e.isConstant(p) {
		e.fault(e.siteAt(in, Site{Kind: ConstantSite, Object: p.object}))
	}
}

// isConstant reports whether a place is in memory that no kernel writes.
func (e *emitter) isConstant(p *place) bool {
	return p.object != unknown && e.Objects[p.object].Space == ir.ConstantSpace
}

// checkOnly writes the check of an access that comes later.
func (e *emitter) checkOnly(in *ir.Instr) { e.accessed(in, in.Aux.(*ir.Access), false) }

// clear makes all bytes of a variable 0.
func (e *emitter) clear(in *ir.Instr) {
	object := e.origins[in.Args[0]]
	if object == unknown {
		e.unsupported(e.Position(in), "variables that are found while the kernel runs")
	}
	size := inRows(e.Objects[object].Size, e.padded[object])
	zero := e.fresh(longClass)
	e.op("mov.u64 %s, 0;", zero)
	if size > 512 {
		at, more, again := e.fresh(longClass), e.fresh(predClass), e.label()
		e.op("mov.u64 %s, %s;", at, e.baseOf(object))
		end := e.fresh(longClass)
		e.op("add.s64 %s, %s, %d;", end, at, size&^7)
		e.place(again)
		e.op("st%s.u64 [%s], %s;", e.spaceOf(object), at, zero)
		e.op("add.s64 %s, %s, 8;", at, at)
		e.op("setp.lt.u64 %s, %s, %s;", more, at, end)
		e.op("@%s bra %s;", more, again)
	} else {
		for at := 0; at+8 <= size; at += 8 {
			e.op("st%s.u64 [%s+%d], %s;", e.spaceOf(object), e.baseOf(object), at, zero)
		}
	}
	none := e.fresh(wordClass)
	e.op("mov.u32 %s, 0;", none)
	for at := size &^ 7; at < size; at++ {
		e.op("st%s.u8 [%s+%d], %s;", e.spaceOf(object), e.baseOf(object), at, none)
	}
}
