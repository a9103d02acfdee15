package cpu

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// Values that count along with the lanes are kept as a base and a step. These
// tests make the same values in that form and in one that is loaded lane by lane,
// and take all their combinations through every operator.

// linearRow is x and y of one turn: base + step * lane.
type linearRow struct{ x, xStep, y, yStep uint64 }

// linearRows are turns with bases and steps that wrap around, go backwards, stand
// still, fill a block of a power of two and cross it.
func linearRows(kind string, n int) []linearRow {
	random := rand.New(rand.NewPCG(1, uint64(len(kind))))
	bits := uint64(scalarModels[kind].bits)
	top := uint64(1) << (bits - 1)
	// 31 steps of these come to 1, 2 and 31: the ends look like a short way
	inverse := uint64(0xef7bdef7bdef7bdf)
	bases := []uint64{0, 1, 5, 31, 32, 33, 64, 96, 100, 1024, 4095, 65520, 65536, 1 << 31, top, top - 1, top - 16,
		top - 31, top - 32, top + 5, ^uint64(0), ^uint64(15), ^uint64(30), ^uint64(31), ^uint64(32), ^uint64(99)}
	steps := []uint64{0, 0, 1, 1, 1, 2, 3, 4, 7, 8, 31, 32, 33, 100, 65535, 65536, 1 << 26, 1<<27 + 1, 1 << 31, top,
		top / 31, ^uint64(0), ^uint64(0), ^uint64(1), ^uint64(6), ^uint64(31), inverse, 2 * inverse, 31 * inverse, top + 1}
	pick := func(list []uint64) uint64 { return list[random.IntN(len(list))] }
	var rows []linearRow
	for i := range n {
		r := linearRow{pick(bases), pick(steps), pick(bases), pick(steps)}
		switch i % 4 {
		case 0: // divisors and masks
			r.y, r.yStep = 1<<random.IntN(int(bits))-uint64(random.IntN(2)), 0
		case 1: // small counts, divisors
			r.y, r.yStep = uint64(random.IntN(70)), 0
		case 2: // whole blocks
			r.x, r.xStep = uint64(random.IntN(64))*32, 1<<random.IntN(4)
			r.y, r.yStep = 1<<random.IntN(12)-uint64(random.IntN(2)), 0
		}
		rows = append(rows, r)
	}
	return rows
}

func (r linearRow) values(kind string, lane int) (x, y number) {
	return integerOf(kind, r.x+r.xStep*uint64(lane)), integerOf(kind, r.y+r.yStep*uint64(lane))
}

// rowBuffers are the bases and steps, and the values lane by lane.
func rowBuffers(kind string, rows []linearRow) (steps, xs, ys any) {
	var s, x, y []number
	for _, r := range rows {
		for _, v := range []uint64{r.x, r.xStep, r.y, r.yStep} {
			s = append(s, integerOf(kind, v))
		}
		for lane := range width {
			a, b := r.values(kind, lane)
			x, y = append(x, a), append(y, b)
		}
	}
	return buffer(kind, s), buffer(kind, x), buffer(kind, y)
}

func TestLinearValuesComputeAsVaryingOnes(t *testing.T) {
	t.Parallel()
	for _, kind := range integerKinds {
		rows := some(linearRows(kind, 100), 4, 0)
		result := commonKind(kind, kind)
		var steps []string
		var want []func(x, y number) number
		add := func(step string, w func(x, y number) number) {
			steps, want = append(steps, "r[at++] = "+step+";"), append(want, w)
		}
		for _, op := range integerSigns {
			add(guarded(op, "x", "y", kind), func(x, y number) number { v, _ := operate(op, x, y); return v.to(result) })
		}
		for _, op := range compareSigns {
			add(fmt.Sprintf("x %s y", op), func(x, y number) number { v, _ := operate(op, x, y); return v.to(result) })
		}
		add("-x", func(x, _ number) number { return negated(result, x) })
		add("~x", func(x, _ number) number { return inverted(result, x) })
		add("!x", func(x, _ number) number { return boolNumber(!x.isTrue()).to(result) })
		add("x > y ? x : y", func(x, y number) number {
			if v, _ := operate(">", x, y); v.isTrue() {
				return x.to(result)
			}
			return y.to(result)
		})
		least := func(x, y number) number {
			if v, _ := operate("<", y, x); v.isTrue() {
				return y
			}
			return x
		}
		most := func(x, y number) number {
			if least(x, y) == x {
				return y
			}
			return x
		}
		add("min(x, y)", func(x, y number) number { return least(x, y).to(result) })
		add("max(x, y)", func(x, y number) number { return most(x, y).to(result) })
		add(fmt.Sprintf("clamp(x, min(y, %[1]s(50)), max(y, %[1]s(50)))", kind), func(x, y number) number {
			fifty := integerOf(kind, 50)
			return least(most(x, least(y, fifty)), most(y, fifty)).to(result)
		})
		// what computes with results, so that these are linear where they may be
		add("((x + y) & 63) + 1", func(x, y number) number {
			v, _ := operate("+", x, y)
			v, _ = operate("&", v, integerOf("int", 63))
			v, _ = operate("+", v, integerOf("int", 1))
			return v
		})
		add("((x * 3 - y) >> 3) < x", func(x, y number) number {
			v, _ := operate("*", x, integerOf("int", 3))
			v, _ = operate("-", v, y)
			v, _ = operate(">>", v, integerOf("int", 3))
			v, _ = operate("<", v, x)
			return v.to(result)
		})
		add("(x / 3) % 5", func(x, _ number) number {
			v, _ := operate("/", x, integerOf("int", 3))
			v, _ = operate("%", v, integerOf("int", 5))
			return v
		})
		forms := []string{
			"{0} x = {0}(p[0] + p[1] * {0}(i)), y = {0}(p[2] + p[3] * {0}(i));",
			"{0} x = {0}(p[0] + p[1] * {0}(i)), y = ys[i];",
			"{0} x = xs[i], y = {0}(p[2] + p[3] * {0}(i));",
			"{0} x = xs[i], y = ys[i];",
		}
		var body strings.Builder
		for _, form := range forms {
			fmt.Fprintf(&body, "\t\t{ %s\n\t\t%s }\n", strings.ReplaceAll(form, "{0}", kind), strings.Join(steps, "\n\t\t"))
		}
		source := fmt.Sprintf(`kernel void test(device const %[1]s* p, device const %[1]s* xs, device const %[1]s* ys,
			device %[2]s* r, uint i [[thread_position_in_grid]]) {
	for (uint j = 0; j < %[3]d; j++, p += 4, xs += 32, ys += 32) {
		uint at = (j * 32 + i) * %[4]d;
%[5]s	}
}`, kind, result, len(rows), len(want)*len(forms), body.String())
		p, xs, ys := rowBuffers(kind, rows)
		memory := empty(result, len(rows)*width*len(forms)*len(want))
		compute(t, source, threads(width), p, xs, ys, memory)
		results := make([]number, 0, len(rows)*width*len(forms)*len(want))
		for _, row := range rows {
			for lane := range width {
				x, y := row.values(kind, lane)
				var once []number
				for _, w := range want {
					once = append(once, w(x, y))
				}
				for range forms {
					results = append(results, once...)
				}
			}
		}
		check(t, result, memory, results, func(i int) string {
			step, form, lane, row := i%len(want), i/len(want)%len(forms), i/len(want)/len(forms)%width,
				i/len(want)/len(forms)/width
			x, y := rows[row].values(kind, lane)
			return fmt.Sprintf("row %+v, lane %d, form %d: %v, %v: %s", rows[row], lane, form, x, y, steps[step])
		})
	}
}

func TestLinearValuesConvertAsVaryingOnes(t *testing.T) {
	t.Parallel()
	for _, kind := range integerKinds {
		rows := some(linearRows(kind, 80), 4, 0)
		for _, to := range allKinds {
			source := fmt.Sprintf(`kernel void test(device const %[1]s* p, device const %[1]s* xs, device %[2]s* r,
				uint i [[thread_position_in_grid]]) {
	for (uint j = 0; j < %[3]d; j++, p += 4, xs += 32, r += 64) {
		%[1]s x = p[0] + p[1] * %[1]s(i);
		%[1]s y = xs[i];
		r[2 * i] = %[2]s(x);
		r[2 * i + 1] = %[2]s(y);
	}
}`, kind, to, len(rows))
			p, xs, _ := rowBuffers(kind, rows)
			memory := empty(to, 2*width*len(rows))
			compute(t, source, threads(width), p, xs, memory)
			var want []number
			for _, row := range rows {
				for lane := range width {
					x, _ := row.values(kind, lane)
					want = append(want, x.to(to), x.to(to))
				}
			}
			check(t, to, memory, want, func(i int) string {
				return fmt.Sprintf("row %+v, lane %d, %s", rows[i/2/width], i/2%width, kind)
			})
		}
	}
}

// TestLinearValuesChangeInSomeLanes assigns in divergent flow, where a register
// that was linear becomes a mix of two.
func TestLinearValuesChangeInSomeLanes(t *testing.T) {
	t.Parallel()
	r := make([]int32, 64*6)
	compute(t, `kernel void test(device int* r, uint i [[thread_position_in_grid]]) {
	int a = i, b = 7, c = i * 2 - 9, d = -1, e = i, f = 3;
	if (i & 1) { a = 100; b = i; c += i; d = i * 3; } else { d = a; }
	if (i > 10) e = i;
	if (i < 40) e++; else e -= i;
	for (uint k = 0; k < i % 5; k++) { f += k; if (k == 2) break; }
	r[6*i] = a; r[6*i+1] = b; r[6*i+2] = c; r[6*i+3] = d; r[6*i+4] = e; r[6*i+5] = f;
}`, threads(64), r)
	for i := range int32(64) {
		a, b, c, d, e, f := i, int32(7), i*2-9, int32(-1), i, int32(3)
		if i&1 != 0 {
			a, b, c, d = 100, i, c+i, i*3
		} else {
			d = a
		}
		if i < 40 {
			e++
		} else {
			e -= i
		}
		for k := range i % 5 {
			f += k
			if k == 2 {
				break
			}
		}
		for k, want := range []int32{a, b, c, d, e, f} {
			if got := r[6*int(i)+k]; got != want {
				t.Errorf("thread %d: value %d is %d, want %d", i, k, got, want)
			}
		}
	}
}
