package ptxtest

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/fmath"
)

// products are the forms of products of 16 x 8 by 8 x 8 elements, or 16 x 16 by 16 x 8, on tensor cores.
func products() []form {
	var list []form
	for _, typ := range []string{"f16 f16", "bf16 bf16", "tf32 tf32"} {
		list = append(list, form{"sync aligned m16n8k8 row col f32 " + typ, "f32", "FRRF"})
		if typ != "tf32 tf32" {
			list = append(list, form{"sync aligned m16n8k16 row col f32 " + typ, "f32", "FRRF"})
		}
	}
	return list
}

// registersIn returns the names in braces.
func registersIn(text string) []string { return strings.Split(strings.Trim(text, "{}"), ", ") }

// multiply computes the product of what all lanes have. Element k of a row or column of floats is where halves have
// element 2k, for k below 4, and else 2k - 7: all orders give the same sum but for its rounding.
func (w *warp) multiply(s *step, come []*thread) {
	in, p := s.in, w.block.program
	get := func(t *thread, operand, i int) uint64 {
		return t.registers[p.Registers[registersIn(in.Operands[operand])[i]].Index]
	}
	kind := in.Parts[7]
	element := func(t *thread, operand, i, k int) float64 {
		switch kind {
		case "f16":
			return float64(fmath.HalfFromBits(uint16(get(t, operand, i) >> (16 * k))))
		case "bf16":
			return float64(fmath.BFloatFromBits(uint16(get(t, operand, i) >> (16 * k))))
		}
		if operand == 1 {
			i += k * 2
		} else {
			i += k
		}
		return float64(math.Float32frombits(uint32(get(t, operand, i)) &^ 0x1fff))
	}
	var a [16][16]float64
	var b [16][8]float64
	parts := 1 // of 8 elements of a row or a column
	if in.Parts[3] == "m16n8k16" {
		parts = 2
	}
	for _, t := range come {
		for part := range parts {
			for i := range 2 {
				for k := range 2 {
					a[t.lane/4+8*i][8*part+t.lane%4*2+k] = element(t, 1, 2*part+i, k)
				}
				b[8*part+t.lane%4*2+i][t.lane/4] = element(t, 2, part, i)
			}
		}
	}
	results := make([][4]uint64, len(come))
	for n, t := range come {
		for i := range 4 {
			row, column := t.lane/4+i/2*8, t.lane%4*2+i%2
			sum := float64(f32(get(t, 3, i)))
			for k := range 8 * parts {
				sum += a[row][k] * b[k][column]
			}
			results[n][i] = of32(float32(sum))
		}
	}
	for n, t := range come {
		for i, name := range registersIn(in.Operands[0]) {
			t.registers[p.Registers[name].Index] = results[n][i]
		}
	}
}

// allOf reports whether the registers in braces have a type.
func (m *Module) allOf(text, typ string) bool {
	return !slices.ContainsFunc(registersIn(text), func(name string) bool { return m.Registers[name].Type != typ })
}

// loadMatrix loads a matrix of 8 rows and columns of halves, whose rows are where the first 8 lanes say. A lane gets
// two neighbours of a row, or of a column.
func (w *warp) loadMatrix(s *step, come []*thread) {
	in, p := s.in, w.block.program
	at, d := p.memory(in.Operands[1]), p.registersOf(in.Operands[0])[0]
	var rows [side][]byte
	for _, t := range come {
		if t.lane < side {
			rows[t.lane] = t.bytes("shared", at(t), 2*side)
		}
	}
	element := func(row, column int) uint64 { return uint64(binary.LittleEndian.Uint16(rows[row][2*column:])) }
	for _, t := range come {
		row, column := t.lane/4, t.lane%4*2
		if slices.Contains(in.Parts, "trans") {
			t.registers[d] = element(column, row) | element(column+1, row)<<16
		} else {
			t.registers[d] = element(row, column) | element(row, column+1)<<16
		}
	}
}

const side = 8
