package texel

import "github.com/metalgen/metalgen/runtime/internal/cpu/vcode"

// Row is where texels lie side by side: at a number of bytes after At.
type Row struct {
	At   vcode.Reg
	Disp int64
}

// Load returns the words of the texels of a part of a row.
func (a *Access) Load(r Row, part int) []vcode.Reg {
	vector := func(op vcode.Op, i int) reg { return a.opI(op, r.At, r.Disp+a.partAt(part, i)) }
	switch a.Bytes {
	case 1:
		return []reg{a.Keep(vector(vcode.VLoad8, 0))}
	case 2:
		return []reg{a.Keep(vector(vcode.VLoad16, 0))}
	case 4:
		return []reg{a.Keep(vector(vcode.VLoad, 0))}
	case 8:
		x, y := a.apart(vector(vcode.VLoad, 0), vector(vcode.VLoad, 1))
		return []reg{x, y}
	}
	x0, y0 := a.apart(vector(vcode.VLoad, 0), vector(vcode.VLoad, 1))
	x1, y1 := a.apart(vector(vcode.VLoad, 2), vector(vcode.VLoad, 3))
	x, z := a.apart(x0, x1)
	y, v := a.apart(y0, y1)
	return []reg{x, y, z, v}
}

// Store stores the words of the texels of a part of a row.
func (a *Access) Store(r Row, part int, words []vcode.Reg) {
	vectors, op := words, vcode.VStore
	switch a.Bytes {
	case 1:
		op = vcode.VStore8
	case 2:
		op = vcode.VStore16
	case 8:
		lower, upper := a.together(words[0], words[1])
		vectors = []reg{lower, upper}
	case maxBytes:
		x0, x1 := a.together(words[0], words[2])
		y0, y1 := a.together(words[1], words[3])
		first, second := a.together(x0, y0)
		third, fourth := a.together(x1, y1)
		vectors = []reg{first, second, third, fourth}
	}
	for i, v := range vectors {
		a.Emit(vcode.Instr{Op: op, A: r.At, B: v, Imm: r.Disp + a.partAt(part, i)})
	}
}

// partAt returns where a vector of the texels of a part is in a row.
func (a *Access) partAt(part, vector int) int64 {
	return int64(part*a.Lanes*a.Bytes + vector*4*a.Lanes)
}

// apart returns the words of two vectors at even places, and those at odd ones.
func (w *Writer) apart(a, b reg) (even, odd reg) {
	return w.Keep(w.op(vcode.VNarrow, a, b)), w.Keep(w.Make(vcode.Instr{Op: vcode.VNarrow, A: a, B: b, Imm: 1}))
}

// together is the inverse of apart.
func (w *Writer) together(even, odd reg) (lower, upper reg) {
	of := func(extend vcode.Op) reg {
		return w.Keep(w.op(vcode.VOr, w.op(extend, even, 0), w.opI(vcode.VShlQI, w.op(extend, odd, 0), 32)))
	}
	return of(vcode.VExtLoU), of(vcode.VExtHiU)
}
