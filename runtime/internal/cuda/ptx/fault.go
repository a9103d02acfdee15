package ptx

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// faults writes what threads do that find a mistake.
type faults struct {
	*text.Writer
	e *emitter
}

// siteAt returns the number of what may go wrong at an instruction.
func (w *faults) siteAt(in *ir.Instr, s abi.Site) int {
	s.Pos = w.e.Position(in)
	w.e.module.Sites = append(w.e.module.Sites, s)
	return len(w.e.module.Sites) - 1
}

// faultIf ends threads for which a predicate holds. at and number say where they reached, "" where that means nothing.
func (w *faults) faultIf(bad string, site int, at, number string) {
	w.Op("@%s bra %s;", bad, w.faultLabel(site, at, number))
}

// fault ends the threads that come here.
func (w *faults) fault(site int) { w.Op("bra %s;", w.faultLabel(site, "", "")) }

// faultLabel returns where a fault of a site begins.
func (w *faults) faultLabel(site int, at, number string) string {
	w.records()
	label := w.LabelOf("FAULT", 0)
	if at == "" {
		at = "0"
	}
	w.Tail.WriteString(label + ":\n")
	w.Tail.Line("mov.u32 %%site, %d;", site)
	w.Tail.Line("mov.u64 %%at, %s;", at)
	isBarrier := w.e.module.Sites[site].Kind == abi.BarrierSite
	if number == "" && !isBarrier {
		w.Tail.Line("bra STATIC;")
		return label
	}
	place := site
	if isBarrier { // it may miss threads that have a fault of their own
		place += 1 << (siteBits - 1)
	}
	w.Tail.Line("mov.u32 %%place, %d;", place)
	if number == "" {
		w.Tail.Line("mov.u32 %%object, 0;")
	} else {
		w.Tail.Line("cvt.u32.u64 %%object, %s;", number)
	}
	w.Tail.Line("bra RECORD;")
	return label
}

// The order of faults is that of threadgroups, then of how many barriers have been passed, then of simd-groups, then of
// places in the text, barriers last, then of lanes: as on the CPU device, but where a loop comes to an earlier place
// later.
const (
	phaseBits = 8
	simdBits  = 5
	siteBits  = 14
	laneBits  = 5
)

// records writes the end of threads that fault: one after the other they look whether theirs is the first fault of
// all so far, and if so write the record. Then they are gone, and the others go on.
func (w *faults) records() {
	if !w.Begins("record") {
		return
	}
	w.Private = append(w.Private, ".reg .b32 %site, %place, %object;", ".reg .b64 %at;")
	record := w.e.parameter(abi.RecordField, 0, 0, "u64")
	linear := w.e.grid.linear()
	group := w.Fresh(text.Long)
	x, y, z := w.e.grid.group(0), w.e.grid.group(1), w.e.grid.group(2)
	sx, sy := w.e.grid.groups(0), w.e.grid.groups(1)
	p, got, order, was := w.Fresh(text.Pred), w.Fresh(text.Word), w.Fresh(text.Long), w.Fresh(text.Long)
	t := func(format string, args ...any) { w.Tail.Line(format, args...) }
	w.Tail.WriteString("STATIC:\n") // the site says the object
	t("mov.u32 %%place, %%site;")
	t("mov.u32 %%object, 0;")
	w.Tail.WriteString("RECORD:\n")
	wx, wy, wz := w.Fresh(text.Long), w.Fresh(text.Long), w.Fresh(text.Long)
	t("cvt.u64.u32 %s, %s;", wx, sx)
	t("cvt.u64.u32 %s, %s;", wy, y)
	t("mad.wide.u32 %s, %s, %s, %s;", wz, z, sy, wy)
	t("cvt.u64.u32 %s, %s;", group, x)
	t("mad.lo.s64 %s, %s, %s, %s;", group, wz, wx, group)
	t("shl.b64 %s, %s, %d;", group, group, phaseBits+simdBits+siteBits+laneBits)
	part, place := w.Fresh(text.Word), w.Fresh(text.Word)
	t("shr.u32 %s, %s, %d;", part, linear, laneBits)
	t("shl.b32 %s, %s, %d;", part, part, siteBits+laneBits)
	t("min.u32 %s, %%place, %d;", place, 1<<siteBits-1)
	t("shl.b32 %s, %s, %d;", place, place, laneBits)
	t("or.b32 %s, %s, %s;", part, part, place)
	t("or.b32 %s, %s, %s;", part, part, w.e.grid.lane())
	if w.e.phase != "" {
		phase := w.Fresh(text.Word)
		t("min.u32 %s, %s, %d;", phase, w.e.phase, 1<<phaseBits-1)
		t("shl.b32 %s, %s, %d;", phase, phase, simdBits+siteBits+laneBits)
		t("or.b32 %s, %s, %s;", part, part, phase)
	}
	t("cvt.u64.u32 %s, %s;", order, part)
	t("add.s64 %s, %s, %s;", order, order, group)
	t("add.s64 %s, %s, 1;", order, order)
	w.Tail.WriteString("LOCK:\n")
	t("atom.acquire.gpu.global.cas.b32 %s, [%s], 0, 1;", got, record)
	t("setp.ne.u32 %s, %s, 0;", p, got)
	t("@%s bra LOCK;", p)
	n := w.Fresh(text.Word)
	t("ld.relaxed.gpu.global.u32 %s, [%s+4];", n, record)
	t("ld.relaxed.gpu.global.u64 %s, [%s+8];", was, record)
	first, sooner := w.Fresh(text.Pred), w.Fresh(text.Pred)
	t("setp.eq.u32 %s, %s, 0;", first, n)
	t("setp.lt.u64 %s, %s, %s;", sooner, order, was)
	t("or.pred %s, %s, %s;", first, first, sooner)
	t("add.u32 %s, %s, 1;", n, n)
	t("st.relaxed.gpu.global.u32 [%s+4], %s;", record, n)
	t("not.pred %s, %s;", sooner, first)
	t("@%s bra UNLOCK;", sooner)
	t("st.relaxed.gpu.global.u64 [%s+8], %s;", record, order)
	t("st.relaxed.gpu.global.u32 [%s+16], %%site;", record)
	t("st.relaxed.gpu.global.u32 [%s+20], %%object;", record)
	t("st.relaxed.gpu.global.u64 [%s+24], %%at;", record)
	for i := range 3 {
		t("st.relaxed.gpu.global.u32 [%s+%d], %s;", record, 32+4*i, w.e.grid.inGrid(i))
	}
	for i, g := range []string{x, y, z} {
		t("st.relaxed.gpu.global.u32 [%s+%d], %s;", record, 44+4*i, g)
	}
	w.Tail.WriteString("UNLOCK:\n")
	zero := w.Fresh(text.Word)
	t("mov.u32 %s, 0;", zero)
	t("st.release.gpu.global.u32 [%s], %s;", record, zero)
	t("ret;")
}
