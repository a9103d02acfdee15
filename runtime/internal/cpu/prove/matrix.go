package prove

import "github.com/metalgen/metalgen/internal/ir"

// width is how many threads a simd-group has.
const width = 32

// matrix writes what comes before a load or a store of a matrix. All lanes of the simd-group together look at its
// elements, two each, and note them with the number of the simd-group: for the sanitizer that is no thread's.
func matrix(p *prover, in *ir.Instr) {
	access := in.Aux.(*ir.MatrixAccess)
	object := int(p.known.origin[in.Args[0]])
	if object <= 0 || p.shadows[shadowOf{object, false}] == 0 {
		return
	}
	start := p.start(object)
	stride, x, y, transposed := in.Args[1], in.Args[2], in.Args[3], in.Args[4]
	size := access.Kind.Bytes()
	bits := func(v ir.Value) ir.Value { return p.Op(ir.OpPtrBits, ir.Ptr, v) }
	away := p.Op(ir.OpSub, ir.I64, bits(in.Args[0]), bits(start))
	first := p.Op(ir.OpShr, ir.S64, away, p.number(int64(size/2))) // log2 of 2 and 4 is their half
	p.doubt(p.Op(ir.OpNe, ir.I64, away, p.Op(ir.OpMul, ir.I64, first, long(p, int64(size)))))
	at := p.Op(ir.OpAdd, ir.I64, p.Op(ir.OpMul, ir.I64, y, stride), x)
	at = same(p, p.Op(ir.OpAdd, ir.I64, first, at))
	line := same(p, stride)
	column := same(p, p.Op(ir.OpSelect, ir.I64, transposed, stride, long(p, 1)))
	row := p.add(p.add(line, p.number(1)), p.Op(ir.OpSub, ir.I32, p.number(0), column)) // the other one
	all := p.Emit(ir.Instr{Op: ir.OpActiveThreads, Imm: width}, ir.I64).Result()
	p.doubt(p.Op(ir.OpNe, ir.I64, all, long(p, 1<<width-1)))

	lane := input(p.Writer, "thread_index_in_simdgroup", 0)
	at = p.add(at, p.times(row, p.Op(ir.OpShr, ir.U32, lane, p.number(2))))
	at = p.add(at, p.times(column, p.times(p.number(2), p.Op(ir.OpAnd, ir.I32, lane, p.number(3)))))
	p.group = input(p.Writer, "simdgroup_index_in_threadgroup", 0)
	for range 2 {
		p.reach(object, in.Op == ir.OpMatrixStore, []ir.Value{start, at}, &ir.Access{
			Space: access.Space, Kind: access.Kind, Count: 1, Index: ir.S32, Scale: int32(size),
		})
		at = p.add(at, column)
	}
	p.group = 0
}

// same returns a number of 64 bits as one of 32. Nothing is proved where it has more, or differs between lanes.
func same(p *prover, v ir.Value) ir.Value {
	word := p.Op(ir.OpNarrow, ir.I64, v)
	p.doubt(p.Op(ir.OpNe, ir.I64, v, p.Op(ir.OpWiden, ir.S32, word)))
	p.doubt(p.Op(ir.OpNe, ir.I32, word, p.OpImm(ir.OpBroadcastFirst, ir.I32, width, word)))
	return word
}

func long(p *prover, n int64) ir.Value { return p.Known(ir.I64, uint64(n)) }
