package main

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// side is the number of rows and columns of a matrix.
const side = 8

// A matrix lies in the lanes of two registers, the first of which has the elements of even columns.
// Lane 16a + 8b + 4c + 2d + e has row 4a + 2c + d of columns 4b + 2e and 4b + 2e + 1.
func matrixLane(row, column int) (register, lane int) {
	return column & 1, row>>2<<4 | column>>2<<3 | row&3<<1 | column>>1&1
}

func matrices(g *generator) {
	g.operation("matrix.Multiply", "func(z0, z1, x0, x1, y0, y1, w0, w1 *[32]float32)", g.multiply)
	if g.wide {
		return // what follows is for vectors of 8 elements
	}
	for _, f := range []struct {
		name  string
		bytes int
		load  func(from operand.Mem, v reg.VecVirtual)
		store func(v reg.VecVirtual, to operand.Mem)
	}{
		{"Float", 4,
			func(from operand.Mem, v reg.VecVirtual) { g.VMOVUPS(from, v) },
			func(v reg.VecVirtual, to operand.Mem) { g.VMOVUPS(v, to) }},
		{"Half", 2,
			func(from operand.Mem, v reg.VecVirtual) { g.VCVTPH2PS(from, v) },
			func(v reg.VecVirtual, to operand.Mem) { g.VCVTPS2PH(operand.U8(0), v, to) }},
		{"BFloat", 2,
			func(from operand.Mem, v reg.VecVirtual) {
				g.VPMOVZXWD(from, v)
				g.VPSLLD(operand.Imm(16), v, v)
			},
			func(v reg.VecVirtual, to operand.Mem) {
				g.bfloat()(v)
				g.VPSRLD(operand.Imm(16), v, v)
				g.VMOVUPS(g.lower16(v), to)
			}},
	} {
		for _, order := range []string{"Rows", "Columns"} {
			g.operation("matrix."+f.name+"."+"Load"+order, "func(z0, z1 *[32]float32, p *byte, step int)", func() {
				rows := g.rows()
				g.steps(func(i int, at operand.Mem) { f.load(at, rows[i]) })
				if order == "Columns" {
					rows = g.transpose(rows)
				}
				g.distribute(rows, [2]operand.Mem{g.pointer("z0"), g.pointer("z1")})
			})
			g.operation("matrix."+f.name+"."+"Store"+order, "func(x0, x1 *[32]float32, p *byte, step int)", func() {
				rows := g.collect([2]operand.Mem{g.pointer("x0"), g.pointer("x1")})
				if order == "Columns" {
					rows = g.transpose(rows)
				}
				g.steps(func(i int, at operand.Mem) { f.store(rows[i], at) })
			})
		}
	}
}

// multiply is x*y + w. Each product is rounded, and added to the sum of those before it: for an
// element of column j they are x[0]*y[0][j], x[1]*y[1][j] and so on.
func (g *generator) multiply() {
	x := [2]operand.Mem{g.pointer("x0"), g.pointer("x1")}
	y := g.collect([2]operand.Mem{g.pointer("y0"), g.pointer("y1")})
	var kept operand.Mem
	if !g.wide { // there are registers for half of it
		kept = g.AllocLocal(side * side * 4)
		for k := range y {
			g.VMOVUPS(y[k], kept.Offset(32*k))
		}
	}
	z := g.collect([2]operand.Mem{g.pointer("w0"), g.pointer("w1")})
	for k := range side {
		for r := range side {
			register, lane := matrixLane(r, k)
			element, product := x[register].Offset(4*lane), g.YMM()
			if g.wide {
				g.VMULPS_BCST(element, y[k], product)
			} else {
				g.VBROADCASTSS(element, product)
				g.VMULPS(kept.Offset(32*k), product, product)
			}
			g.VADDPS(product, z[r], z[r])
		}
	}
	g.distribute(z, [2]operand.Mem{g.pointer("z0"), g.pointer("z1")})
}

func (g *generator) rows() (rows [side]reg.VecVirtual) {
	for i := range rows {
		rows[i] = g.YMM()
	}
	return rows
}

// steps calls f with the addresses of 8 rows that begin at p, step bytes apart.
func (g *generator) steps(f func(i int, at operand.Mem)) {
	p := g.pointer("p")
	step := g.Load(g.Param("step"), g.GP64())
	for i := range side {
		f(i, p)
		if i < side-1 {
			g.ADDQ(step, p.Base)
		}
	}
}

// collect returns the rows of a matrix.
func (g *generator) collect(m [2]operand.Mem) (rows [side]reg.VecVirtual) {
	rows = g.rows()
	for half := range 2 {
		var low, high [2]reg.VecVirtual // two elements of rows 0 and 2, and of 1 and 3, for two columns each
		for part := range 2 {
			at := 64*half + 32*part
			x := g.YMM()
			low[part], high[part] = g.YMM(), g.YMM()
			g.VMOVUPS(m[0].Offset(at), x)
			g.VUNPCKLPS(m[1].Offset(at), x, low[part])
			g.VUNPCKHPS(m[1].Offset(at), x, high[part])
		}
		g.join(0, low[1], low[0], rows[4*half])
		g.join(1, low[1], low[0], rows[4*half+2])
		g.join(0, high[1], high[0], rows[4*half+1])
		g.join(1, high[1], high[0], rows[4*half+3])
	}
	return rows
}

// join sets z to the lower halves of a and b, or the upper ones.
func (g *generator) join(part int, b, a, z reg.VecVirtual) {
	if g.wide {
		g.VSHUFF32X4(operand.U8(3*part), b, a, z)
	} else {
		g.VPERM2F128(operand.U8(0x20+0x11*part), b, a, z)
	}
}

// distribute is the inverse of collect.
func (g *generator) distribute(rows [side]reg.VecVirtual, m [2]operand.Mem) {
	for half := range 2 {
		for part := range 2 {
			low, high, x := g.YMM(), g.YMM(), g.YMM()
			g.join(part, rows[4*half+2], rows[4*half], low)
			g.join(part, rows[4*half+3], rows[4*half+1], high)
			for i, pick := range []operand.U8{0x88, 0xdd} {
				g.VSHUFPS(pick, high, low, x)
				g.VMOVUPS(x, m[i].Offset(64*half+32*part))
			}
		}
	}
}

// transpose returns the columns of rows.
func (g *generator) transpose(rows [side]reg.VecVirtual) (columns [side]reg.VecVirtual) {
	pairs, fours := g.rows(), g.rows()
	for i := 0; i < side; i += 2 {
		g.VUNPCKLPS(rows[i+1], rows[i], pairs[i])
		g.VUNPCKHPS(rows[i+1], rows[i], pairs[i+1])
	}
	for i := 0; i < side; i += 4 {
		for j := range 2 {
			g.VSHUFPS(operand.U8(0x44), pairs[i+2+j], pairs[i+j], fours[i+2*j])
			g.VSHUFPS(operand.U8(0xee), pairs[i+2+j], pairs[i+j], fours[i+2*j+1])
		}
	}
	columns = g.rows()
	for i := range 4 {
		g.join(0, fours[4+i], fours[i], columns[i])
		g.join(1, fours[4+i], fours[i], columns[4+i])
	}
	return columns
}
