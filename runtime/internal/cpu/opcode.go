package cpu

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/native"
)

// opcode is the number of an operation: what an instruction does, for those who read programs.
type opcode uint16

// The operations of the device that are none of ir's: what it makes of several, what moves registers, and what the
// sanitizer wants to know. Those of ir come after them, see operationsOf.
const (
	_ opcode = iota
	opNothing
	opCopyMask
	opCopyWord
	opCopyLong
	opMoveMask
	opBlendWord
	opBlendLong
	opMulAdd
	opMulSub
	opSubMul
	opFieldInt
	opFieldUint
	opElementWord
	opElementLong
	opFault
	opMultiplyMatrices
	opTexelAddresses
	opTexture
	opLog
	opAtomic
	opHandle
	opLoads                                                  // + ir.Scalar
	opStores       = opLoads + opcode(ir.Address64) + 1      // + ir.Scalar
	opMatrixLoads  = opStores + opcode(ir.Address64) + 1     // + ir.Scalar
	opMatrixStores = opMatrixLoads + opcode(ir.Float32) + 1  // + ir.Scalar
	opTouch        = opMatrixStores + opcode(ir.Float32) + 1 // here and below: of the sanitizer
)

// The operations of the sanitizer.
const (
	opExtent = opTouch + 1 + iota
	opObserve
	opCount
	opDeparture
	opPass
	opNaN
	opUse
	opUnset
	deviceOps
)

// opcodeRow is what is known of an operation.
type opcodeRow struct {
	name   string
	run    operation
	unset  unsetRule // of its result; nil: every bit may depend on all
	native native.Op // what it is to package native
}

// unknown is the native operation of those of which package native does not even know what they write: they keep a
// program in the interpreter.
const unknown = native.Op(255)

// operationTable has the rows, and where those of ir are.
type operationTable struct {
	rows []opcodeRow
	at   []opcode              // by operation of ir and type
	wide map[variantKey]opcode // of those for which Imm makes a difference
	has  [1 << 8]bool          // by operation of ir: it is in wide
}

// variantKey is an operation of ir on a type, with its Imm.
type variantKey struct {
	op  ir.Op
	on  ir.Type
	imm int64
}

const irTypes = int(ir.U64) + 1

// operationsOf returns the table.
var operationsOf = sync.OnceValue(func() *operationTable {
	t := &operationTable{
		rows: make([]opcodeRow, deviceOps), at: make([]opcode, ir.Ops()*irTypes), wide: map[variantKey]opcode{},
	}
	for op, row := range deviceRows() {
		t.rows[op] = row
	}
	for _, row := range irRows() {
		for _, c := range row.types {
			t.add(row.op, row.imm, c)
		}
	}
	t.addFunctions()
	return t
})

// add adds an operation on a type; an Imm of 0 stands for any.
func (t *operationTable) add(op ir.Op, imm int64, c onType) {
	number := opcode(len(t.rows))
	row := opcodeRow{name: op.String() + "." + c.on.String(), run: c.run, unset: c.unset, native: c.native}
	if row.native == 0 {
		row.native = foreignTo(op.Result(c.on))
	}
	t.rows = append(t.rows, row)
	if imm != 0 {
		t.wide[variantKey{op, c.on, imm}], t.has[op] = number, true
		return
	}
	t.at[int(op)*irTypes+int(c.on)] = number
}

// foreignTo returns what an operation with a result of a type is to native code that knows no more of it.
func foreignTo(t ir.Type) native.Op {
	switch t {
	case ir.Bool:
		return native.ForeignMask
	case ir.I32, ir.F32:
		return native.ForeignWord
	case ir.I64, ir.Ptr:
		return native.ForeignLong
	}
	return native.Foreign
}

// addFunctions adds a loop over the lanes for what has none of its own.
func (t *operationTable) addFunctions() {
	for op := ir.Op(1); int(op) < ir.Ops(); op++ {
		for on := ir.Type(0); int(on) < irTypes; on++ {
			if !op.Info().On(on) || t.at[int(op)*irTypes+int(on)] != 0 || t.has[op] && t.of(op, on, 8) != 0 {
				continue
			}
			if run := loopOf(ir.Function(op, on)); run != nil {
				t.add(op, 0, onType{on: on, run: run})
			}
		}
	}
}

// of returns the number of an operation of ir, or 0.
func (t *operationTable) of(op ir.Op, on ir.Type, imm int64) opcode {
	if t.has[op] {
		if number, ok := t.wide[variantKey{op, on, imm}]; ok {
			return number
		}
	}
	return t.at[int(op)*irTypes+int(on)]
}

// String returns the name of the operation.
func (op opcode) String() string { return operationsOf().rows[op].name }

// instruction returns one that carries out an operation.
func (op opcode) instruction() instruction {
	return instruction{op: op, run: operationsOf().rows[op].run}
}

// deviceRows are the operations of the device.
func deviceRows() map[opcode]opcodeRow {
	rows := map[opcode]opcodeRow{
		opNothing:     {name: "nothing", run: nothing, native: unknown},
		opCopyMask:    {name: "copy.bool", run: copyMask, unset: unsetSame, native: native.CopyMask},
		opCopyWord:    {name: "copy.word", run: copyWord[uint32], unset: unsetSame, native: native.CopyWord},
		opCopyLong:    {name: "copy.long", run: copyWord[uint64], unset: unsetSame, native: native.CopyLong},
		opMoveMask:    {name: "move.bool", run: moveMask, native: native.MoveMask},
		opBlendWord:   {name: "blend.word", run: blendWord[uint32], native: unknown},
		opBlendLong:   {name: "blend.long", run: blendWord[uint64], native: unknown},
		opMulAdd:      {name: "muladd", run: mulAdd, native: native.MulAdd},
		opMulSub:      {name: "mulsub", run: mulSub, native: native.MulSub},
		opSubMul:      {name: "submul", run: subMul, native: native.SubMul},
		opFieldInt:    {name: "field.s32", run: fieldToFloat[int32], unset: unsetField, native: native.FieldInt},
		opFieldUint:   {name: "field.u32", run: fieldToFloat[uint32], unset: unsetField, native: native.FieldUint},
		opElementWord: {name: "element.word", run: elementOf[uint32], native: native.ForeignWord},
		opElementLong: {name: "element.long", run: elementOf[uint64], native: native.ForeignLong},
		opFault:       {name: "fault", native: unknown},

		opMultiplyMatrices: {name: "multiply", run: multiplyMatrices, native: native.MultiplyMatrices},
		opTexelAddresses:   {name: "texeladdress", run: texelAddresses, native: unknown},
		opTexture:          {name: "texture", native: unknown},
		opLog:              {name: "log", native: unknown},
		opAtomic:           {name: "atomic", native: unknown},
		opHandle:           {name: "handle", native: unknown},

		opTouch: {name: "touch", native: unknown}, opExtent: {name: "extent", native: unknown},
		opObserve: {name: "observe", run: observeAtomic, native: unknown},
		opCount:   {name: "count", run: countEntry, native: unknown},
		opPass:    {name: "pass", native: unknown}, opDeparture: {name: "departure", run: noteLeave, native: unknown},
		opNaN: {name: "nan", run: checkNaN, native: unknown}, opUse: {name: "use", native: unknown},
		opUnset: {name: "unset", native: unknown},
	}
	for kind, m := range memoryOps {
		rows[opLoads+opcode(kind)] = opcodeRow{name: "load." + ir.Scalar(kind).String(), run: m.load, native: m.loads}
		rows[opStores+opcode(kind)] = opcodeRow{name: "store." + ir.Scalar(kind).String(), run: m.store, native: m.stores}
	}
	for kind, m := range matrixOps {
		rows[opMatrixLoads+opcode(kind)] = opcodeRow{
			name: "matrixload." + kind.String(), run: matrixLoads[m.kind], native: m.loads,
		}
		rows[opMatrixStores+opcode(kind)] = opcodeRow{
			name: "matrixstore." + kind.String(), run: matrixStores[m.kind], native: m.stores,
		}
	}
	return rows
}

// memoryOps load and store scalars.
var memoryOps = [...]struct {
	load   operation
	loads  native.Op
	store  operation
	stores native.Op
	unset  operation // loads what is unset
}{
	ir.Byte:      {loadBool, native.LoadBool, storeBool, native.Foreign, loadUnsetOf[tree.Bool]},
	ir.Int8:      {loadInt8, native.LoadInt8, storeUint8, native.Store8, loadUnsetOf[tree.Char]},
	ir.Uint8:     {loadUint8, native.LoadUint8, storeUint8, native.Store8, loadUnsetOf[tree.UChar]},
	ir.Int16:     {loadInt16, native.LoadInt16, storeUint16, native.Store16, loadUnsetOf[tree.Short]},
	ir.Uint16:    {loadUint16, native.LoadUint16, storeUint16, native.Store16, loadUnsetOf[tree.UShort]},
	ir.Word32:    {load32, native.Load32, store32, native.Store32, loadUnsetOf[tree.UInt]},
	ir.Word64:    {load64, native.Load64, store64, native.Foreign, loadUnsetOf[tree.ULong]},
	ir.Half16:    {loadHalf, native.LoadHalf, storeHalf, native.StoreHalf, loadUnsetOf[tree.Half]},
	ir.BFloat16:  {loadBFloat, native.LoadBFloat, storeBFloat, native.StoreBFloat, loadUnsetOf[tree.BFloat]},
	ir.Float32:   {load32, native.Load32, store32, native.Store32, loadUnsetOf[tree.Float]},
	ir.Address64: {load64, native.Load64, store64, native.Foreign, loadUnsetOf[tree.ULong]},
}

// matrixOps load and store matrices.
var matrixOps = map[ir.Scalar]struct {
	kind          tree.ScalarKind
	loads, stores native.Op
}{
	ir.Float32:  {tree.Float, native.LoadMatrix, native.StoreMatrix},
	ir.Half16:   {tree.Half, native.LoadHalfMatrix, native.StoreHalfMatrix},
	ir.BFloat16: {tree.BFloat, native.LoadBFloatMatrix, native.StoreBFloatMatrix},
}
