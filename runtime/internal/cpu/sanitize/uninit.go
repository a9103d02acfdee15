package sanitize

import (
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// reportUse reports an unset a that a thread uses.
func reportUse(f *interp.Frame, in *program.Instruction) {
	reportUnset(f, in, unsetAt(f, in.A), program.Purpose(in.Imm).String())
}

// reportTexel reports an unset a that is component imm of what is written to a texture, unless its format lacks that.
func reportTexel(f *interp.Frame, in *program.Instruction) {
	f.EachHandle(in.B, f.Mask, func(o *interp.Object, mask uint32) {
		if o.Texture != nil && o.Texture.Spec.Format.Info().Has(int(in.Imm)) {
			reportUnsetIn(f, mask, in, unsetAt(f, in.A), "writes it to a texture")
		}
	})
}

// reportUnset reports a register that has unset bits in an active lane: the thread does something with it
// that depends on them. The bits count as set from then on.
func reportUnset(f *interp.Frame, in *program.Instruction, u *unset, does string) {
	reportUnsetIn(f, f.Mask, in, u, does)
}

// reportUnsetIn is use for some of the active lanes.
func reportUnsetIn(f *interp.Frame, mask uint32, in *program.Instruction, u *unset, does string) {
	if u.lanes&mask != 0 {
		reportLane(f, in, u, bits.TrailingZeros32(u.lanes&mask), does)
		u.lanes &^= mask
	}
}

// reportLane reports one lane of a register.
func reportLane(f *interp.Frame, in *program.Instruction, u *unset, lane int, does string) {
	w, g, p := watcherOf(f), f.Group, f.Code
	if w.diverged {
		return
	}
	from := u.from[lane]
	info, pos, read := p.InfoOf(from.Info()), p.Positions[in.Pos], parser.Pos{}
	if from.Site() != 0 {
		read = p.Positions[from.Site()]
	}
	key := findingKey{kind: driver.CheckUninit, object: info.Name, first: pos, second: read}
	w.found.add(key, g.Number(), func() driver.Finding {
		thread, name := g.Thread(f, lane), info.Name
		if info.Element != nil {
			name = info.ElementAt(from.Offset())
		}
		msg := fmt.Sprintf("uninitialised %s: thread %s ", name, program.Tuple(thread))
		places := []parser.Pos{pos}
		if read.Line != 0 && read != pos {
			msg += "reads it at " + program.Position(read) + " and "
			places = append(places, read)
		}
		msg += does
		if info.Pos.Line != 0 {
			msg += "; it is declared at " + program.Position(info.Pos)
			places = append(places, info.Pos)
		}
		finding := driver.Finding{Kind: driver.CheckUninit, Kernel: p.Name, Msg: msg, Group: g.Position}
		for _, at := range places {
			finding.Places = append(finding.Places, w.place(at, thread, g.Position))
		}
		return finding
	})
}

// hand notes of an unset byte of memory that it was stored, and came of elsewhere.
func (w *watcher) hand(b *byte, from program.Origin) {
	if w.handed == nil {
		w.handed = map[*byte]program.Origin{}
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
