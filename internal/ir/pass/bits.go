package pass

import (
	mathbits "math/bits"

	"github.com/metalgen/metalgen/internal/ir"
)

// bits leaves out what only changes bits that nobody reads: an integer whose lowest byte is stored need not be brought
// into the range of a byte first.
func bits(k *ir.Kernel, _ *Options) {
	b := &bitReader{Kernel: k, replacement: newReplacement(k), read: make([]uint8, k.Values()),
		results: make([][]ir.Value, k.Labels())}
	for body := range k.Bodies() {
		b.look(body)
	}
	for body := range k.Bodies() {
		b.region(body)
	}
}

// bitReader knows how many bits of integers are read, from the lowest one on.
type bitReader struct {
	*ir.Kernel
	replacement
	read    []uint8
	results [][]ir.Value // of constructs, by label
}

const allBits = 64

// look finds what the instructions of a region read, the last one first: what reads a result comes after it.
func (b *bitReader) look(r *ir.Region) {
	for i := len(r.Code) - 1; i >= 0; i-- {
		in := r.Code[i]
		if len(in.Regions) > 0 {
			b.results[in.Label()] = in.Results
		}
		for i, v := range in.Args {
			b.read[v] = max(b.read[v], b.readOf(in, i))
		}
		for _, inner := range in.Regions {
			b.look(inner)
		}
	}
}

// readOf returns how many bits an instruction reads of its i-th operand.
func (b *bitReader) readOf(in *ir.Instr, i int) uint8 {
	if in.Op == ir.OpStore {
		access := in.Aux.(*ir.Access)
		if kind := access.Kind; i >= len(in.Args)-access.Count &&
			(kind == ir.Int8 || kind == ir.Uint8 || kind == ir.Int16 || kind == ir.Uint16) {
			return uint8(8 * kind.Bytes())
		}
		return allBits
	}
	if in.Op == ir.OpLeave {
		return b.read[b.results[in.Label()][i]]
	}
	if len(in.Results) != 1 || in.Type == ir.Bool || in.Type == ir.F32 || in.Type == ir.Ptr {
		return allBits
	}
	n := b.read[in.Result()]
	switch in.Op {
	case ir.OpAdd, ir.OpSub, ir.OpMul, ir.OpNeg, ir.OpOr, ir.OpXor, ir.OpNot, ir.OpNarrow:
		return n
	case ir.OpWrap:
		return min(n, uint8(in.Imm))
	case ir.OpAnd:
		if c, known := b.Bits(in.Args[1-i]); known {
			return min(n, uint8(mathbits.Len64(c)))
		}
		return n
	case ir.OpSelect:
		if i > 0 {
			return n
		}
	case ir.OpShl:
		if c, known := b.Bits(in.Args[1]); known && i == 0 {
			return n - min(n, uint8(c&uint64(in.Type.Bits()-1)))
		}
	case ir.OpShr: // above its upper bits come copies of the sign
		if c, known := b.Bits(in.Args[1]); known && i == 0 {
			if by := c & uint64(in.Type.Bits()-1); uint64(n)+by <= uint64(in.Type.Bits()) {
				return n + uint8(by)
			}
		}
	}
	return allBits
}

// region replaces what is left out.
func (b *bitReader) region(r *ir.Region) {
	kept := r.Code[:0]
	for _, in := range r.Code {
		b.in(in.Args)
		if v := b.same(in); v != 0 {
			b.replacement[in.Result()] = v
			continue
		}
		for _, inner := range in.Regions {
			b.region(inner)
		}
		kept = append(kept, in)
	}
	clear(r.Code[len(kept):])
	r.Code = kept
}

// same returns the operand that the result of an instruction is in all bits that are read, or 0.
func (b *bitReader) same(in *ir.Instr) ir.Value {
	switch {
	case in.Op == ir.OpWrap && int64(b.read[in.Result()]) <= in.Imm:
		return in.Args[0]
	case in.Op == ir.OpAnd && in.Type != ir.Bool:
		read := uint64(1)<<b.read[in.Result()] - 1
		for i, v := range in.Args {
			if c, known := b.Bits(v); known && c&read == read {
				return in.Args[1-i]
			}
		}
	}
	return 0
}
