package cpu

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// textureCall is a call of a method of a texture: the registers of what it takes, 0 for
// what it does not, and of its results.
type textureCall struct {
	typ   *tree.Type // of the texture, and what follows from it
	form  bind.TextureType
	sees  uint8               // the types of texels, of package pixel, that it sees: 1 << pixel.Type
	usage driver.TextureUsage // that the texture has to be made for

	texture, sampler                           int32
	coord                                      [3]int32 // float where it samples, else uint
	face, layer, sample, level, least, compare int32
	offset                                     [3]int32
	gradient                                   [2][3]int32
	component                                  int
	texel                                      [4]int32 // that is written
	results                                    [4]int32
	writes                                     bool
}

// textureOps are the operations of methods. imm is the number of the textureCall.
var textureOps = map[tree.TextureMethod]operation{
	tree.TextureRead:          readTexels,
	tree.TextureWrite:         writeTexels,
	tree.TextureSample:        sampleTexels,
	tree.TextureSampleCompare: compareTexels,
	tree.TextureGather:        gatherTexels,
	tree.TextureGatherCompare: gatherCompared,
	tree.TextureWidth:         textureSize(func(t *texture, level int) int { return t.extent(level, 0) }),
	tree.TextureHeight:        textureSize(func(t *texture, level int) int { return t.extent(level, 1) }),
	tree.TextureDepth:         textureSize(func(t *texture, level int) int { return t.extent(level, 2) }),
	tree.TextureArraySize:     textureSize(func(t *texture, _ int) int { return t.spec.Length }),
	tree.TextureLevels:        textureSize(func(t *texture, _ int) int { return t.spec.Levels }),
	tree.TextureSamples:       textureSize(func(t *texture, _ int) int { return t.spec.Samples }),
}

// textureCall lowers a call of a method of a texture.
func (b *builder) textureCall(e *tree.TextureCall) value {
	switch e.Method {
	case tree.TextureFence: // what a lane writes is there at once
		b.effect(e.Texture)
		if b.sanitize {
			b.emit(instruction{run: passTextureFence})
		}
		return nil
	case tree.TextureIsNull:
		return value{b.op(maskClass, isNullTexture, b.value(e.Texture)[0])}
	case tree.TextureAtomic:
		return b.textureAtomic(e)
	}
	call, texel := b.textureOperands(e)
	copy(call.texel[:], texel)
	b.decidesTexel(call.texture, texel)
	leaves := b.leaves(e.Type(), e.Position())
	results := make(value, len(leaves))
	if len(results) > 0 {
		for i := range call.results { // of a depth there are three that nobody looks at
			call.results[i] = b.newTemp(wordClass)
		}
		copy(results, call.results[:])
	}
	number := b.program.addTextureCall(call)
	b.touchTexels(e.Method, number)
	b.emit(instruction{run: textureOps[e.Method], imm: number})
	for i, l := range leaves {
		results[i] = b.fit(l.kind, results[i])
	}
	return results
}

// textureOperands evaluates what a call takes, in the order of the source as far as that
// matters, and returns the texels that it writes.
func (b *builder) textureOperands(e *tree.TextureCall) (textureCall, value) {
	t := e.Texture.Type()
	call := textureCall{
		typ: t, form: bind.TextureType(t.Texture.Form), sees: texelsSeen(t), usage: textureUsages[e.Method],
	}
	one := func(to *int32) func(v value) { return func(v value) { *to = v[0] } }
	many := func(to *[3]int32) func(v value) { return func(v value) { copy(to[:], v) } }
	var texel value
	var list []tree.Expr
	var sets []func(v value)
	for _, operand := range []struct {
		e   tree.Expr
		set func(v value)
	}{
		{e.Texture, one(&call.texture)}, {e.Sampler, one(&call.sampler)}, {e.Coord, many(&call.coord)},
		{e.Face, one(&call.face)}, {e.Index, one(&call.layer)}, {e.Sample, one(&call.sample)},
		{e.Level, one(&call.level)}, {e.MinLOD, one(&call.least)}, {e.DX, many(&call.gradient[0])},
		{e.DY, many(&call.gradient[1])}, {e.Offset, many(&call.offset)},
		{e.Compare, one(&call.compare)},
	} {
		if operand.e != nil {
			list, sets = append(list, operand.e), append(sets, operand.set)
		}
	}
	for _, e := range e.Value {
		list, sets = append(list, e), append(sets, func(v value) { texel = append(texel, v...) })
	}
	for i, v := range b.operands(list...) {
		sets[i](v)
	}
	call.component = e.Component
	b.decides("chooses a texture by it", call.texture, call.sampler)
	b.decides("computes a coordinate of it", call.coord[0], call.coord[1], call.coord[2], call.face, call.layer,
		call.sample, call.level, call.least, call.compare, call.offset[0], call.offset[1], call.offset[2])
	for _, g := range call.gradient {
		b.decides("computes a gradient of it", g[:]...)
	}
	return call, texel
}

// textureUsages are what a texture has to be made for.
var textureUsages = map[tree.TextureMethod]driver.TextureUsage{
	tree.TextureRead: driver.TextureRead, tree.TextureWrite: driver.TextureWrite,
	tree.TextureSample: driver.TextureRead, tree.TextureSampleCompare: driver.TextureRead,
	tree.TextureGather: driver.TextureRead, tree.TextureGatherCompare: driver.TextureRead,
	tree.TextureAtomic: driver.TextureAtomic,
}

// texelsSeen returns the types of texels that a type of textures is for.
func texelsSeen(t *tree.Type) uint8 {
	switch {
	case t.Texture.Depth:
		return 1 << pixel.Depth
	case floating(t.Scalar):
		return 1<<pixel.Floating | 1<<pixel.Depth
	case signed(t.Scalar):
		return 1 << pixel.Signed
	}
	return 1 << pixel.Unsigned
}

// addTextureCall returns the number of a call.
func (p *program) addTextureCall(c textureCall) int64 {
	p.textures = append(p.textures, c)
	return int64(len(p.textures) - 1)
}

// textureAtomic lowers an atomic function on the first component of a texel, which is
// memory like other. Lanes outside of the texture do nothing, and get zeros.
func (b *builder) textureAtomic(e *tree.TextureCall) value {
	call, operands := b.textureOperands(e)
	if call.writes = e.Atomic != "load"; !call.writes {
		call.usage |= driver.TextureRead
	}
	at, inside := b.newTemp(longClass), b.newTemp(maskClass)
	b.emit(instruction{run: texelAddresses, imm: b.program.addTextureCall(call), d: at, c: inside})
	leaves := b.leaves(e.Type(), e.Position())
	results := make(value, len(leaves))
	for i, l := range leaves {
		results[i] = b.newTemp(l.class())
		b.clear(l.class(), results[i])
	}
	scope := b.scope()
	b.branch(inside, func() {
		mark := b.mark()
		if r := b.texelAtomic(e, at, operands); len(results) > 0 {
			b.assign(leaves[0].class(), results[0], r, scope)
		}
		b.release(mark)
	}, nil, false)
	return results
}

// texelAtomic does it at an address, and returns the first component of the result.
func (b *builder) texelAtomic(e *tree.TextureCall, at int32, operands value) int32 {
	k := e.Texture.Type().Scalar
	pointer := tree.PointerTo(tree.ScalarType(k), "device", false)
	switch name := e.Atomic; name {
	case "compare_exchange_weak":
		t := e.Value[0].Type()
		expected := inMemoryAt(t.Elem, operands[0], 0).in(t.Space)
		return b.compareExchange(pointer, leaf{kind: k}, at, expected, operands[1])
	case "load":
		return exchange(b.assembler, pointer, k, "load", at, b.constantOf(classOf(k), 0))
	case "store":
		return exchange(b.assembler, pointer, k, "exchange", at, operands[0])
	default:
		return exchange(b.assembler, pointer, k, strings.TrimPrefix(name, "fetch_"), at, operands[0])
	}
}
