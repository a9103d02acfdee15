package texel

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/vcode"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// component is what a component has in memory.
type component struct {
	encoding pixel.Encoding
	bits     int
}

// kind converts components. They are in the lower bits of words, except that decode finds those with a sign in the
// upper bits.
type kind struct {
	decode func(w *Writer, v reg, bits int) reg
	encode func(w *Writer, v reg, bits int) reg
	signed bool
}

var kinds = map[component]kind{
	{pixel.Unorm, 8}:  {decode: fromFraction, encode: toFraction},
	{pixel.Float, 16}: {decode: fromHalf, encode: toHalf},
	{pixel.Float, 32}: {decode: unchanged, encode: unchanged},
	{pixel.Uint, 8}:   {decode: unchanged, encode: toUnsigned},
	{pixel.Uint, 16}:  {decode: unchanged, encode: toUnsigned},
	{pixel.Uint, 32}:  {decode: unchanged, encode: unchanged},
	{pixel.Sint, 8}:   {decode: fromSigned, encode: toSigned, signed: true},
	{pixel.Sint, 16}:  {decode: fromSigned, encode: toSigned, signed: true},
	{pixel.Sint, 32}:  {decode: unchanged, encode: unchanged},
}

func unchanged(_ *Writer, v reg, _ int) reg { return v }

// fromFraction multiplies by the float nearest to 1/255, and by the one nearest to the rest of it. With both, results
// are correctly rounded.
func fromFraction(w *Writer, v reg, _ int) reg {
	v = w.op(vcode.VFromS32, v, 0)
	rest := w.op(vcode.VMulF, v, w.Word(0xaf7efeff))
	return w.Make(vcode.Instr{Op: vcode.VFma, A: v, B: w.Word(0x3b808081), C: rest})
}

// toFraction rounds as a float of 2^23 does, which has no bits for fractions: the fused addition rounds the exact
// product to an integer.
func toFraction(w *Writer, v reg, _ int) reg {
	const one, top, units = 0x3f800000, 0x437f0000, 0x4b000000
	v = w.op(vcode.VMinNum, w.op(vcode.VMaxNum, v, w.Word(0)), w.Word(one)) // 0 of NaN
	v = w.Make(vcode.Instr{Op: vcode.VFma, A: v, B: w.Word(top), C: w.Word(units)})
	return w.op(vcode.VAnd, v, w.Word(0xff))
}

func fromHalf(w *Writer, v reg, _ int) reg { return w.op(vcode.VHalfToF, v, 0) }
func toHalf(w *Writer, v reg, _ int) reg   { return w.op(vcode.VFToHalf, v, 0) }

func toUnsigned(w *Writer, v reg, bits int) reg { return w.op(vcode.VMinU, v, w.Word(1<<bits-1)) }

func fromSigned(w *Writer, v reg, bits int) reg { return w.opI(vcode.VSarI, v, int64(32-bits)) }

func toSigned(w *Writer, v reg, bits int) reg {
	most := uint32(1)<<(bits-1) - 1
	v = w.op(vcode.VMinS, w.op(vcode.VMaxS, v, w.Word(^most)), w.Word(most))
	return w.op(vcode.VAnd, v, w.Word(1<<bits-1))
}
