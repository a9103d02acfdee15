package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// textureCall writes a call of a method of a texture (section 6.12).
func textureCall(b *builder, e *tree.TextureCall) value {
	switch e.Method {
	case tree.TextureFence:
		b.out.write(ir.Instr{Op: ir.OpTextureFence, Args: b.out.args(b.value(e.Texture)[0])})
		return nil
	case tree.TextureIsNull:
		return b.out.single(b.out.op(ir.OpIsNull, ir.Ptr, b.value(e.Texture)[0]))
	case tree.TextureAtomic:
		return textureAtomic(b, e)
	}
	leaves := b.out.leavesOf(e.Type(), e.Position())
	results := textureOp(b, e, textureOperands(b, e), typesOf(leaves))
	for i, l := range leaves {
		results[i] = b.num.fit(l.kind, results[i])
	}
	return results
}

// textureOp adds the instruction.
func textureOp(b *builder, e *tree.TextureCall, operands []ir.Value, results []ir.Type) value {
	t := e.Texture.Type()
	call := &ir.TextureCall{
		Texture: *t.Texture, Elem: t.Scalar, Method: e.Method, Component: e.Component, Atomic: e.Atomic,
	}
	r := b.out.write(ir.Instr{Op: ir.OpTexture, Args: operands, Aux: call}, results...).Results
	return append(b.out.newValue(len(r))[:0], r...)
}

// textureOperands evaluates what a call takes, in the order of the source as far as that
// matters, with what it writes.
func textureOperands(b *builder, e *tree.TextureCall) []ir.Value {
	operands := b.out.List(ir.TextureTexel)
	for _, x := range [...]struct {
		e  tree.Expr
		at int
	}{
		{e.Texture, ir.TextureHandleAt}, {e.Sampler, ir.TextureSampler}, {e.Coord, ir.TextureCoord},
		{e.Face, ir.TextureFace}, {e.Index, ir.TextureLayer}, {e.Sample, ir.TextureSample}, {e.Level, ir.TextureLevel},
		{e.MinLOD, ir.TextureLeast}, {e.DX, ir.TextureDX}, {e.DY, ir.TextureDY}, {e.Offset, ir.TextureOffset},
		{e.Compare, ir.TextureCompare},
	} {
		if x.e != nil {
			copy(operands[x.at:], b.value(x.e))
		}
	}
	for _, x := range e.Value {
		operands = append(operands, b.value(x)...)
	}
	return operands
}

// textureAtomic writes an atomic function on the first component of a texel. Threads outside of the texture do
// nothing, and get zeros.
func textureAtomic(b *builder, e *tree.TextureCall) value {
	operands := textureOperands(b, e)
	k := e.Texture.Type().Scalar
	if e.Atomic == "compare_exchange_weak" {
		return b.out.single(texelExchange(b, e, operands, k))
	}
	leaves := b.out.leavesOf(e.Type(), e.Position())
	if len(leaves) == 0 {
		textureOp(b, e, operands, nil)
		return nil
	}
	results := b.out.zeros(leaves)
	results[0] = textureOp(b, e, operands, []ir.Type{heldAs(k)})[0]
	return results
}

// texelExchange writes compare_exchange_weak, which gives what the texel held, and whether there is one.
func texelExchange(b *builder, e *tree.TextureCall, operands []ir.Value, k tree.ScalarKind) ir.Value {
	t := e.Value[0].Type()
	to, l := ofPointer(t.Elem, operands[ir.TextureTexel], ir.SpaceNamed(t.Space)), leaf{kind: k}
	want := b.mem.loadLeaf(l, to, 0)
	operands[ir.TextureTexel] = want
	r := textureOp(b, e, operands, []ir.Type{l.held(), ir.Bool})
	old, inside := r[0], r[1]
	b.mem.storeLeaf(l, to, 0, b.out.choice(l.held(), inside, old, want))
	return b.out.op(ir.OpAnd, ir.Bool, inside, b.num.sameAs(k, old, want))
}
