package sanitize

import (
	"sync"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// rules are those of an operation of ir, by the type of its operands.
type rules map[ir.Type]unsetRule

// unsetRules returns what is unset of the result of each operation, by its number. unsetAny holds for those that have
// no other rule: every bit may depend on every bit.
var unsetRules = sync.OnceValue(func() []unsetRule {
	list := make([]unsetRule, program.Opcodes())
	for n := range list {
		list[n] = unsetAny
	}
	list[program.OpCopyMask], list[program.OpCopyWord], list[program.OpCopyLong] = unsetSame, unsetSame, unsetSame
	list[program.OpFieldInt], list[program.OpFieldUint] = unsetField, unsetField
	for _, row := range ruleRows {
		for on, rule := range row.rules {
			list[program.OpcodeOf(row.op, on, row.imm)] = rule
		}
	}
	return list
})

var ruleRows = []struct {
	op    ir.Op
	imm   int64
	rules rules
}{
	{ir.OpAdd, 0, rules{ir.I32: unsetUp, ir.I64: unsetUp}},
	{ir.OpSub, 0, rules{ir.I32: unsetUp, ir.I64: unsetUp}},
	{ir.OpMul, 0, rules{ir.I32: unsetUp, ir.I64: unsetUp}},
	{ir.OpNeg, 0, rules{ir.I32: unsetUp, ir.I64: unsetUp}},
	{ir.OpAnd, 0, rules{ir.I32: unsetAnd, ir.I64: unsetAnd, ir.Bool: unsetAnd}},
	{ir.OpOr, 0, rules{ir.I32: unsetOr, ir.I64: unsetOr, ir.Bool: unsetOr}},
	{ir.OpXor, 0, rules{ir.I32: unsetEach, ir.I64: unsetEach, ir.Bool: unsetEach}},
	{ir.OpNot, 0, rules{ir.I32: unsetSame, ir.I64: unsetSame, ir.Bool: unsetSame}},
	{ir.OpShl, 0, rules{ir.I32: unsetShl, ir.I64: unsetShl}},
	{ir.OpShr, 0, rules{ir.S32: unsetShrInt, ir.U32: unsetShr, ir.S64: unsetShrLong, ir.U64: unsetShr}},
	{ir.OpSelect, 0, rules{ir.I32: unsetChoice, ir.I64: unsetChoice, ir.F32: unsetChoice, ir.Ptr: unsetChoice,
		ir.Bool: unsetChoice}},
	{ir.OpWrap, 8, rules{ir.S32: unsetChar, ir.U32: unsetUChar}},
	{ir.OpWrap, 16, rules{ir.S32: unsetShort, ir.U32: unsetUShort}},
	{ir.OpWiden, 0, rules{ir.S32: unsetInt, ir.U32: unsetSame}},
	{ir.OpNarrow, 0, rules{ir.I64: unsetSame}},
	{ir.OpFromBool, 0, rules{ir.I32: unsetBit, ir.I64: unsetBit, ir.F32: unsetBit}},
	{ir.OpBitsFloat, 0, rules{ir.F32: unsetSame}},
	{ir.OpHalfBits, 0, rules{ir.F32: unsetUShort}},
	{ir.OpBitsHalf, 0, rules{ir.F32: unsetUShort}},
	{ir.OpBFloatBits, 0, rules{ir.F32: unsetUShort}},
	{ir.OpBitsBFloat, 0, rules{ir.F32: unsetUShort}},
	{ir.OpExtractBits, 0, rules{ir.S64: unsetExtract(signedBits), ir.U64: unsetExtract(unsignedBits)}},
}
