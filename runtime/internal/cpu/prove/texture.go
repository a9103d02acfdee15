package prove

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// noteTexture notes what a call of a method does to texels.
func (a *analysis) noteTexture(in *ir.Instr) error {
	call := in.Aux.(*ir.TextureCall)
	object := a.origin[in.Args[ir.TextureHandleAt]]
	switch {
	case call.Method == tree.TextureAtomic:
		return errAtomic
	case call.Method >= tree.TextureWidth:
		return nil
	case object <= 0 || a.kernel.Objects[object].Kind != ir.TextureArgument:
		return errPointer
	}
	u := &a.uses[object]
	u.stores = u.stores || call.Method == tree.TextureWrite
	u.loads = u.loads || call.Method != tree.TextureWrite
	u.samples = u.samples || call.Method != tree.TextureWrite && call.Method != tree.TextureRead
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
	if call.Method != tree.TextureRead && call.Method != tree.TextureWrite {
		return
	}
	at := p.number(0)
	for _, c := range [...]struct {
		at     int
		method tree.TextureMethod
	}{
		{ir.TextureLevel, tree.TextureLevels}, {ir.TextureSample, tree.TextureSamples},
		{ir.TextureLayer, tree.TextureArraySize}, {ir.TextureFace, tree.TextureFence},
		{ir.TextureCoord + 2, tree.TextureDepth}, {ir.TextureCoord + 1, tree.TextureHeight},
		{ir.TextureCoord, tree.TextureWidth},
	} {
		place := in.Args[c.at]
		if place == 0 || c.at == ir.TextureLevel && p.known.isZero(place) {
			continue
		}
		n := p.number(6)
		if c.at != ir.TextureFace {
			n = size(p, in, call, c.method)
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
	if call.Method == tree.TextureRead && p.known.how.Race {
		at, shadow, s := p.place(place, access, false)
		p.doubt(p.Op(ir.OpLe, ir.S32, s.base, p.words(shadow, at...)[0]))
	}
	p.reach(object, call.Method == tree.TextureWrite, place, access)
}

// size returns a size of a texture.
func size(p *prover, in *ir.Instr, of *ir.TextureCall, method tree.TextureMethod) ir.Value {
	args := make([]ir.Value, ir.TextureTexel)
	args[ir.TextureHandleAt] = in.Args[ir.TextureHandleAt]
	if method <= tree.TextureDepth {
		args[ir.TextureLevel] = in.Args[ir.TextureLevel]
	}
	call := *of
	call.Method = method
	return p.Emit(ir.Instr{Op: ir.OpTexture, Args: args, Aux: &call}, ir.I32).Result()
}
