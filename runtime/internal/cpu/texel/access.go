package texel

import "github.com/metalgen/metalgen/runtime/internal/cpu/vcode"

// Coordinate is one coordinate of the texels of all lanes. If it is the same in all of them, or counts up by 1, Base is
// its register, of 32 bits.
type Coordinate struct {
	Base   vcode.Reg
	Counts bool
	Lanes  func(part int) vcode.Reg
}

// same reports whether the coordinate is the same in all lanes.
func (c *Coordinate) same() bool { return c == nil || c.Base != 0 && !c.Counts }

// Access is a read or a write of a texel by each lane. Where a texture has no such texel, a read makes zeros, and a
// write does nothing.
type Access struct {
	Writer
	*Layout
	X, Y *Coordinate // Y is nil for a texture that is a row
	// First is the address of the first texel, Row the bytes from a row to the next one, and Width and Height are how
	// many texels there are.
	First, Row, Width, Height vcode.Reg

	Active       func(part int) vcode.Reg // the active lanes
	Parts, Lanes int                      // vectors of the words of all lanes, and their elements

	row, count reg // the address of a row and how many texels it has, where all lanes have the same
}

const width = 32

// findRow finds the row, where it is the same in all lanes.
func (a *Access) findRow() bool {
	a.row, a.count = a.First, a.Width
	if a.Y == nil || !a.Y.same() {
		return a.Y == nil
	}
	y := a.number(a.Y)
	a.row = a.Keep(a.op(vcode.GAdd, a.row, a.op(vcode.GMul, y, a.Row)))
	inside := a.Make(vcode.Instr{Op: vcode.GSet, Cond: vcode.LtU, A: y, B: a.Height})
	a.count = a.Keep(a.op(vcode.GAnd, inside, a.Width))
	return true
}

// number returns the base of a coordinate, without a sign.
func (a *Access) number(c *Coordinate) reg { return a.Keep(a.opI(vcode.GExtU32, c.Base, 0)) }

// IsOne reports whether all lanes have the same texel.
func (a *Access) IsOne() bool { return a.X.same() && a.Y.same() }

// One returns the words of the texel that all lanes read, in all elements.
func (a *Access) One() []vcode.Reg {
	a.findRow()
	x := a.number(a.X)
	inside := a.Keep(a.Make(vcode.Instr{Op: vcode.GSet, Cond: vcode.LtU, A: x, B: a.count}))
	at := a.op(vcode.GAdd, a.row, a.opI(vcode.GMul, x, int64(a.Bytes)))
	at = a.Keep(a.Make(vcode.Instr{Op: vcode.GPick, A: at, B: a.First, C: inside})) // there is always one
	ones := a.Keep(a.op(vcode.VSplat32, inside, 0))
	words := make([]reg, a.Words())
	for i := range words {
		var v reg
		switch a.Bytes {
		case 1:
			v = a.op(vcode.VSplat32, a.opI(vcode.GLoad8, at, 0), 0)
		case 2:
			v = a.op(vcode.VSplat32, a.opI(vcode.GLoad16, at, 0), 0)
		default:
			v = a.opI(vcode.VLoadSplat32, at, int64(4*i))
		}
		words[i] = a.Keep(a.op(vcode.VAnd, v, ones))
	}
	return words
}

// Read returns what makes the words of the texels of a part. Room returns where in the Run there is memory for some
// bytes, such as the copy of a row, or false where there is no more.
func (a *Access) Read(room func(bytes int32) (at int64, ok bool)) func(part int) []vcode.Reg {
	inRow := a.findRow()
	if inRow && a.X.Counts {
		if copied, ok := room(int32(width * a.Bytes)); ok {
			row := Row{At: a.Keep(a.Make(a.alongRow(copied, 0)))}
			return func(part int) []reg { return a.Load(row, part) }
		}
	}
	list, inside := a.indexes(inRow)
	gather := vcode.VGather32
	switch a.Bytes {
	case 1:
		gather = vcode.VGather8
	case 2:
		gather = vcode.VGather16
	}
	from := make([]reg, a.Words())
	for i := range from {
		if from[i] = a.row; i > 0 {
			from[i] = a.Keep(a.opI(vcode.GAdd, a.row, int64(4*i)))
		}
	}
	return func(part int) []reg {
		words := make([]reg, len(from))
		for i := range from {
			words[i] = a.Keep(a.Make(vcode.Instr{Op: gather, A: from[i], B: list[part], C: inside[part]}))
		}
		return words
	}
}

// ScratchBytes is how much memory a write takes in the Run: for texels, and for where they belong.
const ScratchBytes = (maxBytes + 4) * width

// Write writes texels, whose components are values returns for each part, by way of memory in the Run.
func (a *Access) Write(values func(part int) [4]vcode.Reg, scratch int64) {
	inRow := a.findRow()
	if inRow && a.X.Counts {
		along := a.alongRow(scratch, 1)
		to := a.Keep(a.Make(along))
		a.storeAll(values, Row{At: to})
		along.Op, along.Args = vcode.TexelsOut, []reg{to}
		a.Emit(along)
		return
	}
	list, inside := a.indexes(inRow)
	a.storeAll(values, Row{At: vcode.Run, Disp: scratch})
	places := scratch + maxBytes*width
	for part, v := range list {
		a.Emit(vcode.Instr{Op: vcode.VStore, A: vcode.Run, B: v, Imm: places + int64(4*a.Lanes*part)})
	}
	lanes := a.Keep(a.Make(vcode.Instr{Op: vcode.PToBits, Args: inside}))
	a.Emit(vcode.Instr{
		Op: vcode.TexelScatter, A: a.row, B: lanes, Imm: int64(a.Bytes), Imm2: scratch, More: int32(places),
	})
}

// storeAll stores the texels of all lanes side by side.
func (a *Access) storeAll(values func(part int) [4]vcode.Reg, to Row) {
	for part := range a.Parts {
		a.Store(to, part, a.Encode(&a.Writer, values(part)))
	}
}

// alongRow returns a macro on the texels of a row, with memory for a copy.
func (a *Access) alongRow(copied int64, writes int32) vcode.Instr {
	by := a.opI(vcode.GMul, a.op(vcode.GExtS32, a.X.Base, 0), int64(a.Bytes))
	return vcode.Instr{
		Op: vcode.TexelRow, A: a.Keep(a.op(vcode.GAdd, a.row, by)), B: a.number(a.X), C: a.count,
		Imm: int64(a.Bytes), Imm2: copied, More: writes,
	}
}

// indexes returns how many bytes the texels of lanes are away from the row, or the first one, with the active lanes
// that have one.
func (a *Access) indexes(inRow bool) (list, inside []reg) {
	list, inside = make([]reg, a.Parts), make([]reg, a.Parts)
	splat := func(v reg) reg { return a.Keep(a.op(vcode.VSplat32, v, 0)) }
	less := func(x, y reg) reg { return a.Make(vcode.Instr{Op: vcode.VCmp, Cond: vcode.LtU, A: x, B: y}) }
	count, height, by := splat(a.count), reg(0), reg(0)
	if !inRow {
		height, by = splat(a.Height), splat(a.Row)
	}
	for part := range list {
		x := a.X.Lanes(part)
		in := a.op(vcode.PAnd, less(x, count), a.Active(part))
		at := a.op(vcode.VMul, x, a.Word(uint32(a.Bytes)))
		if !inRow {
			y := a.Y.Lanes(part)
			in = a.op(vcode.PAnd, in, less(y, height))
			at = a.op(vcode.VAdd, at, a.op(vcode.VMul, y, by))
		}
		list[part], inside[part] = a.Keep(at), a.Keep(in)
	}
	return list, inside
}
