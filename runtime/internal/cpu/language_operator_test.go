package cpu

import (
	"fmt"
	"strings"
	"testing"
)

// guarded is the text of x op y where no lane divides by zero: such lanes take
// x's type of zero, and must not fault.
func guarded(op, x, y, kind string) string {
	if op != "/" && op != "%" || scalarModels[kind].floating {
		return fmt.Sprintf("%s %s %s", x, op, y)
	}
	return fmt.Sprintf("%s != 0 ? %s %s %s : 0", y, x, op, y)
}

// TestScalarOperatorsFollowTheUsualConversions takes every pair of types through
// every operator that they have, with each operand varying by lane and the same
// in all lanes.
func TestScalarOperatorsFollowTheUsualConversions(t *testing.T) {
	t.Parallel()
	for i, a := range allKinds {
		for _, b := range some(allKinds, 4, i) { // a itself among them
			x, y := interesting(a), interesting(b)
			var steps []string
			var want []func(x, y number) number
			signs, kind := signsFor(a, b)
			for _, op := range signs {
				steps = append(steps, fmt.Sprintf("r[at++] = %s;", guarded(op, "x", "y", kind)))
				want = append(want, func(x, y number) number { v, _ := operate(op, x, y); return v.to(kind) })
			}
			for _, op := range compareSigns {
				steps = append(steps, fmt.Sprintf("r[at++] = x %s y;", op))
				want = append(want, func(x, y number) number { v, _ := operate(op, x, y); return v.to(kind) })
			}
			steps = append(steps, "r[at++] = x && y;", "r[at++] = x || y;", "r[at++] = x ? x : y;")
			want = append(want,
				func(x, y number) number { return boolNumber(x.isTrue() && y.isTrue()).to(kind) },
				func(x, y number) number { return boolNumber(x.isTrue() || y.isTrue()).to(kind) },
				func(x, y number) number {
					if x.isTrue() {
						return x.to(kind)
					}
					return y.to(kind)
				})
			n := len(x) * len(y)
			source := fmt.Sprintf(`kernel void test(device const %[1]s* a, device const %[2]s* b, device %[3]s* r,
				device %[3]s* s, device %[3]s* u, uint i [[thread_position_in_grid]]) {
	const uint na = %[4]d, nb = %[5]d, ops = %[6]d;
	if (i < na * nb) {
		%[1]s x = a[i / nb]; %[2]s y = b[i %% nb];
		uint at = i * ops;
		%[7]s
	}
	if (i >= 32) return;
	r = s;
	if (i < nb)
		for (uint j = 0; j < na; j++) {
			%[1]s x = a[j]; %[2]s y = b[i];
			uint at = (j * nb + i) * ops;
			%[7]s
		}
	r = u;
	for (uint j = 0; j < na; j++)
		for (uint k = 0; k < nb; k++) {
			%[1]s x = a[j]; %[2]s y = b[k];
			uint at = (j * nb + k) * ops;
			%[7]s
		}
}`, a, b, kind, len(x), len(y), len(want), strings.Join(steps, "\n\t\t"))
			varying, mixed, uniform := empty(kind, n*len(want)), empty(kind, n*len(want)), empty(kind, n*len(want))
			compute(t, source, threads(max(n, 32)), buffer(a, x), buffer(b, y), varying, mixed, uniform)
			results := make([]number, 0, n*len(want))
			for _, x := range x {
				for _, y := range y {
					for _, w := range want {
						results = append(results, w(x, y))
					}
				}
			}
			for name, memory := range map[string]any{"varying": varying, "uniform with varying": mixed, "uniform": uniform} {
				check(t, kind, memory, results, func(i int) string {
					return fmt.Sprintf("%s: %v, %v: %s", name, x[i/len(want)/len(y)], y[i/len(want)%len(y)], steps[i%len(want)])
				})
			}
		}
	}
}

// TestAssignmentsComputeInTheCommonTypeAndConvertBack covers x op= y, ++ and --,
// and the operators of one operand.
func TestAssignmentsComputeInTheCommonTypeAndConvertBack(t *testing.T) {
	t.Parallel()
	for i, a := range allKinds {
		for _, b := range some(allKinds, 4, i) { // a itself among them
			x, y := interesting(a), interesting(b)
			var steps []string
			var want []func(x, y number) number
			add := func(step string, w func(x, y number) number) {
				steps, want = append(steps, step), append(want, w)
			}
			signs, kind := signsFor(a, b)
			if needsCast(kind, a) || needsCast(b, a) {
				continue
			}
			for _, op := range signs {
				guard := ""
				if (op == "/" || op == "%") && !scalarModels[kind].floating {
					guard = "if (y != 0) "
				}
				add(fmt.Sprintf("{ %s z = x; %sz %s= y; r[at++] = z; }", a, guard, op), func(x, y number) number {
					if v, ok := operate(op, x, y); ok {
						return v.to(a)
					}
					return x
				})
			}
			one := number{kind: "int", i: 1}
			if a == b && a != "bool" {
				for _, op := range []string{"+", "-"} {
					step := func(x number) number { v, _ := operate(op, x, one); return v.to(a) }
					add(fmt.Sprintf("{ %s z = x; %s old = z%s%s; r[at++] = old; }", a, a, op, op),
						func(x, _ number) number { return x })
					add(fmt.Sprintf("{ %s z = x; z%s%s; r[at++] = z; }", a, op, op), func(x, _ number) number { return step(x) })
					add(fmt.Sprintf("{ %s z = x; r[at++] = %s%sz; }", a, op, op), func(x, _ number) number { return step(x) })
				}
			}
			if a == b {
				add("r[at++] = !x;", func(x, _ number) number { return boolNumber(!x.isTrue()).to(a) })
				add(fmt.Sprintf("r[at++] = %s(-x);", a), func(x, _ number) number { return negated(commonKind(a, a), x).to(a) })
				add("r[at++] = +x;", func(x, _ number) number { return x })
				if !scalarModels[a].floating {
					add(fmt.Sprintf("r[at++] = %s(~x);", a), func(x, _ number) number { return inverted(commonKind(a, a), x).to(a) })
				}
			}
			n := len(x) * len(y)
			source := fmt.Sprintf(`kernel void test(device const %[1]s* a, device const %[2]s* b, device %[1]s* r,
				device %[1]s* s, uint i [[thread_position_in_grid]]) {
	const uint na = %[3]d, nb = %[4]d, ops = %[5]d;
	if (i < na * nb) {
		%[1]s x = a[i / nb]; %[2]s y = b[i %% nb];
		uint at = i * ops;
		%[6]s
	}
	if (i >= 32) return;
	r = s;
	for (uint j = 0; j < na; j++)
		for (uint k = 0; k < nb; k++) {
			%[1]s x = a[j]; %[2]s y = b[k];
			uint at = (j * nb + k) * ops;
			%[6]s
		}
}`, a, b, len(x), len(y), len(want), strings.Join(steps, "\n\t\t"))
			varying, uniform := empty(a, n*len(want)), empty(a, n*len(want))
			compute(t, source, threads(max(n, 32)), buffer(a, x), buffer(b, y), varying, uniform)
			results := make([]number, 0, n*len(want))
			for _, x := range x {
				for _, y := range y {
					for _, w := range want {
						results = append(results, w(x, y))
					}
				}
			}
			for name, memory := range map[string]any{"varying": varying, "uniform": uniform} {
				check(t, a, memory, results, func(i int) string {
					return fmt.Sprintf("%s: %v, %v: %s", name, x[i/len(want)/len(y)], y[i/len(want)%len(y)], steps[i%len(want)])
				})
			}
		}
	}
}

// TestVectorOperatorsWorkInTheElementType: unlike scalars, elements of vectors
// are not promoted, so uchar4(200) + uchar4(100) is 44.
func TestVectorOperatorsWorkInTheElementType(t *testing.T) {
	t.Parallel()
	for i, kind := range allKinds {
		values := interesting(kind)
		signs, _ := signsFor(kind, kind)
		if kind == "bool" {
			signs = []string{"&", "|", "^"}
		}
		for _, n := range some([]int{2, 3, 4}, 3, i) {
			vector := fmt.Sprintf("%s%d", kind, n)
			var steps []string
			var want []func(x, y number) number
			add := func(step string, w func(x, y number) number) {
				steps, want = append(steps, step), append(want, w)
			}
			for _, op := range signs {
				divisor := "y"
				dividing := (op == "/" || op == "%") && !scalarModels[kind].floating
				if dividing {
					divisor = fmt.Sprintf("select(y, %s(1), y == %s(0))", vector, vector)
				}
				result := func(x, y number) number {
					if dividing && y.i == 0 {
						y.i = 1
					}
					v, _ := operateIn(kind, op, x, y)
					return v
				}
				add(fmt.Sprintf("PUT(x %s %s)", op, divisor), result)
				add(fmt.Sprintf("{ %s z = x; z %s= %s; PUT(z) }", vector, op, divisor), result)
				if !dividing && kind != "bool" {
					// the count of a shift by a scalar is an int
					add(fmt.Sprintf("PUT(x %s y.x)", op), nil)
				}
			}
			for _, op := range compareSigns {
				if kind == "bool" && op != "==" && op != "!=" {
					continue
				}
				add(fmt.Sprintf("PUT(%s(x %s y))", vector, op),
					func(x, y number) number { v, _ := operateIn(kind, op, x, y); return v.to(kind) })
			}
			if kind != "bool" {
				add("PUT(-x)", func(x, _ number) number { return negated(kind, x) })
				add(fmt.Sprintf("PUT(%s(!x))", vector), func(x, _ number) number { return boolNumber(!x.isTrue()).to(kind) })
				add(fmt.Sprintf("{ %s z = x; z++; PUT(z) }", vector),
					func(x, _ number) number { v, _ := operateIn(kind, "+", x, integerOf("int", 1)); return v })
				add(fmt.Sprintf("{ %s z = x; PUT(--z) }", vector),
					func(x, _ number) number { v, _ := operateIn(kind, "-", x, integerOf("int", 1)); return v })
				if !scalarModels[kind].floating {
					add("PUT(~x)", func(x, _ number) number { return inverted(kind, x) })
				}
			}
			source := fmt.Sprintf(`kernel void test(device const %[1]s* a, device const %[1]s* b, device %[1]s* r,
				uint i [[thread_position_in_grid]]) {
	%[2]s x, y;
	for (int e = 0; e < %[3]d; e++) { x[e] = a[(i + e) %% %[4]du]; y[e] = b[(i / %[4]du + 3 * e) %% %[4]du]; }
	uint at = i * %[5]du;
	%[6]s
}`, kind, vector, n, len(values), len(want)*n, strings.ReplaceAll(strings.Join(steps, "\n\t"), "PUT(", "PUT_("))
			source = expandPut(source, vector, n)
			count := len(values) * len(values)
			memory := empty(kind, count*len(want)*n)
			compute(t, source, threads(count), buffer(kind, values), buffer(kind, values), memory)
			var results []number
			for i := range count {
				x := func(e int) number { return values[(i+e)%len(values)] }
				y := func(e int) number { return values[(i/len(values)+3*e)%len(values)] }
				for s, w := range want {
					for e := range n {
						if w != nil {
							results = append(results, w(x(e), y(e)))
							continue
						}
						op := strings.Fields(steps[s])[1]
						v, _ := operateIn(kind, op, x(e), y(0))
						results = append(results, v)
					}
				}
			}
			check(t, kind, memory, results, func(i int) string {
				thread, step, e := i/n/len(want), i/n%len(want), i%n
				return fmt.Sprintf("%s: thread %d, element %d: %s", vector, thread, e, steps[step])
			})
		}
	}
}

// expandPut makes statements of PUT_(v), which stores the elements of a vector.
func expandPut(source, vector string, n int) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(source, "PUT_(")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		depth, end := 1, 0
		for ; depth > 0; end++ {
			switch after[end] {
			case '(':
				depth++
			case ')':
				depth--
			}
		}
		fmt.Fprintf(&b, "{ %s v = %s; for (int e = 0; e < %d; e++) r[at++] = v[e]; }", vector, after[:end-1], n)
		source = after[end:]
	}
}
