package ptx

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Loads and stores.

// typeInMemory is how an instruction names a scalar in memory, and the registers that it takes.
type typeInMemory struct {
	name  string
	class text.Class
}

var typesInMemory = map[ir.Scalar]typeInMemory{
	ir.Byte: {"u8", text.Word}, ir.Int8: {"s8", text.Word}, ir.Uint8: {"u8", text.Word}, ir.Int16: {"s16", text.Word},
	ir.Uint16: {"u16", text.Word}, ir.Word32: {"b32", text.Word}, ir.Word64: {"b64", text.Long},
	ir.Half16: {"b16", text.Half}, ir.BFloat16: {"u16", text.Word}, ir.Float32: {"f32", text.Float},
	ir.Address64: {"b64", text.Long},
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
	object := e.Origins[in.Args[0]]
	if object == facts.Unknown || !e.Objects[object].Optional || e.spaceOf(object) != ".global" {
		return ""
	}
	for _, v := range in.Results {
		r := e.reg(v)
		if c := text.ClassOf(e.Type(v)); c == text.Pred {
			e.Op("mov.pred %s, 0;", r)
		} else {
			e.Op("mov.%s %s, %s;", c.Type(), r, text.Immediate(e.Type(v), 0))
		}
	}
	skip = e.Label()
	e.Op("@%s bra %s;", e.Test("eq.s64", e.baseOf(object), "0"), skip)
	return skip
}

func (e *emitter) load(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	if skip := e.ifThere(in); skip != "" {
		defer e.Place(skip)
	}
	p := e.accessed(in, a, false)
	size := a.Kind.Bytes()
	at := e.reached(&p)
	m := typesInMemory[a.Kind]
	done := 0
	for _, n := range pieces(p.zeros, size, a.Count) {
		raw, guard := make([]string, n), e.guard(&p)
		for i := range raw {
			raw[i] = e.Fresh(m.class)
			if m.class == text.Float || a.Kind == ir.Word32 || a.Kind == ir.Word64 || a.Kind == ir.Address64 {
				raw[i] = e.reg(in.Results[done+i])
			}
			if guard != "" { // so that what it held does not have to be waited for
				zero := map[bool]string{true: "0f00000000", false: "0"}[m.class == text.Float]
				e.Op("mov.%s %s, %s;", m.class.Type(), raw[i], zero)
			}
		}
		e.Op("%sld%s%s.%s %s, %s;", guard, p.space, vector(n), m.name, list(raw), at(int64(done*size)))
		for i, r := range raw {
			e.loaded(in.Results[done+i], a.Kind, r)
		}
		done += n
	}
}

// loaded makes a value of what memory holds.
func (e *emitter) loaded(v ir.Value, kind ir.Scalar, raw string) {
	switch kind {
	case ir.Byte:
		e.toBool(v, raw)
	case ir.Half16:
		e.halves[v] = raw
		e.Op("cvt.f32.f16 %s, %s;", e.reg(v), raw)
	case ir.BFloat16:
		shifted := e.Fresh(text.Word)
		e.Op("shl.b32 %s, %s, 16;", shifted, raw)
		e.Op("mov.b32 %s, %s;", e.reg(v), shifted)
	case ir.Int8, ir.Uint8, ir.Int16, ir.Uint16:
		if e.regOf[v] != "" {
			e.Op("mov.b32 %s, %s;", e.regOf[v], raw)
			return
		}
		e.regOf[v] = raw
	default:
		if r := e.reg(v); r != raw {
			e.Op("mov.%s %s, %s;", text.ClassOf(e.Type(v)).Type(), r, raw)
		}
	}
}

func (e *emitter) store(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	if e.Unchecked { // else what was left out has no room for it
		if skip := e.ifThere(in); skip != "" {
			defer e.Place(skip)
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
		e.Op("%sst%s%s.%s %s, %s;", e.guard(&p), p.space, vector(n), name, at(int64(done*size)), list(raw))
		done += n
	}
}

// stored returns a register with what memory is to hold of a value.
func (e *emitter) stored(v ir.Value, kind ir.Scalar) string {
	switch kind {
	case ir.Byte:
		r := e.Fresh(text.Word)
		e.Op("selp.b32 %s, 1, 0, %s;", r, e.reg(v))
		return r
	case ir.Half16:
		if r := e.halves[v]; r != "" {
			return r
		}
		r := e.Fresh(text.Half)
		e.Op("cvt.rn.f16.f32 %s, %s;", r, e.reg(v))
		return r
	case ir.BFloat16:
		r := e.Fresh(text.Word)
		e.Expand(template.Of(ir.OpBFloatBits, ir.F32, 0, false), r, []string{e.reg(v)}, 0)
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
	s := abi.Site{Scalar: a.Kind, Count: a.Count, Store: store}
	e.check(&p, in, s, int64(size*a.Count), size)
	return p
}

// readOnly faults where a thread would store to memory that no kernel writes.
func (e *emitter) readOnly(p *place, in *ir.Instr, store bool) {
	if store && e.isConstant(p) {
		e.fault(e.siteAt(in, abi.Site{Kind: abi.ConstantSite, Object: p.object}))
	}
}

// isConstant reports whether a place is in memory that no kernel writes.
func (e *emitter) isConstant(p *place) bool {
	return p.object != facts.Unknown && e.Objects[p.object].Space == ir.ConstantSpace
}

// checkOnly writes the check of an access that comes later.
func (e *emitter) checkOnly(in *ir.Instr) { e.accessed(in, in.Aux.(*ir.Access), false) }

// clear makes all bytes of a variable 0.
func (e *emitter) clear(in *ir.Instr) {
	object := e.Origins[in.Args[0]]
	if object == facts.Unknown {
		e.unsupported(e.Position(in), "variables that are found while the kernel runs")
	}
	size := inRows(e.Objects[object].Size, e.padded[object])
	zero := e.Fresh(text.Long)
	e.Op("mov.u64 %s, 0;", zero)
	if size > 512 {
		at, more, again := e.Fresh(text.Long), e.Fresh(text.Pred), e.Label()
		e.Op("mov.u64 %s, %s;", at, e.baseOf(object))
		end := e.Fresh(text.Long)
		e.Op("add.s64 %s, %s, %d;", end, at, size&^7)
		e.Place(again)
		e.Op("st%s.u64 [%s], %s;", e.spaceOf(object), at, zero)
		e.Op("add.s64 %s, %s, 8;", at, at)
		e.Op("setp.lt.u64 %s, %s, %s;", more, at, end)
		e.Op("@%s bra %s;", more, again)
	} else {
		for at := 0; at+8 <= size; at += 8 {
			e.Op("st%s.u64 [%s+%d], %s;", e.spaceOf(object), e.baseOf(object), at, zero)
		}
	}
	none := e.Fresh(text.Word)
	e.Op("mov.u32 %s, 0;", none)
	for at := size &^ 7; at < size; at++ {
		e.Op("st%s.u8 [%s+%d], %s;", e.spaceOf(object), e.baseOf(object), at, none)
	}
}
