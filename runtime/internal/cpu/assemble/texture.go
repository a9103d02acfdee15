package assemble

import (
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// textures writes calls of methods of textures.
type textures struct {
	code    *code
	fn      *ranges
	values  *values
	checks  *checks
	atomics *atomics
	flow    *flow
}

// texture writes a call of a method of a texture.
func (e *textures) texture(in *ir.Instr) {
	aux := in.Aux.(*ir.TextureCall)
	if len(in.Results) > 0 && e.values.facts.fixed[in.Results[0]] != 0 {
		return // a size of the prologue
	}
	call := e.textureOperands(in, aux)
	if aux.Method == tree.TextureAtomic {
		e.textureAtomic(in, aux, call)
		return
	}
	texel := in.Args[min(ir.TextureTexel, len(in.Args)):]
	for i, v := range texel {
		call.Texel[i] = e.values.reg(v)
	}
	e.checks.decidesTexel(call.Texture, texel)
	var temps []int32
	for i := range call.Results {
		if len(in.Results) == 0 {
			break
		}
		if i < len(in.Results) {
			if w := e.values.webOfValue(in.Results[i]); w != nil && !e.values.isMasked(w) {
				e.values.begin(w)
				call.Results[i] = w.reg
				continue
			}
		}
		call.Results[i] = e.code.regs.allocate(program.WordClass) // of a depth there are three that nobody looks at
		temps = append(temps, call.Results[i])
	}
	number := e.code.program.AddTextureCall(call)
	e.checks.touchTexture(aux.Method, number)
	e.code.emit(program.Instruction{Op: program.OpTextures + program.Opcode(aux.Method), Imm: number})
	for i, v := range in.Results {
		if w := e.values.webOfValue(v); w != nil {
			e.values.assign(w, call.Results[i], 0)
		}
	}
	for _, t := range temps {
		e.code.regs.giveBack(program.WordClass, t)
	}
}

// textureOperands returns the registers of what a call takes.
func (e *textures) textureOperands(in *ir.Instr, aux *ir.TextureCall) program.TextureCall {
	info := aux.Texture
	t := tree.TextureOf(info, aux.Elem)
	call := program.TextureCall{Type: t, Form: info.Form, Sees: texelsSeen(t),
		Usage: textureUsages[aux.Method]}
	one := func(to *int32, at int) { *to = e.values.reg(in.Args[at]) }
	three := func(to *[3]int32, at int) {
		for i := range to {
			to[i] = e.values.reg(in.Args[at+i])
		}
	}
	one(&call.Texture, ir.TextureHandleAt)
	one(&call.Sampler, ir.TextureSampler)
	three(&call.Coord, ir.TextureCoord)
	one(&call.Face, ir.TextureFace)
	one(&call.Layer, ir.TextureLayer)
	one(&call.Sample, ir.TextureSample)
	one(&call.Level, ir.TextureLevel)
	one(&call.Least, ir.TextureLeast)
	three(&call.Gradient[0], ir.TextureDX)
	three(&call.Gradient[1], ir.TextureDY)
	three(&call.Offset, ir.TextureOffset)
	one(&call.Compare, ir.TextureCompare)
	call.Component = aux.Component
	a := in.Args
	e.checks.decides(program.UseHandle, a[ir.TextureHandleAt], a[ir.TextureSampler])
	e.checks.decides(program.UseCoordinate, a[ir.TextureCoord], a[ir.TextureCoord+1], a[ir.TextureCoord+2],
		a[ir.TextureFace], a[ir.TextureLayer], a[ir.TextureSample], a[ir.TextureLevel], a[ir.TextureLeast],
		a[ir.TextureCompare], a[ir.TextureOffset], a[ir.TextureOffset+1], a[ir.TextureOffset+2])
	e.checks.decides(program.UseGradient, a[ir.TextureDX:ir.TextureDX+3]...)
	e.checks.decides(program.UseGradient, a[ir.TextureDY:ir.TextureDY+3]...)
	return call
}

// textureAtomic writes an atomic function on the first component of a texel, which is memory like other. Lanes outside
// of the texture do nothing, and get zeros.
func (e *textures) textureAtomic(in *ir.Instr, aux *ir.TextureCall, call program.TextureCall) {
	if call.Writes = aux.Atomic != "load"; !call.Writes {
		call.Usage |= driver.TextureRead
	}
	operands := in.Args[min(ir.TextureTexel, len(in.Args)):]
	kind := ir.ScalarOf(aux.Elem)
	e.code.temporary(program.LongClass, func(at int32) {
		e.code.temporary(program.MaskClass, func(inside int32) {
			addresses := program.OpTexelAddresses.Instruction()
			addresses.Imm, addresses.D, addresses.C = e.code.program.AddTextureCall(call), at, inside
			e.code.emit(addresses)
			e.insideTexture(in, aux, kind, at, inside, operands)
		})
	})
}

// insideTexture writes the operation for the lanes in a mask.
func (e *textures) insideTexture(in *ir.Instr, aux *ir.TextureCall, kind ir.Scalar, at, inside int32,
	operands []ir.Value) {
	c := classOfValue(kind.Held())
	old := e.code.regs.allocate(c)
	e.code.copyTo(c, old, e.code.constant(c, 0))
	entry, active := e.code.regs.allocate(program.MaskClass), e.code.regs.allocate(program.MaskClass)
	over := newLabel()
	e.code.jump(program.Instruction{Flow: program.FlowIf, A: inside, D: entry, B: active}, over)
	name := strings.TrimPrefix(aux.Atomic, "fetch_")
	e.checks.touchAtomic(ir.Device, at, kind, name != "load")
	e.code.temporary(c, func(t int32) {
		if name == "compare_exchange_weak" {
			e.checks.decides(program.UseCompare, operands[0])
			e.checks.decides(program.UseAtomic, operands[1])
			e.atomics.compareCell(kind, at, e.values.reg(operands[1]), e.values.reg(operands[0]), t)
		} else {
			call := atomicCall{space: ir.Device, op: texelAtomics[name], kind: kind, on: ir.TypeOf(aux.Elem),
				pointer: at, old: t}
			if len(operands) > 0 {
				e.checks.decides(program.UseAtomic, operands[0])
				call.value = e.values.reg(operands[0])
			}
			e.atomics.exchangeCell(&call, 0)
		}
		e.checks.observeAtomic(at, kind)
		blend := blendOps[c].Instruction()
		blend.D, blend.A = old, t
		e.code.emit(blend)
	})
	e.code.here(over)
	e.code.jump(program.Instruction{Flow: program.FlowEnd, D: entry}, e.neverTakenHere())
	e.code.regs.giveBack(program.MaskClass, entry)
	e.code.regs.giveBack(program.MaskClass, active)
	for i, v := range in.Results {
		w := e.values.webOfValue(v)
		if w == nil {
			continue
		}
		if masked, _ := e.values.masksOf(w); !masked {
			e.values.begin(w)
		}
		if from := [2]int32{old, inside}; i < len(from) {
			e.values.assign(w, from[i], 0)
		}
	}
	e.code.regs.giveBack(c, old)
}

// texelAtomics are the atomic functions of textures.
var texelAtomics = map[string]ir.AtomicOp{
	"load": ir.AtomicLoad, "store": ir.AtomicSwap, "exchange": ir.AtomicSwap, "add": ir.AtomicAdd, "sub": ir.AtomicSub,
	"and": ir.AtomicAnd, "or": ir.AtomicOr, "xor": ir.AtomicXor, "max": ir.AtomicMax, "min": ir.AtomicMin,
}

// neverTakenHere is neverTaken for a construct that is opened and closed within a step.
func (e *textures) neverTakenHere() *label {
	return e.flow.neverTaken(&laneConstruct{outer: e.fn.steps[e.fn.at].construct})
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
	case program.Floating(t.Scalar):
		return 1<<pixel.Floating | 1<<pixel.Depth
	case program.Signed(t.Scalar):
		return 1 << pixel.Signed
	}
	return 1 << pixel.Unsigned
}
