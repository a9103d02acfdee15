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

// accesses writes loads, stores and atomic functions.
type accesses struct {
	*text.Writer
	e *emitter
}

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
func (ac *accesses) ifThere(in *ir.Instr) (skip string) {
	object := ac.e.Origins[in.Args[0]]
	if object == facts.Unknown || !ac.e.Objects[object].Optional || ac.e.places.spaceOf(object) != ".global" {
		return ""
	}
	for _, v := range in.Results {
		r := ac.e.reg(v)
		if c := text.ClassOf(ac.e.Type(v)); c == text.Pred {
			ac.Op("mov.pred %s, 0;", r)
		} else {
			ac.Op("mov.%s %s, %s;", c.Type(), r, text.Immediate(ac.e.Type(v), 0))
		}
	}
	skip = ac.Label()
	ac.Op("@%s bra %s;", ac.Test("eq.s64", ac.e.places.baseOf(object), "0"), skip)
	return skip
}

func (ac *accesses) load(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	if skip := ac.ifThere(in); skip != "" {
		defer ac.Place(skip)
	}
	p := ac.accessed(in, a, false)
	size := a.Kind.Bytes()
	at := ac.e.places.reached(&p)
	m := typesInMemory[a.Kind]
	done := 0
	for _, n := range pieces(p.zeros, size, a.Count) {
		raw, guard := make([]string, n), ac.e.several.guard(&p)
		for i := range raw {
			raw[i] = ac.Fresh(m.class)
			if m.class == text.Float || a.Kind == ir.Word32 || a.Kind == ir.Word64 || a.Kind == ir.Address64 {
				raw[i] = ac.e.reg(in.Results[done+i])
			}
			if guard != "" { // so that what it held does not have to be waited for
				zero := map[bool]string{true: "0f00000000", false: "0"}[m.class == text.Float]
				ac.Op("mov.%s %s, %s;", m.class.Type(), raw[i], zero)
			}
		}
		ac.Op("%sld%s%s.%s %s, %s;", guard, p.space, vector(n), m.name, list(raw), at(int64(done*size)))
		for i, r := range raw {
			ac.loaded(in.Results[done+i], a.Kind, r)
		}
		done += n
	}
}

// loaded makes a value of what memory holds.
func (ac *accesses) loaded(v ir.Value, kind ir.Scalar, raw string) {
	switch kind {
	case ir.Byte:
		ac.e.toBool(v, raw)
	case ir.Half16:
		ac.e.halves[v] = raw
		ac.Op("cvt.f32.f16 %s, %s;", ac.e.reg(v), raw)
	case ir.BFloat16:
		shifted := ac.Fresh(text.Word)
		ac.Op("shl.b32 %s, %s, 16;", shifted, raw)
		ac.Op("mov.b32 %s, %s;", ac.e.reg(v), shifted)
	case ir.Int8, ir.Uint8, ir.Int16, ir.Uint16:
		if ac.e.regOf[v] != "" {
			ac.Op("mov.b32 %s, %s;", ac.e.regOf[v], raw)
			return
		}
		ac.e.regOf[v] = raw
	default:
		if r := ac.e.reg(v); r != raw {
			ac.Op("mov.%s %s, %s;", text.ClassOf(ac.e.Type(v)).Type(), r, raw)
		}
	}
}

func (ac *accesses) store(in *ir.Instr) {
	a := in.Aux.(*ir.Access)
	if ac.e.Unchecked { // else what was left out has no room for it
		if skip := ac.ifThere(in); skip != "" {
			defer ac.Place(skip)
		}
	}
	p := ac.accessed(in, a, true)
	if ac.isConstant(&p) {
		return // it has faulted
	}
	size := a.Kind.Bytes()
	at := ac.e.places.reached(&p)
	m := typesInMemory[a.Kind]
	values := in.Args[len(in.Args)-a.Count:]
	done := 0
	for _, n := range pieces(p.zeros, size, a.Count) {
		raw := make([]string, n)
		for i := range raw {
			raw[i] = ac.stored(values[done+i], a.Kind)
		}
		name := strings.Replace(m.name, "s", "u", 1)
		ac.Op("%sst%s%s.%s %s, %s;", ac.e.several.guard(&p), p.space, vector(n), name, at(int64(done*size)), list(raw))
		done += n
	}
}

// stored returns a register with what memory is to hold of a value.
func (ac *accesses) stored(v ir.Value, kind ir.Scalar) string {
	switch kind {
	case ir.Byte:
		r := ac.Fresh(text.Word)
		ac.Op("selp.b32 %s, 1, 0, %s;", r, ac.e.reg(v))
		return r
	case ir.Half16:
		if r := ac.e.halves[v]; r != "" {
			return r
		}
		r := ac.Fresh(text.Half)
		ac.Op("cvt.rn.f16.f32 %s, %s;", r, ac.e.reg(v))
		return r
	case ir.BFloat16:
		r := ac.Fresh(text.Word)
		ac.Expand(template.Of(ir.OpBFloatBits, ir.F32, 0, false), r, []string{ac.e.reg(v)}, 0)
		return r
	case ir.Address64:
		return ac.e.places.full(v)
	}
	return ac.e.reg(v)
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
func (ac *accesses) accessed(in *ir.Instr, a *ir.Access, store bool) place {
	p := ac.e.places.placeOf(in.Args[0])
	index := ir.Value(0)
	if a.Index != ir.Void {
		index = in.Args[1]
	}
	p = ac.e.places.indexed(p, a, index)
	ac.readOnly(&p, in, store)
	size := a.Kind.Bytes()
	s := abi.Site{Scalar: a.Kind, Count: a.Count, Store: store}
	ac.check(&p, in, s, int64(size*a.Count), size)
	return p
}

// readOnly faults where a thread would store to memory that no kernel writes.
func (ac *accesses) readOnly(p *place, in *ir.Instr, store bool) {
	if store && ac.isConstant(p) {
		ac.e.faults.fault(ac.e.faults.siteAt(in, abi.Site{Kind: abi.ConstantSite, Object: p.object}))
	}
}

// isConstant reports whether a place is in memory that no kernel writes.
func (ac *accesses) isConstant(p *place) bool {
	return p.object != facts.Unknown && ac.e.Objects[p.object].Space == ir.ConstantSpace
}

// checkOnly writes the check of an access that comes later.
func (ac *accesses) checkOnly(in *ir.Instr) { ac.accessed(in, in.Aux.(*ir.Access), false) }

// clear makes all bytes of a variable 0.
func (ac *accesses) clear(in *ir.Instr) {
	object := ac.e.Origins[in.Args[0]]
	if object == facts.Unknown {
		ac.e.unsupported(ac.e.Position(in), "variables that are found while the kernel runs")
	}
	size := inRows(ac.e.Objects[object].Size, ac.e.padded[object])
	zero := ac.Fresh(text.Long)
	ac.Op("mov.u64 %s, 0;", zero)
	if size > 512 {
		at, more, again := ac.Fresh(text.Long), ac.Fresh(text.Pred), ac.Label()
		ac.Op("mov.u64 %s, %s;", at, ac.e.places.baseOf(object))
		end := ac.Fresh(text.Long)
		ac.Op("add.s64 %s, %s, %d;", end, at, size&^7)
		ac.Place(again)
		ac.Op("st%s.u64 [%s], %s;", ac.e.places.spaceOf(object), at, zero)
		ac.Op("add.s64 %s, %s, 8;", at, at)
		ac.Op("setp.lt.u64 %s, %s, %s;", more, at, end)
		ac.Op("@%s bra %s;", more, again)
	} else {
		for at := 0; at+8 <= size; at += 8 {
			ac.Op("st%s.u64 [%s+%d], %s;", ac.e.places.spaceOf(object), ac.e.places.baseOf(object), at, zero)
		}
	}
	none := ac.Fresh(text.Word)
	ac.Op("mov.u32 %s, 0;", none)
	for at := size &^ 7; at < size; at++ {
		ac.Op("st%s.u8 [%s+%d], %s;", ac.e.places.spaceOf(object), ac.e.places.baseOf(object), at, none)
	}
}
