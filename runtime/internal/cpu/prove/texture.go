package prove

import "github.com/metalgen/metalgen/internal/ir"

// noteTexture notes what a call of a method does to texels.
func (a *analysis) noteTexture(in *ir.Instr) error {
	call := in.Aux.(*ir.TextureCall)
	object := a.origin[in.Args[ir.TextureHandleAt]]
	switch {
	case call.Atomic != "":
		return errAtomic
	case !ir.ReadsTexel(call) && !ir.WritesTexel(call) && !ir.SamplesTexels(call):
		return nil
	case object <= 0 || a.kernel.Objects[object].Kind != ir.TextureArgument:
		return errPointer
	}
	u := &a.uses[object]
	u.stores = u.stores || ir.WritesTexel(call)
	u.loads = u.loads || !ir.WritesTexel(call)
	u.samples = u.samples || ir.SamplesTexels(call)
	u.levels = u.levels || !a.isZero(in.Args[ir.TextureLevel]) || in.Args[ir.TextureSample] != 0
	if u.stores {
		u.grain = 4 // a texel counts as a word
	}
	if u.stores && (u.samples || u.levels) {
		return errTexel
	}
	return nil
}

// isZero reports whether a number is 0, or left out.
func (a *analysis) isZero(v ir.Value) bool {
	n, known := a.kernel.Bits(v)
	return v == 0 || known && n == 0
}

// texel writes what comes before a texel is read or written: it is inside. Where the kernel writes the texture, its
// threads race as for other memory, and a thread that reads what it has written itself is in doubt.
func texel(p *prover, in *ir.Instr) {
	call := in.Aux.(*ir.TextureCall)
	if !ir.ReadsTexel(call) && !ir.WritesTexel(call) {
		return
	}
	at := p.number(0)
	for _, operand := range [...]int{ir.TextureLevel, ir.TextureSample, ir.TextureLayer, ir.TextureFace,
		ir.TextureCoord + 2, ir.TextureCoord + 1, ir.TextureCoord} {
		place := in.Args[operand]
		if place == 0 || operand == ir.TextureLevel && p.known.isZero(place) {
			continue
		}
		n := p.number(6) // faces
		if size, args := ir.TexelBound(call, operand, in.Args); size != nil {
			n = p.Emit(ir.Instr{Op: ir.OpTexture, Args: args, Aux: size}, ir.I32).Result()
		}
		p.doubt(p.Op(ir.OpLe, ir.U32, n, place))
		at = p.add(p.times(at, n), place)
	}
	object := int(p.known.origin[in.Args[ir.TextureHandleAt]])
	if p.shadows[shadowOf{object, false}] == 0 {
		return
	}
	place := []ir.Value{p.start(object), at}
	access := &ir.Access{Space: ir.Device, Kind: ir.Word32, Count: 1, Index: ir.U32, Scale: 4}
	if ir.ReadsTexel(call) && p.known.how.Race {
		at, shadow, s := p.place(place, access, false)
		p.doubt(p.Op(ir.OpLe, ir.S32, s.base, p.words(shadow, at...)[0]))
	}
	p.reach(object, ir.WritesTexel(call), place, access)
}
