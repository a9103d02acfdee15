package sanitize

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sample"
)

// Operations returns what the operations of the sanitizer do, by their numbers.
var Operations = sync.OnceValue(func() []interp.Operation {
	list := make([]interp.Operation, program.Opcodes())
	for op, run := range checkRows() {
		list[op] = run
	}
	return list
})

func checkRows() map[program.Opcode]interp.Operation {
	sampled, gathered := touchSamples((*sample.View).EachSampled), touchSamples((*sample.View).EachGathered)
	rows := map[program.Opcode]interp.Operation{
		program.OpTouchReads: touch(false), program.OpTouchWrites: touch(true),
		program.OpTouchAtomicLoads: touchAtomic(false), program.OpTouchAtomicWrites: touchAtomic(true),
		program.OpTouchMatrix: touchMatrix,
		program.OpTouchTexels: touchTexels(false), program.OpTouchTexelWrites: touchTexels(true),
		program.OpTouchSampled: sampled, program.OpTouchGathered: gathered,
		program.OpExtentReads: touchExtent(false), program.OpExtentWrites: touchExtent(true),
		program.OpExtentMatrix: touchMatrixExtent,
		program.OpObserve:      observeAtomic, program.OpCount: countEntry, program.OpDeparture: noteLeave,
		program.OpSimdBarrier: passSimdgroupBarrier, program.OpFence: passFence,
		program.OpTextureFence: passTextureFence,
		program.OpNaN:          checkNaN, program.OpUse: reportUse, program.OpUseTexel: reportTexel,
		program.OpUnsetClear: clearUnset, program.OpUnsetCopy: copyUnset, program.OpUnsetBlend: blendUnset,
		program.OpUnsetObject:   clearUnsetObject,
		program.OpUnsetDeclared: declareUnset, program.OpUnsetDerived: deriveUnset,
		program.OpUnsetGroup: deriveGroupUnset,
		program.OpUnsetPick:  pickUnset, program.OpUnsetMultiply: multiplyUnset,
		program.OpUnsetLoadMatrix: loadUnsetMatrix, program.OpUnsetStoreMatrix: storeUnsetMatrix,
	}
	for kind, load := range loadUnsetOf {
		size := ir.Scalar(kind).Bytes()
		rows[program.OpUnsetLoads+program.Opcode(kind)] = load
		rows[program.OpUnsetStores+program.Opcode(kind)] = storeUnset(size, false)
		rows[program.OpUnsetUnits+program.Opcode(kind)] = storeUnset(size, true)
	}
	return rows
}
