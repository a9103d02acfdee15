package cpu

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/lanes"
)

// operationsOf returns what each operation does, by its number: nil where only the sanitizer knows, or nothing does.
var operationsOf = sync.OnceValue(func() []operation {
	list := make([]operation, opcodes())
	for op, run := range deviceRows() {
		list[op] = run
	}
	for _, row := range irRows() {
		for on, run := range row.types {
			list[numberOf(row.op, on, row.imm)] = run
		}
	}
	for n := firstOfIR; int(n) < len(list); n++ {
		if v, _ := variantOf(n); list[n] == nil {
			list[n] = loopOf(ir.Function(v.op, v.on))
		}
	}
	return list
})

// deviceRows are the operations that are none of ir's.
func deviceRows() map[opcode]operation {
	rows := map[opcode]operation{
		opNothing: nothing, opFault: fault,
		opCopyMask: copyMask, opCopyWord: copyWord[uint32], opCopyLong: copyWord[uint64],
		opMoveMask: moveMask, opBlendWord: blendWord[uint32], opBlendLong: blendWord[uint64],
		opMulAdd: mulAdd, opMulSub: mulSub, opSubMul: subMul,
		opFieldInt: fieldToFloat[int32], opFieldUint: fieldToFloat[uint32],
		opElementWord: elementOf[uint32], opElementLong: elementOf[uint64],
		opMultiplyMatrices: multiplyMatrices, opTexelAddresses: texelAddresses, opLog: log,
		opPointerFrom: fromNumber((*resources).pointer), opTextureFrom: fromNumber((*resources).texture),
		opSamplerFrom:    fromNumber((*resources).sampler),
		opAtomicLoadBool: exchangeBool(false), opAtomicSwapBool: exchangeBool(true),
		opAtomicCompareBool: compareExchangeBool,
		opAtomicCompareWord: compareExchange[uint32], opAtomicCompareLong: compareExchange[uint64],

		opMatrixLoads + opcode(ir.Float32):   matrixLoad(4, &lanes.Matrix.Float),
		opMatrixLoads + opcode(ir.Half16):    matrixLoad(2, &lanes.Matrix.Half),
		opMatrixLoads + opcode(ir.BFloat16):  matrixLoad(2, &lanes.Matrix.BFloat),
		opMatrixStores + opcode(ir.Float32):  matrixStore(4, &lanes.Matrix.Float),
		opMatrixStores + opcode(ir.Half16):   matrixStore(2, &lanes.Matrix.Half),
		opMatrixStores + opcode(ir.BFloat16): matrixStore(2, &lanes.Matrix.BFloat),
	}
	for kind, m := range memoryOps {
		rows[opLoads+opcode(kind)], rows[opStores+opcode(kind)] = m.load, m.store
	}
	for method, run := range textureOps {
		rows[opTextures+opcode(method)] = run
	}
	for op := ir.AtomicLoad; op <= ir.AtomicMin; op++ {
		for on := ir.Void + 1; on <= ir.U64; on++ {
			rows[atomicOn(op, on)] = atomicOf(op, on)
		}
	}
	return rows
}

// memoryOps load and store scalars.
var memoryOps = [...]struct{ load, store operation }{
	ir.Byte: {loadBool, storeBool}, ir.Int8: {loadInt8, storeUint8}, ir.Uint8: {loadUint8, storeUint8},
	ir.Int16: {loadInt16, storeUint16}, ir.Uint16: {loadUint16, storeUint16}, ir.Word32: {load32, store32},
	ir.Word64: {load64, store64}, ir.Half16: {loadHalf, storeHalf}, ir.BFloat16: {loadBFloat, storeBFloat},
	ir.Float32: {load32, store32}, ir.Address64: {load64, store64},
}
