package ptx

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Textures and samplers in device memory are IDs. In registers they are the number of an object, as pointers are: the
// row of a texture in the table of resources, and for samplers, since there are few, a number that follows from the ID.

// named gives the objects whose handle a kernel stores a field with their ID.
func (r *resources) named(in *ir.Instr) {
	e := r.e
	for i, o := range e.Objects {
		if o != nil && isShown(o) && (e.Origins[in.Args[0]] == i || e.Origins[in.Args[0]] == facts.Unknown) {
			if _, ok := e.fieldAt[fieldKey{abi.HandleField, i}]; !ok {
				e.field(abi.HandleField, i, 8, 8)
			}
		}
	}
}

// isShown reports whether an object is a texture or a sampler.
func isShown(o *ir.Object) bool {
	return o.Kind == ir.TextureArgument || o.Kind == ir.SamplerArgument || o.Kind == ir.SamplerConstant
}

// throughShown writes an access through a pointer that a union has made of a texture or a sampler, and reports whether
// it is one. It faults.
func (e *emitter) throughShown(in *ir.Instr) bool {
	switch in.Op {
	case ir.OpLoad, ir.OpStore, ir.OpCheck, ir.OpAtomic, ir.OpExchange, ir.OpMatrixLoad, ir.OpMatrixStore:
	default:
		return false
	}
	o := e.Origins[in.Args[0]]
	if o == facts.Unknown || !isShown(e.Objects[o]) {
		return false
	}
	e.faults.fault(e.faults.siteAt(in, abi.Site{Kind: abi.ConstantSite, Object: o}))
	e.textures.clearResults(in)
	return true
}

// handleFrom writes that an ID in memory becomes a texture or a sampler. What leads to none keeps the ID.
func (r *resources) handleFrom(in *ir.Instr, id string) {
	e := r.e
	var hit, object string
	if in.Aux == ir.SamplerHandle {
		object = r.Make(text.Long, "add.s64", id, fmt.Sprint(abi.FirstSampler-1))
		hit = r.Test("lt.u64", r.Make(text.Long, "sub.s64", id, "1"), fmt.Sprint(len(e.FoundSamplers)))
	} else {
		table, rows := r.table()
		row := r.Fresh(text.Word)
		r.Expand(findRow, row, []string{id, table, rows}, 0)
		address := r.Fresh(text.Long)
		r.Op("ld.global.u64 %s, [%s];", address, r.Make(text.Long, "mad.wide.u32", row, fmt.Sprint(abi.ResourceSize), table))
		class, _ := r.foundAt(row)
		hit = r.Test("eq.s64", r.Make(text.Long, "sub.s64", id, address), "1")
		hit = r.Both(hit, r.Test("ne.s32", class, "0"))
		object = r.Make(text.Long, "cvt.u64.u32", r.Make(text.Word, "add.u32", row, fmt.Sprint(e.module.Resources)))
	}
	none := r.Make(text.Long, "add.s64", id, fmt.Sprint(int64(abi.Nowhere)<<facts.OffsetBits))
	isNull := r.Either(r.Test("eq.s64", id, "0"), r.Test("gt.u64", id, fmt.Sprint(int64(1)<<addressBits-1)))
	none = r.Make(text.Long, "selp.b64", "0", none, isNull)
	found := r.Make(text.Long, "shl.b64", object, fmt.Sprint(facts.OffsetBits))
	r.Op("selp.b64 %s, %s, %s, %s;", e.reg(in.Result()), found, none, hit)
}

// foundAt returns registers with the class and the address of the field of what is in a row of the table.
func (r *resources) foundAt(row string) (class, field string) {
	table, rows := r.table()
	at := r.Make(text.Long, "mad.wide.u32", rows, fmt.Sprint(abi.ResourceSize), table)
	at = r.Make(text.Long, "mad.wide.u32", row, fmt.Sprint(abi.FoundSize), at)
	class, offset := r.Fresh(text.Word), r.Fresh(text.Word)
	r.Op("ld.global.v2.u32 {%s, %s}, [%s];", class, offset, at)
	return class, r.Make(text.Long, "add.s64", table, r.Make(text.Long, "cvt.u64.u32", offset))
}

// idOf returns a register with the ID that memory has of a handle.
func (r *resources) idOf(v ir.Value) string {
	e := r.e
	if o := e.Origins[v]; o != facts.Unknown {
		return e.parameter(abi.HandleField, o, 0, "u64")
	}
	number, rest := e.numberOf(e.reg(v))
	id := r.Make(text.Long, "selp.b64", rest, "0", r.Test("eq.s64", number, fmt.Sprint(abi.Nowhere)))
	for i, o := range e.Objects {
		if o != nil && isShown(o) {
			is := r.Test("eq.s64", number, fmt.Sprint(i))
			id = r.Make(text.Long, "selp.b64", e.parameter(abi.HandleField, i, 0, "u64"), id, is)
		}
	}
	sampler := r.Make(text.Long, "sub.s64", number, fmt.Sprint(abi.FirstSampler-1))
	is := r.Test("lt.u64", r.Make(text.Long, "sub.s64", sampler, "1"), fmt.Sprint(abi.MaxSamplers))
	id = r.Make(text.Long, "selp.b64", sampler, id, is)
	if !r.shows {
		return id
	}
	skip := r.Label()
	row := r.rowOf(number, skip)
	table, _ := r.table()
	address := r.Fresh(text.Long)
	r.Op("ld.global.u64 %s, [%s];", address, r.Make(text.Long, "mad.wide.u32", row, fmt.Sprint(abi.ResourceSize), table))
	r.Op("add.s64 %s, %s, 1;", id, address)
	r.Place(skip)
	return id
}

// numberOf returns the number of the object of a pointer, and the offset.
func (e *emitter) numberOf(full string) (number, offset string) {
	number = e.out.Make(text.Long, "add.s64", full, fmt.Sprint(int64(1)<<(facts.OffsetBits-1)))
	number = e.out.Make(text.Long, "shr.u64", number, fmt.Sprint(facts.OffsetBits))
	begin := e.out.Make(text.Long, "shl.b64", number, fmt.Sprint(facts.OffsetBits))
	return number, e.out.Make(text.Long, "sub.s64", full, begin)
}

// rowOf returns the row of the table that a number stands for. Threads whose number stands for no row go on elsewhere.
func (r *resources) rowOf(number, elsewhere string) string {
	e := r.e
	_, rows := r.table()
	n := r.Make(text.Long, "sub.s64", number, fmt.Sprint(e.module.Resources))
	r.Op("@%s bra %s;", r.Test("ge.u64", n, r.Make(text.Long, "cvt.u64.u32", rows)), elsewhere)
	return r.Make(text.Word, "cvt.u32.u64", n)
}

// foundTexture is a texture that a pointer in memory leads to: what is said of it lies at an address.
type foundTexture struct {
	*text.Writer
	field string
}

func (f foundTexture) Fact(offset int, typ string) string {
	class := text.Word
	if typ == "u64" {
		class = text.Long
	}
	return f.Make(class, "ld.global."+typ, fmt.Sprintf("[%s+%d]", f.field, offset))
}

func (f foundTexture) OfLevel(level string, offset int, typ string) string {
	at := f.Make(text.Long, "mad.wide.u32", level, fmt.Sprint(abi.LevelSize), f.field)
	return foundTexture{f.Writer, at}.Fact(abi.FirstLevel+offset, typ)
}
