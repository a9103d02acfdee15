package cpu

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
)

// checkOperations returns what the operations of the sanitizer do, by their numbers.
var checkOperations = sync.OnceValue(func() []operation {
	list := make([]operation, opcodes())
	for op, run := range checkRows() {
		list[op] = run
	}
	return list
})

func checkRows() map[opcode]operation {
	sampled, gathered := touchSamples((*sample.View).EachSampled), touchSamples((*sample.View).EachGathered)
	rows := map[opcode]operation{
		opTouchReads: touch(false), opTouchWrites: touch(true),
		opTouchAtomicLoads: touchAtomic(false), opTouchAtomicWrites: touchAtomic(true), opTouchMatrix: touchMatrix,
		opTouchTexels: touchTexels(false), opTouchTexelWrites: touchTexels(true),
		opTouchSampled: sampled, opTouchGathered: gathered,
		opExtentReads: touchExtent(false), opExtentWrites: touchExtent(true), opExtentMatrix: touchMatrixExtent,
		opObserve: observeAtomic, opCount: countEntry, opDeparture: noteLeave,
		opSimdBarrier: passSimdgroupBarrier, opFence: passFence, opTextureFence: passTextureFence,
		opNaN: checkNaN, opUse: reportUse, opUseTexel: reportTexel,
		opUnsetClear: clearUnset, opUnsetCopy: copyUnset, opUnsetBlend: blendUnset, opUnsetObject: clearUnsetObject,
		opUnsetDeclared: declareUnset, opUnsetDerived: deriveUnset, opUnsetGroup: deriveGroupUnset,
		opUnsetPick: pickUnset, opUnsetMultiply: multiplyUnset,
		opUnsetLoadMatrix: loadUnsetMatrix, opUnsetStoreMatrix: storeUnsetMatrix,
	}
	for kind, load := range loadUnsetOf {
		size := ir.Scalar(kind).Bytes()
		rows[opUnsetLoads+opcode(kind)] = load
		rows[opUnsetStores+opcode(kind)], rows[opUnsetUnits+opcode(kind)] = storeUnset(size, false), storeUnset(size, true)
	}
	return rows
}
