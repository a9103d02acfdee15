package texel

import (
	"math/bits"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

type reg = vcode.Reg

// Writer is what the code is written with.
type Writer struct {
	Make func(in vcode.Instr) vcode.Reg // appends an instruction, and returns what it makes
	Emit func(in vcode.Instr)           // appends one that makes nothing
	Keep func(r vcode.Reg) vcode.Reg    // notes that a register is read more than once, and returns it
	Word func(v uint32) vcode.Reg       // a number in all elements
}

func (w *Writer) op(op vcode.Op, a, b reg) reg { return w.Make(vcode.Instr{Op: op, A: a, B: b}) }

func (w *Writer) opI(op vcode.Op, a reg, i int64) reg {
	return w.Make(vcode.Instr{Op: op, A: a, Imm: i})
}

// maxBytes bounds the bytes of a texel.
const maxBytes = 16

// Layout is how the texels of a format lie in memory: components of the same number of bits, one after the other.
type Layout struct {
	Bytes int // of a texel

	format *pixel.Info
	order  []int // the components as they lie in memory
	bits   int   // of a component
	kind   kind
}

// Of returns the layout of a format, or nil for one that has no code.
func Of(f pixel.Format) *Layout { return layouts()[f] }

// layouts are made when a layout is first asked for: most programs have no textures.
var layouts = sync.OnceValue(func() map[pixel.Format]*Layout {
	list := map[pixel.Format]*Layout{}
	for _, f := range pixel.Formats() {
		info := f.Info()
		order, n, ok := info.Order()
		if k, known := kinds[component{info.Encoding, n}]; ok && known && bits.OnesCount(uint(info.Size)) == 1 {
			list[f] = &Layout{Bytes: info.Size, format: info, order: order, bits: n, kind: k}
		}
	}
	return list
})

// Words returns how many words a texel has. One of less than a word has one, with zeros above it.
func (t *Layout) Words() int { return max(t.Bytes/4, 1) }

// Decode returns a component of texels, red to alpha, of vectors of their words.
func (t *Layout) Decode(w *Writer, words []vcode.Reg, component int) vcode.Reg {
	at := 0 // in bits
	for _, c := range t.order {
		if c == component {
			return t.kind.decode(w, t.field(w, words[at/32], at%32), t.bits)
		}
		at += t.bits
	}
	return w.Word(t.format.Zero[component])
}

// field returns some bits of words, with zeros above them, or, if components have a sign, at the upper end.
func (t *Layout) field(w *Writer, word reg, at int) reg {
	switch {
	case t.kind.signed:
		if left := 32 - t.bits - at; left > 0 {
			return w.opI(vcode.VShlI, word, int64(left))
		}
		return word
	case at > 0:
		word = w.opI(vcode.VShrI, word, int64(at))
	}
	if at+t.bits < min(8*t.Bytes, 32) {
		word = w.op(vcode.VAnd, word, w.Word(1<<t.bits-1))
	}
	return word
}

// Encode returns the words of texels, of their components.
func (t *Layout) Encode(w *Writer, components [4]vcode.Reg) []vcode.Reg {
	words := make([]reg, t.Words())
	at := 0 // in bits
	for _, c := range t.order {
		v := t.kind.encode(w, components[c], t.bits)
		word := &words[at/32]
		if at%32 > 0 {
			v = w.opI(vcode.VShlI, v, int64(at%32))
		}
		if *word != 0 {
			v = w.op(vcode.VOr, *word, v)
		}
		*word = v
		at += t.bits
	}
	return words
}
