package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// vectorMath are the functions of whole vectors. Each step is rounded, sums go
// from the first element to the last.
var vectorMath = []struct {
	name string
	args string // v for a vector, s for a scalar
	ref  func(s *scalar, x ...[]float64) []float64
}{
	{"dot", "vv", func(s *scalar, x ...[]float64) []float64 { return []float64{s.dot(x[0], x[1])} }},
	{"length_squared", "v", func(s *scalar, x ...[]float64) []float64 { return []float64{s.dot(x[0], x[0])} }},
	{"length", "v", func(s *scalar, x ...[]float64) []float64 { return []float64{math.Sqrt(s.dot(x[0], x[0]))} }},
	{"distance_squared", "vv", func(s *scalar, x ...[]float64) []float64 {
		d := s.minus(x[0], x[1])
		return []float64{s.dot(d, d)}
	}},
	{"distance", "vv", func(s *scalar, x ...[]float64) []float64 {
		d := s.minus(x[0], x[1])
		return []float64{math.Sqrt(s.dot(d, d))}
	}},
	{"normalize", "v", func(s *scalar, x ...[]float64) []float64 {
		return s.times(x[0], s.round(1/math.Sqrt(s.dot(x[0], x[0]))))
	}},
	{"cross", "vv", func(s *scalar, x ...[]float64) []float64 {
		v := make([]float64, 3)
		for i := range v {
			p, q := (i+1)%3, (i+2)%3
			v[i] = s.round(s.round(x[0][p]*x[1][q]) - s.round(x[0][q]*x[1][p]))
		}
		return v
	}},
	{"faceforward", "vvv", func(s *scalar, x ...[]float64) []float64 {
		if s.dot(x[2], x[1]) < 0 {
			return x[0]
		}
		return s.times(x[0], -1)
	}},
	{"reflect", "vv", func(s *scalar, x ...[]float64) []float64 {
		return s.minus(x[0], s.times(x[1], s.round(2*s.dot(x[1], x[0]))))
	}},
	{"refract", "vvs", func(s *scalar, x ...[]float64) []float64 {
		eta, d := x[2][0], s.dot(x[1], x[0])
		k := s.round(1 - s.round(s.round(eta*eta)*s.round(1-s.round(d*d))))
		if k < 0 {
			return make([]float64, len(x[0]))
		}
		return s.minus(s.times(x[0], eta), s.times(x[1], s.round(s.round(eta*d)+s.round(math.Sqrt(k)))))
	}},
}

// otherVector are tested by tests of their own.
var otherVector = []string{"all", "any", "not", "transpose", "determinant", "is_function_constant_defined"}

func vectorNames() []string {
	names := slices.Clone(otherVector)
	for _, f := range vectorMath {
		names = append(names, f.name)
	}
	return names
}

func (s *scalar) dot(x, y []float64) float64 {
	sum := s.round(x[0] * y[0])
	for i := 1; i < len(x); i++ {
		sum = s.round(sum + s.round(x[i]*y[i]))
	}
	return sum
}

func (s *scalar) minus(x, y []float64) []float64 {
	d := make([]float64, len(x))
	for i := range d {
		d[i] = s.round(x[i] - y[i])
	}
	return d
}

func (s *scalar) times(x []float64, by float64) []float64 {
	p := make([]float64, len(x))
	for i := range p {
		p[i] = s.round(x[i] * by)
	}
	return p
}

func TestGeometricFunctionsRoundEachStep(t *testing.T) {
	t.Parallel()
	const vectors = 400
	for _, s := range floatingTypes {
		for n := 2; n <= 4; n++ {
			t.Run(s.vectorName(n), func(t *testing.T) {
				t.Parallel()
				rng := rand.New(rand.NewPCG(4, uint64(n)))
				x, y, z := make([]float64, n*vectors), make([]float64, n*vectors), make([]float64, n*vectors)
				eta := make([]float64, vectors)
				for i := range x {
					x[i], y[i], z[i] = s.round(4*rng.Float64()-2), s.round(2*rng.Float64()-1), s.round(2*rng.Float64()-1)
				}
				for i := range eta {
					eta[i] = s.round(0.5 + rng.Float64())
				}
				copy(x, []float64{3, 4, 0, 0}[:n]) // a length that is exact
				for _, f := range vectorMath {
					if f.name == "cross" && n != 3 {
						continue
					}
					call := &snippet{in: []*scalar{s, s, s, s}, out: []*scalar{s}, n: n, whole: []bool{false, false, false, true}}
					args := []string{"x0", "x1", "x2"}[:len(f.args)]
					if strings.HasSuffix(f.args, "s") {
						args[len(args)-1] = "x3"
					}
					call.body = fmt.Sprintf("y0 = $0(%s(%s))", f.name, strings.Join(args, ", "))
					got := numbersOf(call.run(t, cellsOf(x), cellsOf(y), cellsOf(z), cellsOf(eta))[0])
					for i := range vectors {
						of := func(v []float64) []float64 { return v[n*i : n*i+n] }
						operands := [][]float64{of(x), of(y), of(z)}
						if strings.HasSuffix(f.args, "s") {
							operands[2] = eta[i : i+1]
						}
						want := f.ref(s, operands...)
						for j := range n {
							// rsqrt and sqrt of half and bfloat may be off by what their float results are
							if w := want[min(j, len(want)-1)]; s.off(got[n*i+j], w, correct) {
								t.Fatalf("%s of %v = %v, want %v", f.name, operands, of(got), want)
							}
						}
					}
				}
			})
		}
	}
}

func TestRelationalFunctionsOnBools(t *testing.T) {
	t.Parallel()
	for n := 1; n <= 4; n++ {
		var x []uint64
		for bits := range 1 << n {
			for j := range n {
				x = append(x, uint64(bits>>j&1))
			}
		}
		body := "y0 = $0(all(x0)); y1 = $0(any(x0)); y2 = not(x0)"
		call := &snippet{body: body, in: []*scalar{boolType}, out: []*scalar{boolType, boolType, boolType}, n: n}
		results := call.run(t, x)
		for i := range x {
			of := x[i/n*n : i/n*n+n]
			all, any := uint64(1), uint64(0)
			for _, v := range of {
				all &= v
				any |= v
			}
			if results[0][i] != all || results[1][i] != any || results[2][i] != 1-x[i] {
				t.Errorf("all, any, not of %v: %d, %d, %d", of, results[0][i], results[1][i], results[2][i])
			}
		}
	}
}

func TestMatricesAreTransposed(t *testing.T) {
	t.Parallel()
	for _, s := range floatingTypes[:2] {
		for columns := 2; columns <= 4; columns++ {
			for rows := 2; rows <= 4; rows++ {
				var x []uint64
				for i := range columns * rows {
					x = append(x, s.cell(float64(i+1)))
				}
				in, out := s.buffer(x), s.buffer(make([]uint64, len(x)))
				compute(t, fmt.Sprintf(`kernel void test(device const %[1]s* x, device %[1]s* y) {
	%[1]s%[2]dx%[3]d m;
	for (int c = 0; c < %[2]d; c++)
		for (int r = 0; r < %[3]d; r++) m[c][r] = x[c * %[3]d + r];
	%[1]s%[3]dx%[2]d n = transpose(m);
	for (int c = 0; c < %[3]d; c++)
		for (int r = 0; r < %[2]d; r++) y[c * %[2]d + r] = n[c][r];
}`, s.name, columns, rows), threads(1), in, out)
				for i, v := range s.cells(out) {
					if c, r := i/columns, i%columns; v != x[r*rows+c] {
						t.Errorf("%s%dx%d: element %d, %d is %s", s.name, columns, rows, c, r, s.text(v))
					}
				}
			}
		}
	}
}

// TestMatricesAreIndexedTwice is about elements of columns: either may be
// known or vary from thread to thread.
func TestMatricesAreIndexedTwice(t *testing.T) {
	t.Parallel()
	r := make([]float32, 36)
	compute(t, `kernel void test(device float* r, uint i [[thread_position_in_grid]]) {
	if (i >= 12) return;
	uint c = i / 4, e = i % 4;
	float3x4 m(float4(0, 1, 2, 3), float4(4, 5, 6, 7), float4(8, 9, 10, 11));
	r[i] = m[c][e] + m[c].y + m[c][2] + m[2][e] + m[c].zx.y;
	m[c][e] = 20;
	m[c].yx = float2(30, 40);
	m[c][2] += 50;
	r[12 + i] = m[i % 3][0] + m[i % 3][1] + m[i % 3][2];
	r[24 + i] = m[c][e];
}`, threads(32), r)
	for i := range 12 {
		m := [12]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
		c := 4 * (i / 4)
		if want := m[i] + m[c+1] + m[c+2] + m[8+i%4] + m[c]; r[i] != want {
			t.Errorf("read %d: %v, want %v", i, r[i], want)
		}
		m[i] = 20
		m[c+1], m[c] = 30, 40
		m[c+2] += 50
		if want := m[4*(i%3)] + m[4*(i%3)+1] + m[4*(i%3)+2]; r[12+i] != want {
			t.Errorf("written %d: %v, want %v", i, r[12+i], want)
		}
		if r[24+i] != m[i] {
			t.Errorf("read back %d: %v, want %v", i, r[24+i], m[i])
		}
	}
}

// TestDeterminantsAreExactForSmallIntegers compares with sums over permutations.
func TestDeterminantsAreExactForSmallIntegers(t *testing.T) {
	t.Parallel()
	for _, s := range floatingTypes[:2] {
		for n := 2; n <= 4; n++ {
			const matrices = 100
			rng := rand.New(rand.NewPCG(5, uint64(n)))
			m := make([]float64, n*n*matrices)
			for i := range m {
				m[i] = float64(rng.IntN(7) - 3)
			}
			in, out := s.buffer(cellsOf(m)), s.buffer(make([]uint64, matrices))
			compute(t, fmt.Sprintf(`kernel void test(device const %[1]s* x, device %[1]s* y,
				uint i [[thread_position_in_grid]]) {
	if (i >= %[3]d) return;
	%[1]s%[2]dx%[2]d m;
	for (int c = 0; c < %[2]d; c++)
		for (int r = 0; r < %[2]d; r++) m[c][r] = x[i * %[2]d * %[2]d + c * %[2]d + r];
	y[i] = determinant(m);
}`, s.name, n, matrices), threads(matrices), in, out)
			for i, got := range numbersOf(s.cells(out)) {
				if want := leibniz(m[n*n*i:n*n*i+n*n], n, 0, 0); got != want {
					t.Fatalf("determinant of %v = %v, want %v", m[n*n*i:n*n*i+n*n], got, want)
				}
			}
		}
	}
}

// leibniz sums the products of all permutations from a column on; used has the
// rows that are taken.
func leibniz(m []float64, n, column, used int) float64 {
	if column == n {
		return 1
	}
	sum := 0.0
	for r := range n {
		if used>>r&1 == 0 {
			sign := 1.0
			for above := r + 1; above < n; above++ { // inversions with rows taken earlier
				if used>>above&1 != 0 {
					sign = -sign
				}
			}
			sum += sign * m[column*n+r] * leibniz(m, n, column+1, used|1<<r)
		}
	}
	return sum
}

func TestFunctionConstantsTellWhetherTheyAreDefined(t *testing.T) {
	t.Parallel()
	source := `constant int a [[function_constant(0)]];
constant int b [[function_constant(1)]];
kernel void test(device int* r) {
	r[0] = is_function_constant_defined(a);
	r[1] = is_function_constant_defined(b);
	if (is_function_constant_defined(b)) r[2] = b; else r[2] = -1;
}`
	r := make([]int32, 3)
	compute(t, source, threads(1), r, constants{0: int32(7)})
	if want := []int32{1, 0, -1}; !slices.Equal(r, want) {
		t.Errorf("%v, want %v", r, want)
	}
}

// TestOneScalarFillsAVariable is about results that several elements share.
func TestOneScalarFillsAVariable(t *testing.T) {
	t.Parallel()
	x := []float32{2, 3}
	r := make([]float32, 16)
	compute(t, `float4 fill(float x) { return float4(x * x); }
kernel void test(device const float* x, device float4* r, uint i [[thread_position_in_grid]]) {
	float4 v(0), w(0);
	v = float4(x[i] * 2);
	w = i == 1 ? float4(sqrt(x[i] + 1)) : float4(x[i] / 4);
	r[i] = v + w;
	w = fill(x[i]);
	v = fmax(w, 5);
	r[i + 2] = v;
}`, threads(2), x, r)
	want := []float32{4.5, 4.5, 4.5, 4.5, 8, 8, 8, 8, 5, 5, 5, 5, 9, 9, 9, 9}
	if !slices.Equal(r, want) {
		t.Errorf("%v, want %v", r, want)
	}
}
