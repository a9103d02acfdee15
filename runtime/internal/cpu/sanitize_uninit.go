package cpu

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// reportUse reports an unset a that a thread uses.
func reportUse(f *frame, in *instruction) {
	reportUnset(f, in, unsetAt(f, in.a), purpose(in.imm).String())
}

// reportTexel reports an unset a that is component imm of what is written to a texture, unless its format lacks that.
func reportTexel(f *frame, in *instruction) {
	f.eachHandle(in.b, f.mask, func(o *object, mask uint32) {
		if o.texture != nil && o.texture.spec.Format.Info().Has(int(in.imm)) {
			reportUnsetIn(f, mask, in, unsetAt(f, in.a), "writes it to a texture")
		}
	})
}

// reportUnset reports a register that has unset bits in an active lane: the thread does something with it
// that depends on them. The bits count as set from then on.
func reportUnset(f *frame, in *instruction, u *unset, does string) {
	reportUnsetIn(f, f.mask, in, u, does)
}

// reportUnsetIn is use for some of the active lanes.
func reportUnsetIn(f *frame, mask uint32, in *instruction, u *unset, does string) {
	if u.lanes&mask != 0 {
		reportLane(f, in, u, bits.TrailingZeros32(u.lanes&mask), does)
		u.lanes &^= mask
	}
}

// reportLane reports one lane of a register.
func reportLane(f *frame, in *instruction, u *unset, lane int, does string) {
	w, g, p := watcherOf(f), f.group, f.program
	if w.diverged {
		return
	}
	from := u.from[lane]
	info, pos, read := p.infoOf(from.info()), p.positions[in.pos], parser.Pos{}
	if from.site() != 0 {
		read = p.positions[from.site()]
	}
	key := findingKey{kind: driver.CheckUninit, object: info.name, first: pos, second: read}
	w.found.add(key, g.number(), func() driver.Finding {
		thread, name := g.thread(f, lane), info.name
		if info.element != nil {
			name = info.elementAt(from.offset())
		}
		msg := fmt.Sprintf("uninitialised %s: thread %s ", name, tuple(thread))
		places := []parser.Pos{pos}
		if read.Line != 0 && read != pos {
			msg += "reads it at " + position(read) + " and "
			places = append(places, read)
		}
		msg += does
		if info.pos.Line != 0 {
			msg += "; it is declared at " + position(info.pos)
			places = append(places, info.pos)
		}
		finding := driver.Finding{Kind: driver.CheckUninit, Kernel: p.name, Msg: msg, Group: g.position}
		for _, at := range places {
			finding.Places = append(finding.Places, w.place(at, thread, g.position))
		}
		return finding
	})
}

// hand notes of an unset byte of memory that it was stored, and came of elsewhere.
func (w *watcher) hand(b *byte, from origin) {
	if w.handed == nil {
		w.handed = map[*byte]origin{}
	}
	w.handed[b] = from
}

// forgetHanded forgets that bytes were stored.
func (w *watcher) forgetHanded(list []byte) {
	first, last := &list[0], &list[len(list)-1]
	for b := range w.handed {
		if uintptr(unsafe.Pointer(b)) >= uintptr(unsafe.Pointer(first)) &&
			uintptr(unsafe.Pointer(b)) <= uintptr(unsafe.Pointer(last)) {
			delete(w.handed, b)
		}
	}
}
