package assemble

import (
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
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
	e.decides(program.UseAddress, pointer)
	e.decides(program.UseAtomic, value)
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
		if e.Uninit && call.space != ir.Device {
			unset = e.allocate(program.UnsetClass)
		}
		e.exchangeCell(call, unset)
		if w != nil {
			e.assign(w, call.old, unset)
		}
		if unset != 0 {
			e.giveBack(program.UnsetClass, unset)
		}
	})
}

// unsetAtomic adds what an atomic function does to what is unset. A function that computes a new value of the old one
// decides something by it.
func (e *emitter) unsetAtomic(call *atomicCall, unset int32, decides bool) {
	if unset == 0 {
		return
	}
	e.emit(program.Instruction{Op: program.OpUnsetLoads + program.Opcode(call.kind), A: call.pointer, D: unset})
	if call.op == ir.AtomicLoad {
		return
	}
	if decides {
		e.emit(program.Instruction{Op: program.OpUse, A: unset, Imm: int64(program.UseChange)})
	}
	e.emit(program.Instruction{Op: program.OpUnsetStores + program.Opcode(call.kind), A: call.pointer})
}

// exchangeCell adds the operation; bools go through as numbers.
func (e *emitter) exchangeCell(call *atomicCall, unset int32) {
	e.unsetAtomic(call, unset, call.op != ir.AtomicSwap)
	if call.kind == ir.Byte {
		op := program.OpAtomicSwapBool
		if call.op == ir.AtomicLoad {
			op = program.OpAtomicLoadBool
		}
		e.asNumber(call.value, func(v int32) {
			e.fromNumber(call.old, func(old int32) {
				e.emit(program.Instruction{Op: op, D: old, A: call.pointer, B: v})
			})
		})
		return
	}
	in := program.Instruction{Op: program.AtomicOn(call.op, call.on), D: call.old, A: call.pointer, B: call.value}
	if call.op == ir.AtomicLoad {
		in.B = 0
	}
	e.emit(in)
}

// asNumber calls do with the register of a bool as a number.
func (e *emitter) asNumber(mask int32, do func(v int32)) {
	e.temporary(program.WordClass, func(v int32) {
		in := program.OpcodeOf(ir.OpFromBool, ir.I32, 0).Instruction()
		in.D, in.A = v, mask
		e.emit(in)
		do(v)
	})
}

// fromNumber calls do with a register, and makes the number in it a bool.
func (e *emitter) fromNumber(mask int32, do func(v int32)) {
	e.temporary(program.WordClass, func(v int32) {
		do(v)
		in := program.OpcodeOf(ir.OpToBool, ir.I32, 0).Instruction()
		in.D, in.A = mask, v
		e.emit(in)
	})
}

// exchange writes a compare and exchange.
func (e *emitter) exchange(in *ir.Instr) {
	a := in.Aux.(*ir.AtomicAccess)
	pointer := e.reg(in.Args[0])
	e.touchAtomic(a.Space, pointer, a.Kind, true)
	e.decides(program.UseCompare, in.Args[2])
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
		if e.Uninit && space != ir.Device {
			unset = e.allocate(program.UnsetClass)
		}
		e.unsetAtomic(&atomicCall{op: ir.AtomicAdd, kind: kind, pointer: pointer}, unset, true)
		e.compareCell(kind, pointer, value, want, old)
		if w != nil {
			e.assign(w, old, unset)
		}
		if unset != 0 {
			e.giveBack(program.UnsetClass, unset)
		}
	})
}

// compareCell adds the operation.
func (e *emitter) compareCell(kind ir.Scalar, pointer, value, want, old int32) {
	if kind == ir.Byte {
		e.asNumber(value, func(v int32) {
			e.asNumber(want, func(w int32) {
				e.fromNumber(old, func(d int32) {
					e.emit(program.Instruction{Op: program.OpAtomicCompareBool, D: d, A: pointer, B: v, C: w})
				})
			})
		})
		return
	}
	op := program.OpAtomicCompareWord
	if kind.Bytes() == 8 {
		op = program.OpAtomicCompareLong
	}
	e.emit(program.Instruction{Op: op, D: old, A: pointer, B: value, C: want})
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
		call.Texel[i] = e.reg(v)
	}
	e.decidesTexel(call.Texture, texel)
	var temps []int32
	for i := range call.Results {
		if len(in.Results) == 0 {
			break
		}
		if i < len(in.Results) {
			if w := e.webOfValue(in.Results[i]); w != nil && !e.isMasked(w) {
				e.begin(w)
				call.Results[i] = w.reg
				continue
			}
		}
		call.Results[i] = e.allocate(program.WordClass) // of a depth there are three that nobody looks at
		temps = append(temps, call.Results[i])
	}
	number := e.program.AddTextureCall(call)
	if touch := touchesOf[aux.Method]; touch != 0 {
		if e.Pause {
			e.emit(program.Instruction{Flow: program.FlowPause})
		}
		if e.Sanitize {
			e.emitSite(program.Instruction{Op: touch, Imm: number}, program.Site{})
		}
	}
	e.emit(program.Instruction{Op: program.OpTextures + program.Opcode(aux.Method), Imm: number})
	for i, v := range in.Results {
		if w := e.webOfValue(v); w != nil {
			e.assign(w, call.Results[i], 0)
		}
	}
	for _, t := range temps {
		e.giveBack(program.WordClass, t)
	}
}

// textureOperands returns the registers of what a call takes.
func (e *emitter) textureOperands(in *ir.Instr, aux *ir.TextureCall) program.TextureCall {
	info := aux.Texture
	t := tree.TextureOf(info, aux.Elem)
	call := program.TextureCall{Type: t, Form: bind.TextureType(info.Form), Sees: texelsSeen(t), Usage: textureUsages[aux.Method]}
	one := func(to *int32, at int) { *to = e.reg(in.Args[at]) }
	three := func(to *[3]int32, at int) {
		for i := range to {
			to[i] = e.reg(in.Args[at+i])
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
	e.decides(program.UseHandle, a[ir.TextureHandleAt], a[ir.TextureSampler])
	e.decides(program.UseCoordinate, a[ir.TextureCoord], a[ir.TextureCoord+1], a[ir.TextureCoord+2],
		a[ir.TextureFace], a[ir.TextureLayer], a[ir.TextureSample], a[ir.TextureLevel], a[ir.TextureLeast],
		a[ir.TextureCompare], a[ir.TextureOffset], a[ir.TextureOffset+1], a[ir.TextureOffset+2])
	e.decides(program.UseGradient, a[ir.TextureDX:ir.TextureDX+3]...)
	e.decides(program.UseGradient, a[ir.TextureDY:ir.TextureDY+3]...)
	return call
}

// decidesTexel is decides for what is written to a texture, of which components that its format lacks do not matter.
func (e *emitter) decidesTexel(texture int32, texel []ir.Value) {
	for i, v := range texel {
		u := e.unsetOf(v)
		if u == 0 {
			continue
		}
		e.emit(program.Instruction{Op: program.OpUseTexel, A: u, B: texture, Imm: int64(i)})
	}
}

// textureAtomic writes an atomic function on the first component of a texel, which is memory like other. Lanes outside
// of the texture do nothing, and get zeros.
func (e *emitter) textureAtomic(in *ir.Instr, aux *ir.TextureCall, call program.TextureCall) {
	if call.Writes = aux.Atomic != "load"; !call.Writes {
		call.Usage |= driver.TextureRead
	}
	operands := in.Args[min(ir.TextureTexel, len(in.Args)):]
	kind := ir.ScalarOf(aux.Elem)
	e.temporary(program.LongClass, func(at int32) {
		e.temporary(program.MaskClass, func(inside int32) {
			addresses := program.OpTexelAddresses.Instruction()
			addresses.Imm, addresses.D, addresses.C = e.program.AddTextureCall(call), at, inside
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
	entry, active := e.allocate(program.MaskClass), e.allocate(program.MaskClass)
	over := newLabel()
	e.jump(program.Instruction{Flow: program.FlowIf, A: inside, D: entry, B: active}, over)
	name := strings.TrimPrefix(aux.Atomic, "fetch_")
	e.touchAtomic(ir.Device, at, kind, name != "load")
	e.temporary(c, func(t int32) {
		if name == "compare_exchange_weak" {
			e.decides(program.UseCompare, operands[0])
			e.decides(program.UseAtomic, operands[1])
			e.compareCell(kind, at, e.reg(operands[1]), e.reg(operands[0]), t)
		} else {
			call := atomicCall{space: ir.Device, op: texelAtomics[name], kind: kind, on: ir.TypeOf(aux.Elem),
				pointer: at, old: t}
			if len(operands) > 0 {
				e.decides(program.UseAtomic, operands[0])
				call.value = e.reg(operands[0])
			}
			e.exchangeCell(&call, 0)
		}
		e.observeAtomic(at, kind)
		blend := blendOps[c].Instruction()
		blend.D, blend.A = old, t
		e.emit(blend)
	})
	e.here(over)
	e.jump(program.Instruction{Flow: program.FlowEnd, D: entry}, e.neverTakenHere())
	e.giveBack(program.MaskClass, entry)
	e.giveBack(program.MaskClass, active)
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
var touchesOf = map[tree.TextureMethod]program.Opcode{
	tree.TextureRead: program.OpTouchTexels, tree.TextureWrite: program.OpTouchTexelWrites,
	tree.TextureSample: program.OpTouchSampled, tree.TextureSampleCompare: program.OpTouchSampled,
	tree.TextureGather: program.OpTouchGathered, tree.TextureGatherCompare: program.OpTouchGathered,
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
