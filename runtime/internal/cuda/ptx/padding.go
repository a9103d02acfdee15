package ptx

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Threadgroup memory has 32 banks of 4 bytes, and a matrix of halves is loaded by 8 rows of 16 bytes at once. Where
// rows begin at multiples of 128 bytes all of them are in the same banks. So a variable from which such matrices are
// loaded has a gap of 16 bytes after each 128: wherever its rows begin, eight neighbours are in different banks.
// Offsets are what they are without gaps, until an instruction needs an address.

const (
	rowBytes = 128
	rowGap   = 16
	// maxStatic is what a block may have of shared memory unless the host asks for more.
	maxStatic = 48 << 10
)

// findPadded finds the variables with gaps. Pointers whose object is not known have none of them in reach.
func (m *places) findPadded() {
	padded := make([]bool, len(m.e.Objects))
	for in := range m.e.All() {
		if in.Op != ir.OpMatrixLoad || in.Aux.(*ir.MatrixAccess).Kind.Bytes() != 2 {
			continue
		}
		if o := m.e.Origins[in.Args[0]]; o != facts.Unknown && m.e.Objects[o].Kind == ir.GroupVariable {
			padded[o] = true
		}
	}
	for in := range m.e.All() {
		for _, v := range in.Args {
			if _, constant := m.e.Bits(v); v != 0 && m.e.Type(v) == ir.Ptr && m.e.Origins[v] == facts.Unknown && !constant {
				return
			}
		}
	}
	total := 0
	for i, o := range m.e.Objects {
		if o != nil && (o.Kind == ir.GroupVariable || o.Kind == ir.GroupArgument) {
			total += inRows(o.Size, padded[i])
		}
	}
	if total <= maxStatic {
		m.e.padded = padded
	}
}

// inRows returns where an offset is in a variable that may have gaps.
func inRows(offset int, gaps bool) int {
	if gaps {
		return offset + offset/rowBytes*rowGap
	}
	return offset
}

// reachedInRows is reached for a variable with gaps.
func (m *places) reachedInRows(p *place) func(offset int64) string {
	return func(offset int64) string {
		n, at := p.fixed+offset, p.at
		if at == "" {
			return fmt.Sprintf("[%s+%d]", p.base, inRows(int(n), true))
		}
		if n < 0 || bits.Len64(uint64(n%rowBytes)) > p.low { // they may be in two rows
			at, n = m.Make(text.Long, "add.s64", at, fmt.Sprint(n)), 0
		}
		row := m.Make(text.Long, "shr.u64", at, fmt.Sprint(bits.TrailingZeros(rowBytes)))
		at = m.Make(text.Long, "mad.lo.s64", row, fmt.Sprint(rowGap), at)
		return fmt.Sprintf("[%s+%d]", m.address(p, at), inRows(int(n), true))
	}
}
