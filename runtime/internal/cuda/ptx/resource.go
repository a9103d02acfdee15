package ptx

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Pointers in device memory are addresses, which the host writes too. In registers, and in the memory of threads and
// threadgroups, they are the number of an object and an offset, as all pointers are. What a load finds is looked up in
// a table of the resources of the call: numbers that follow those of all objects are its rows.
//
// What has no address, a variable say, is marked and stored as it is: a load in the same call may use it.

// addressBits is how long addresses are.
const addressBits = 47

// resources are what pointers in memory lead to.
type resources struct {
	*text.Writer
	e     *emitter
	used  bool // the kernel loads pointers
	marks bool // it may store one of what has no address
	shows bool // it loads textures
	// found are the objects of pointers that were loaded, by their registers. Where there are marks it is empty.
	found map[string]found
}

// found is an object that an address leads to: the pointer to its beginning, and what named says of it.
type found struct{ begin, number, base, length string }

// find finds whether the kernel loads pointers from memory.
func (r *resources) find(e *emitter) {
	r.Writer, r.e, r.found = e.out, e, map[string]found{}
	for in := range e.All() {
		switch in.Op {
		case ir.OpFromMem:
			r.used = true
			r.shows = r.shows || in.Aux == ir.TextureHandle
		case ir.OpToMem:
			if in.Aux != ir.PointerHandle {
				r.named(in)
				continue
			}
			_, null := e.Bits(in.Args[0])
			r.marks = r.marks || !null && !r.isDevice(e.Origins[in.Args[0]])
		}
	}
	if r.used {
		e.field(abi.ResourceField, 0, 16, 8)
		e.module.Resources, e.module.Finds = e.places.objectEntries(), r.shows
	}
}

// isDevice reports whether an object is an argument that has an address in every call.
func (r *resources) isDevice(object int) bool {
	return object != facts.Unknown && r.e.places.spaceOf(object) == ".global" && r.e.Objects[object].Kind != ir.Table &&
		!r.e.Objects[object].Optional
}

// table returns registers with the address of the table, and with how many rows it has.
func (r *resources) table() (at, rows string) {
	return r.e.parameter(abi.ResourceField, 0, 0, "u64"), r.e.parameter(abi.ResourceField, 0, 8, "u32")
}

// findRow finds the last row of a table {b} of {c} rows whose address is not above {a}.
const findRow = `
mov.u32 {r1}, 1;
mov.u32 {r2}, {c};
{L1}:
setp.ge.u32 {p1}, {r1}, {r2};
@{p1} bra {L2};
add.u32 {r3}, {r1}, {r2};
shr.u32 {r3}, {r3}, 1;
mad.wide.u32 {l1}, {r3}, 16, {b};
ld.global.u64 {l2}, [{l1}];
setp.gt.u64 {p2}, {l2}, {a};
selp.b32 {r2}, {r3}, {r2}, {p2};
@{p2} bra {L1};
add.u32 {r1}, {r3}, 1;
bra {L1};
{L2}:
sub.u32 {d}, {r1}, 1;
`

// fromMem writes that a number in memory becomes a pointer.
func (r *resources) fromMem(in *ir.Instr) {
	e, number := r.e, r.e.reg(in.Args[0])
	if in.Aux != ir.PointerHandle {
		r.handleFrom(in, number)
		return
	}
	table, rows := r.table()
	row := r.Fresh(text.Word)
	r.Expand(findRow, row, []string{number, table, rows}, 0)
	base, length := r.Fresh(text.Long), r.Fresh(text.Long)
	r.Op("ld.global.v2.u64 {%s, %s}, [%s];", base, length, r.Make(text.Long, "mad.wide.u32", row, "16", table))
	offset := r.Make(text.Long, "sub.s64", number, base)
	within := r.Test("le.u64", offset, length)
	object := r.Make(text.Long, "cvt.u64.u32", r.Make(text.Word, "add.u32", row, fmt.Sprint(e.module.Resources)))
	object = r.Make(text.Long, "selp.b64", object, fmt.Sprint(abi.Nowhere), within)
	offset = r.Make(text.Long, "selp.b64", offset, number, within)
	begin := r.Make(text.Long, "shl.b64", object, fmt.Sprint(facts.OffsetBits))
	isNull := r.Test("eq.s64", number, "0")
	isNull = r.Either(isNull, r.Test("gt.u64", number, fmt.Sprint(int64(1)<<addressBits-1)))
	begin = r.Make(text.Long, "selp.b64", "0", begin, isNull)
	offset = r.Make(text.Long, "selp.b64", "0", offset, isNull)
	d := e.reg(in.Result())
	r.Op("add.s64 %s, %s, %s;", d, begin, offset)
	if r.marks {
		marked := r.Test("lt.s64", number, "0")
		r.Op("selp.b64 %s, %s, %s, %s;", d, r.Make(text.Long, "and.b64", number, fmt.Sprint(int64(^uint64(0)>>1))), d, marked)
		return
	}
	within = r.Both(within, r.Make(text.Pred, "not.pred", isNull))
	r.found[d] = found{
		begin: begin, number: r.Make(text.Long, "shr.u64", begin, fmt.Sprint(facts.OffsetBits)),
		base:   r.Make(text.Long, "selp.b64", base, "0", within),
		length: r.Make(text.Long, "selp.b64", length, "0", within),
	}
}

// foundBy returns the object of a pointer that was loaded, or moved since.
func (r *resources) foundBy(v ir.Value) (named, bool) {
	root := v
	for r.e.By[root] != nil && r.e.By[root].Op == ir.OpMove {
		root = r.e.By[root].Args[0]
	}
	f, ok := r.found[r.e.regOf[root]]
	if !ok {
		return named{}, false
	}
	return named{f.number, r.Make(text.Long, "sub.s64", r.e.reg(v), f.begin), f.base, f.length}, true
}

// toMem writes that a pointer becomes what memory holds of it.
func (r *resources) toMem(in *ir.Instr) {
	e, v, d := r.e, in.Args[0], r.e.reg(in.Result())
	if in.Aux != ir.PointerHandle {
		r.Op("mov.b64 %s, %s;", d, r.idOf(v))
		return
	}
	if o := e.Origins[v]; r.isDevice(o) {
		r.Op("add.s64 %s, %s, %s;", d, e.reg(v), e.places.baseOf(o))
		return
	}
	full := e.places.full(v)
	o := e.places.objectOf(full)
	address := r.Make(text.Long, "add.s64", o.base, o.at)
	hasOne := r.showsDevice(in, r.deviceObjects(), o)
	// what is nowhere is the address itself
	number := r.Make(text.Long, "shr.u64", full, fmt.Sprint(facts.OffsetBits))
	isNowhere := r.Test("eq.s64", number, fmt.Sprint(abi.Nowhere))
	isNowhere = r.Either(isNowhere, r.Test("eq.s64", o.number, "0"))
	address = r.Make(text.Long, "selp.b64", o.at, address, isNowhere)
	mark := r.Make(text.Long, "shl.b64", r.Make(text.Long, "mov.u64", "1"), "63")
	marked := r.Make(text.Long, "or.b64", full, mark)
	r.Op("selp.b64 %s, %s, %s, %s;", d, address, marked, r.Either(hasOne, isNowhere))
}

// row returns the address of the entry of an object: a row of the table, where its number is one of these.
func (r *resources) row(number, entry string) (at, isRow string) {
	e := r.e
	table, rows := r.table()
	n := r.Make(text.Long, "sub.s64", number, fmt.Sprint(e.module.Resources))
	isRow = r.Test("lt.u64", n, r.Make(text.Long, "cvt.u64.u32", rows))
	at = r.Make(text.Long, "mad.lo.s64", n, fmt.Sprint(abi.ResourceSize), table)
	return r.Make(text.Long, "selp.b64", at, r.Make(text.Long, "cvta.local.u64", entry), isRow), isRow
}

// deviceObjects returns a bit for each object that is memory of the device.
func (r *resources) deviceObjects() (mask uint64) {
	for i, o := range r.e.Objects {
		if o != nil && (o.Kind == ir.Buffer || r.e.Bound[i]) {
			mask |= 1 << i
		}
	}
	return mask
}

// showsDevice returns a predicate that holds where a pointer leads to memory of the device.
func (r *resources) showsDevice(in *ir.Instr, mask uint64, o named) string {
	e := r.e
	if len(e.Objects) > 64 {
		e.unsupported(e.Position(in), "comparing and storing pointers in a kernel with so many variables")
	}
	bit := r.Make(text.Long, "mov.u64", fmt.Sprint(int64(mask)))
	bit = r.Make(text.Long, "shr.u64", bit, r.Make(text.Word, "cvt.u32.u64", o.number))
	is := r.Test("ne.s64", r.Make(text.Long, "and.b64", bit, "1"), "0")
	if r.used {
		is = r.Either(is, r.Test("ge.u64", o.number, fmt.Sprint(e.module.Resources)))
	}
	return r.Both(is, r.Test("ne.s64", o.base, "0"))
}
