package interp

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// Operations returns what each operation does, by its number: nil where only the sanitizer knows, or nothing does.
var Operations = sync.OnceValue(func() []Operation {
	list := make([]Operation, program.Opcodes())
	for op, run := range deviceRows() {
		list[op] = run
	}
	for _, row := range irRows() {
		for on, run := range row.types {
			list[program.OpcodeOf(row.op, on, row.imm)] = run
		}
	}
	for n := program.FirstOfIR; int(n) < len(list); n++ {
		if v, _ := program.VariantOf(n); list[n] == nil {
			list[n] = loopOf(ir.Function(v.Op, v.On))
		}
	}
	return list
})

// deviceRows are the operations that ir does not have.
func deviceRows() map[program.Opcode]Operation {
	rows := map[program.Opcode]Operation{
		program.OpNothing: nothing, program.OpFault: fault,
		program.OpCopyMask: copyMask, program.OpCopyWord: copyWord[uint32], program.OpCopyLong: copyWord[uint64],
		program.OpMoveMask: moveMask, program.OpBlendWord: blendWord[uint32], program.OpBlendLong: blendWord[uint64],
		program.OpMulAdd: mulAdd, program.OpMulSub: mulSub, program.OpSubMul: subMul,
		program.OpFieldInt: fieldToFloat[int32], program.OpFieldUint: fieldToFloat[uint32],
		program.OpElementWord: elementOf[uint32], program.OpElementLong: elementOf[uint64],
		program.OpMultiplyMatrices: multiplyMatrices, program.OpTexelAddresses: texelAddresses, program.OpLog: log,
		program.OpPointerFrom:    fromNumber((*Resources).pointer),
		program.OpTextureFrom:    fromNumber((*Resources).texture),
		program.OpSamplerFrom:    fromNumber((*Resources).sampler),
		program.OpAtomicLoadBool: exchangeBool(false), program.OpAtomicSwapBool: exchangeBool(true),
		program.OpAtomicCompareBool: compareExchangeBool,
		program.OpAtomicCompareWord: compareExchange[uint32], program.OpAtomicCompareLong: compareExchange[uint64],

		program.OpMatrixLoads + program.Opcode(ir.Float32):   matrixLoad(4, &lanes.Matrix.Float),
		program.OpMatrixLoads + program.Opcode(ir.Half16):    matrixLoad(2, &lanes.Matrix.Half),
		program.OpMatrixLoads + program.Opcode(ir.BFloat16):  matrixLoad(2, &lanes.Matrix.BFloat),
		program.OpMatrixStores + program.Opcode(ir.Float32):  matrixStore(4, &lanes.Matrix.Float),
		program.OpMatrixStores + program.Opcode(ir.Half16):   matrixStore(2, &lanes.Matrix.Half),
		program.OpMatrixStores + program.Opcode(ir.BFloat16): matrixStore(2, &lanes.Matrix.BFloat),
	}
	for kind, m := range memoryOps {
		rows[program.OpLoads+program.Opcode(kind)], rows[program.OpStores+program.Opcode(kind)] = m.load, m.store
	}
	for method, run := range textureOps {
		rows[program.OpTextures+program.Opcode(method)] = run
	}
	for op := ir.AtomicLoad; op <= ir.AtomicMin; op++ {
		for on := ir.Void + 1; on <= ir.U64; on++ {
			rows[program.AtomicOn(op, on)] = atomicOf(op, on)
		}
	}
	return rows
}

// memoryOps load and store scalars.
var memoryOps = [...]struct{ load, store Operation }{
	ir.Byte: {loadBool, storeBool}, ir.Int8: {loadInt8, storeUint8}, ir.Uint8: {loadUint8, storeUint8},
	ir.Int16: {loadInt16, storeUint16}, ir.Uint16: {loadUint16, storeUint16}, ir.Word32: {load32, store32},
	ir.Word64: {load64, store64}, ir.Half16: {loadHalf, storeHalf}, ir.BFloat16: {loadBFloat, storeBFloat},
	ir.Float32: {load32, store32}, ir.Address64: {load64, store64},
}
