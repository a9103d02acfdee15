package native

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/abi"
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/cpu/wide"
)

// maxRowSpread bounds how far apart rows are that share a check: at the end of a buffer, all between them is copied.
const maxRowSpread = 256

// row returns what is known of rows of elements, one for each lane, and the Imm of one of them, or nil where there is
// no memory for what may have to be copied.
func (a *addresses) row(in *wide.Instruction, t *target) (n *near, at int64) {
	n, at = a.nearOf(in)
	if n != nil && n.rows {
		return n, at
	}
	n, at = a.ahead(in, farAhead)
	if n.high-n.low > maxRowSpread {
		n.low, n.high = at, at+int64(t.size)
	}
	t.index = n.index
	a.locate(in, t, n.low)
	a.keep(t.offset)
	a.checkAligned(t)
	from, ok := a.rowAt(t, t.size, int32(n.high-n.low))
	if !ok {
		return nil, 0
	}
	n.from, n.rows = from, true
	a.remember(n)
	if a.turns && a.fetches < abi.MaxFetches && !a.t.Lacks[vcode.GPrefetch] {
		a.emit(vcode.Instr{
			Op: vcode.Fetch, A: from, Imm: int64(abi.RunFetched) + 8*int64(a.fetches), Imm2: int64(abi.RunAhead),
			More: vcode.RowBytes(t.size, int32(n.high-n.low)),
		})
		a.fetches++
	}
	return n, at
}

// rowAt returns the address of a row whose lanes read some bytes each, step bytes apart. All steps may be read whole.
func (a *addresses) rowAt(t *target, step, each int32) (reg, bool) {
	all := vcode.RowBytes(step, each)
	if a.sure || a.bare != nil {
		return sweptRow(a, t, all), true
	}
	at, ok := a.lanes.scratchRow(all)
	if !ok {
		return 0, false
	}
	from := a.keep(a.make(vcode.Instr{
		Op: vcode.RowAddress, A: t.offset, B: a.field(t.object, a.layout.Base), C: a.room(t, all),
		Imm: int64(step), Imm2: at, More: each, Exit: a.exit(),
	}))
	fetchAfter(a, t, from, all)
	return from, true
}

// streamAhead is how far ahead memory comes to the cache that simd-groups read or write one after the other.
const streamAhead = 2048

// fetchAfter has memory come to the cache that simd-groups some time after this one read or write, as far from them as
// a row of so many bytes is from this one. In loops that would be what other rounds read.
func fetchAfter(a *addresses, t *target, row reg, bytes int32) {
	if a.loops || a.bare != nil || a.x.Objects[t.object].Own || a.t.Lacks[vcode.GPrefetch] {
		return
	}
	if row == 0 { // it is at the offset
		row = a.keep(a.op(vcode.GAdd, t.offset, a.field(t.object, a.layout.Base)))
	}
	for at := int64(0); at < int64(bytes); at += 64 {
		a.emit(vcode.Instr{Op: vcode.GPrefetch, A: row, Imm: streamAhead + at})
	}
}

// rowStore writes a store of the rows that lanes store side by side, some bytes each.
func rowStore(a *addresses, t *target, each int32, store vcode.Instr) {
	if a.sure || a.bare != nil {
		storeSwept(a, t, each, store)
		return
	}
	fetchAfter(a, t, 0, width*each)
	store.Op, store.A, store.B = vcode.RowStore, t.offset, a.field(t.object, a.layout.Base)
	store.C, store.Exit = a.room(t, width*each), a.exit()
	a.emit(store)
}

// sweptRow returns the address of a row of so many bytes. In a sweep the whole row is inside.
func sweptRow(a *addresses, t *target, bytes int32) reg {
	a.leaveIfI(vcode.LtS, t.offset, 0)
	a.leaveIf(vcode.GtS, t.offset, a.room(t, bytes))
	row := a.keep(a.op(vcode.GAdd, t.offset, a.field(t.object, a.layout.Base)))
	fetchAfter(a, t, row, bytes)
	return row
}

// storeSwept is rowStore in a sweep.
func storeSwept(a *addresses, t *target, each int32, store vcode.Instr) {
	row, op := sweptRow(a, t, width*each), vcode.Op(store.Imm)
	a.swept = true
	if a.bare != nil {
		return
	}
	step := vcode.StoredBytes(op) * int64(a.t.Lanes)
	for i, v := range store.Args {
		a.store(op, row, int64(i)*step, v)
	}
	for at := int64(0); len(store.Args) == 0 && at < int64(width*each); at += step {
		a.store(vcode.VStore, row, at, a.opI(vcode.VLoad, vcode.Run, int64(store.More)+at))
	}
}
