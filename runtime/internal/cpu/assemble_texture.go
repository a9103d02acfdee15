package cpu

import (
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// Atomic functions, and methods of textures.

// atomicCall is an atomic operation on what a register points to.
type atomicCall struct {
	space   ir.Space
	op      ir.AtomicOp
	kind    ir.Scalar
	on      ir.Type
	pointer int32
	value   int32 // register
	old     int32 // register of what was there
}

func (e *emitter) atomic(in *ir.Instr) {
	a := in.Aux.(*ir.AtomicAccess)
	pointer := e.reg(in.Args[0])
	e.touchAtomic(a.Space, pointer, a.Kind, a.Op != ir.AtomicLoad)
	e.decidesAtomic(in.Args[0], in.Args[1])
	call := atomicCall{space: a.Space, op: a.Op, kind: a.Kind, on: in.Type, pointer: pointer, value: e.reg(in.Args[1])}
	e.exchangeInto(in.Result(), &call)
	e.observeAtomic(pointer, a.Kind)
}

func (e *emitter) decidesAtomic(pointer, value ir.Value) {
	e.decides(useAddress, pointer)
	e.decides(useAtomic, value)
}

// exchangeInto writes an atomic operation whose result is a value, which nobody may want.
func (e *emitter) exchangeInto(v ir.Value, call *atomicCall) {
	c := classOfValue(call.on.Held())
	e.temporary(c, func(old int32) {
		call.old = old
		w := e.webOfValue(v)
		if w != nil {
			if masked, _ := e.masksOf(w); !masked {
				e.begin(w)
				call.old = w.reg
			}
		}
		unset := int32(0)
		if e.uninit && call.space != ir.Device {
			unset = e.allocate(unsetClass)
		}
		e.exchangeCell(call, unset)
		if w != nil {
			e.assign(w, call.old, unset)
		}
		if unset != 0 {
			e.giveBack(unsetClass, unset)
		}
	})
}

// unsetAtomic adds what an atomic function does to what is unset. A function that computes a new value of the old one
// decides something by it.
func (e *emitter) unsetAtomic(call *atomicCall, unset int32, decides bool) {
	if unset == 0 {
		return
	}
	e.emit(instruction{op: opUnsetLoads + opcode(call.kind), a: call.pointer, d: unset})
	if call.op == ir.AtomicLoad {
		return
	}
	if decides {
		e.emit(instruction{op: opUse, a: unset, imm: int64(useChange)})
	}
	e.emit(instruction{op: opUnsetStores + opcode(call.kind), a: call.pointer})
}

// exchangeCell adds the operation; bools go through as numbers.
func (e *emitter) exchangeCell(call *atomicCall, unset int32) {
	e.unsetAtomic(call, unset, call.op != ir.AtomicSwap)
	if call.kind == ir.Byte {
		op := opAtomicSwapBool
		if call.op == ir.AtomicLoad {
			op = opAtomicLoadBool
		}
		e.asNumber(call.value, func(v int32) {
			e.fromNumber(call.old, func(old int32) {
				e.emit(instruction{op: op, d: old, a: call.pointer, b: v})
			})
		})
		return
	}
	in := instruction{op: atomicOn(call.op, call.on), d: call.old, a: call.pointer, b: call.value}
	if call.op == ir.AtomicLoad {
		in.b = 0
	}
	e.emit(in)
}

// asNumber calls do with the register of a bool as a number.
func (e *emitter) asNumber(mask int32, do func(v int32)) {
	e.temporary(wordClass, func(v int32) {
		in := numberOf(ir.OpFromBool, ir.I32, 0).instruction()
		in.d, in.a = v, mask
		e.emit(in)
		do(v)
	})
}

// fromNumber calls do with a register, and makes the number in it a bool.
func (e *emitter) fromNumber(mask int32, do func(v int32)) {
	e.temporary(wordClass, func(v int32) {
		do(v)
		in := numberOf(ir.OpToBool, ir.I32, 0).instruction()
		in.d, in.a = mask, v
		e.emit(in)
	})
}

// exchange writes a compare and exchange.
func (e *emitter) exchange(in *ir.Instr) {
	a := in.Aux.(*ir.AtomicAccess)
	pointer := e.reg(in.Args[0])
	e.touchAtomic(a.Space, pointer, a.Kind, true)
	e.decides(useCompare, in.Args[2])
	e.decidesAtomic(in.Args[0], in.Args[1])
	e.compareInto(in.Result(), a.Space, a.Kind, pointer, e.reg(in.Args[1]), e.reg(in.Args[2]))
	e.observeAtomic(pointer, a.Kind)
}

func (e *emitter) compareInto(v ir.Value, space ir.Space, kind ir.Scalar, pointer, value, want int32) {
	e.temporary(classOfValue(kind.Held()), func(t int32) {
		old, w := t, e.webOfValue(v)
		if w != nil {
			if masked, _ := e.masksOf(w); !masked {
				e.begin(w)
				old = w.reg
			}
		}
		unset := int32(0)
		if e.uninit && space != ir.Device {
			unset = e.allocate(unsetClass)
		}
		e.unsetAtomic(&atomicCall{op: ir.AtomicAdd, kind: kind, pointer: pointer}, unset, true)
		e.compareCell(kind, pointer, value, want, old)
		if w != nil {
			e.assign(w, old, unset)
		}
		if unset != 0 {
			e.giveBack(unsetClass, unset)
		}
	})
}

// compareCell adds the operation.
func (e *emitter) compareCell(kind ir.Scalar, pointer, value, want, old int32) {
	if kind == ir.Byte {
		e.asNumber(value, func(v int32) {
			e.asNumber(want, func(w int32) {
				e.fromNumber(old, func(d int32) {
					e.emit(instruction{op: opAtomicCompareBool, d: d, a: pointer, b: v, c: w})
				})
			})
		})
		return
	}
	op := opAtomicCompareWord
	if kind.Bytes() == 8 {
		op = opAtomicCompareLong
	}
	e.emit(instruction{op: op, d: old, a: pointer, b: value, c: want})
}

// texture writes a call of a method of a texture.
func (e *emitter) texture(in *ir.Instr) {
	aux := in.Aux.(*ir.TextureCall)
	call := e.textureOperands(in, aux)
	if aux.Method == tree.TextureAtomic {
		e.textureAtomic(in, aux, call)
		return
	}
	texel := in.Args[min(ir.TextureTexel, len(in.Args)):]
	for i, v := range texel {
		call.texel[i] = e.reg(v)
	}
	e.decidesTexel(call.texture, texel)
	var temps []int32
	for i := range call.results {
		if len(in.Results) == 0 {
			break
		}
		if i < len(in.Results) {
			if w := e.webOfValue(in.Results[i]); w != nil && !e.isMasked(w) {
				e.begin(w)
				call.results[i] = w.reg
				continue
			}
		}
		call.results[i] = e.allocate(wordClass) // of a depth there are three that nobody looks at
		temps = append(temps, call.results[i])
	}
	number := e.program.addTextureCall(call)
	if touch := touchesOf[aux.Method]; touch != 0 {
		if e.pause {
			e.emit(instruction{flow: flowPause})
		}
		if e.sanitize {
			e.emitSite(instruction{op: touch, imm: number}, site{})
		}
	}
	e.emit(instruction{op: opTextures + opcode(aux.Method), imm: number})
	for i, v := range in.Results {
		if w := e.webOfValue(v); w != nil {
			e.assign(w, call.results[i], 0)
		}
	}
	for _, t := range temps {
		e.giveBack(wordClass, t)
	}
}

// textureOperands returns the registers of what a call takes.
func (e *emitter) textureOperands(in *ir.Instr, aux *ir.TextureCall) textureCall {
	info := aux.Texture
	t := tree.TextureOf(info, aux.Elem)
	call := textureCall{typ: t, form: bind.TextureType(info.Form), sees: texelsSeen(t), usage: textureUsages[aux.Method]}
	one := func(to *int32, at int) { *to = e.reg(in.Args[at]) }
	three := func(to *[3]int32, at int) {
		for i := range to {
			to[i] = e.reg(in.Args[at+i])
		}
	}
	one(&call.texture, ir.TextureHandleAt)
	one(&call.sampler, ir.TextureSampler)
	three(&call.coord, ir.TextureCoord)
	one(&call.face, ir.TextureFace)
	one(&call.layer, ir.TextureLayer)
	one(&call.sample, ir.TextureSample)
	one(&call.level, ir.TextureLevel)
	one(&call.least, ir.TextureLeast)
	three(&call.gradient[0], ir.TextureDX)
	three(&call.gradient[1], ir.TextureDY)
	three(&call.offset, ir.TextureOffset)
	one(&call.compare, ir.TextureCompare)
	call.component = aux.Component
	a := in.Args
	e.decides(useHandle, a[ir.TextureHandleAt], a[ir.TextureSampler])
	e.decides(useCoordinate, a[ir.TextureCoord], a[ir.TextureCoord+1], a[ir.TextureCoord+2],
		a[ir.TextureFace], a[ir.TextureLayer], a[ir.TextureSample], a[ir.TextureLevel], a[ir.TextureLeast],
		a[ir.TextureCompare], a[ir.TextureOffset], a[ir.TextureOffset+1], a[ir.TextureOffset+2])
	e.decides(useGradient, a[ir.TextureDX:ir.TextureDX+3]...)
	e.decides(useGradient, a[ir.TextureDY:ir.TextureDY+3]...)
	return call
}

// decidesTexel is decides for what is written to a texture, of which components that its format lacks do not matter.
func (e *emitter) decidesTexel(texture int32, texel []ir.Value) {
	for i, v := range texel {
		u := e.unsetOf(v)
		if u == 0 {
			continue
		}
		e.emit(instruction{op: opUseTexel, a: u, b: texture, imm: int64(i)})
	}
}

// textureAtomic writes an atomic function on the first component of a texel, which is memory like other. Lanes outside
// of the texture do nothing, and get zeros.
func (e *emitter) textureAtomic(in *ir.Instr, aux *ir.TextureCall, call textureCall) {
	if call.writes = aux.Atomic != "load"; !call.writes {
		call.usage |= driver.TextureRead
	}
	operands := in.Args[min(ir.TextureTexel, len(in.Args)):]
	kind := ir.ScalarOf(aux.Elem)
	e.temporary(longClass, func(at int32) {
		e.temporary(maskClass, func(inside int32) {
			addresses := opTexelAddresses.instruction()
			addresses.imm, addresses.d, addresses.c = e.program.addTextureCall(call), at, inside
			e.emit(addresses)
			e.insideTexture(in, aux, kind, at, inside, operands)
		})
	})
}

// insideTexture writes the operation for the lanes in a mask.
func (e *emitter) insideTexture(in *ir.Instr, aux *ir.TextureCall, kind ir.Scalar, at, inside int32,
	operands []ir.Value) {
	c := classOfValue(kind.Held())
	old := e.allocate(c)
	e.copyTo(c, old, e.constant(c, 0))
	entry, active := e.allocate(maskClass), e.allocate(maskClass)
	over := newLabel()
	e.jump(instruction{flow: flowIf, a: inside, d: entry, b: active}, over)
	name := strings.TrimPrefix(aux.Atomic, "fetch_")
	e.touchAtomic(ir.Device, at, kind, name != "load")
	e.temporary(c, func(t int32) {
		if name == "compare_exchange_weak" {
			e.decides(useCompare, operands[0])
			e.decides(useAtomic, operands[1])
			e.compareCell(kind, at, e.reg(operands[1]), e.reg(operands[0]), t)
		} else {
			call := atomicCall{space: ir.Device, op: texelAtomics[name], kind: kind, on: ir.TypeOf(aux.Elem),
				pointer: at, old: t}
			if len(operands) > 0 {
				e.decides(useAtomic, operands[0])
				call.value = e.reg(operands[0])
			}
			e.exchangeCell(&call, 0)
		}
		e.observeAtomic(at, kind)
		blend := blendOps[c].instruction()
		blend.d, blend.a = old, t
		e.emit(blend)
	})
	e.here(over)
	e.jump(instruction{flow: flowEnd, d: entry}, e.neverTakenHere())
	e.giveBack(maskClass, entry)
	e.giveBack(maskClass, active)
	for i, v := range in.Results {
		w := e.webOfValue(v)
		if w == nil {
			continue
		}
		if masked, _ := e.masksOf(w); !masked {
			e.begin(w)
		}
		if from := [2]int32{old, inside}; i < len(from) {
			e.assign(w, from[i], 0)
		}
	}
	e.giveBack(c, old)
}

// texelAtomics are the atomic functions of textures.
var texelAtomics = map[string]ir.AtomicOp{
	"load": ir.AtomicLoad, "store": ir.AtomicSwap, "exchange": ir.AtomicSwap, "add": ir.AtomicAdd, "sub": ir.AtomicSub,
	"and": ir.AtomicAnd, "or": ir.AtomicOr, "xor": ir.AtomicXor, "max": ir.AtomicMax, "min": ir.AtomicMin,
}

// neverTakenHere is neverTaken for a construct that is opened and closed within a step.
func (e *emitter) neverTakenHere() *label {
	return e.neverTaken(&laneConstruct{outer: e.steps[e.at].construct})
}

// touchesOf say which texels a call of a method is going to touch.
var touchesOf = map[tree.TextureMethod]opcode{
	tree.TextureRead: opTouchTexels, tree.TextureWrite: opTouchTexelWrites,
	tree.TextureSample: opTouchSampled, tree.TextureSampleCompare: opTouchSampled,
	tree.TextureGather: opTouchGathered, tree.TextureGatherCompare: opTouchGathered,
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
