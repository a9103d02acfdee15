package cpu

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// What all lanes of a simd-group hold alike the device computes once. These tests
// run the functions with each choice of arguments that are alike.

// choices are all the ways to have some of n arguments alike, at least one.
func choices(n int) [][]bool {
	var all [][]bool
	for mask := 1; mask < 1<<n; mask++ {
		choice := make([]bool, n)
		for i := range choice {
			choice[i] = mask>>i&1 != 0
		}
		all = append(all, choice)
	}
	return all
}

// parameters is "x0, x1" and so on.
func parameters(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("x%d", i))
	}
	return strings.Join(list, ", ")
}

type numericFunction struct {
	name string
	ulps float64
	ref  func(s *scalar, x []float64) float64
}

func TestMathOnWhatAllLanesShare(t *testing.T) {
	t.Parallel()
	functions := map[int][]numericFunction{}
	for _, f := range unaryMath {
		functions[1] = append(functions[1],
			numericFunction{f.name, f.ulps, func(_ *scalar, x []float64) float64 { return f.ref(x[0]) }})
	}
	for _, f := range binaryMath {
		functions[2] = append(functions[2],
			numericFunction{f.name, f.ulps, func(_ *scalar, x []float64) float64 { return f.ref(x[0], x[1]) }})
	}
	for _, f := range ternaryMath {
		functions[3] = append(functions[3],
			numericFunction{f.name, f.ulps, func(s *scalar, x []float64) float64 { return f.ref(s, x[0], x[1], x[2]) }})
	}
	for _, s := range floatingTypes {
		for args, fns := range functions {
			t.Run(fmt.Sprintf("%s %d", s.name, args), func(t *testing.T) {
				t.Parallel()
				for some := range slices.Chunk(fns, 16) { // a kernel has few buffers
					testShared(t, s, args, some)
				}
			})
		}
	}
}

func testShared(t *testing.T, s *scalar, args int, fns []numericFunction) {
	v := cellsOf(s.grid(8))
	for at, choice := range choices(args) {
		n := 1 + at%2
		call := &snippet{n: n, uniform: choice}
		var columns [][]uint64
		for i := range args {
			call.in = append(call.in, s)
			columns = append(columns, blocks(v, n, choice[i], i))
		}
		for i, f := range fns {
			call.out = append(call.out, s)
			call.body += fmt.Sprintf("y%d = %s(%s); ", i, f.name, parameters(args))
		}
		results := call.run(t, columns...)
		for i, f := range fns {
			bound := f.ulps
			if args < 3 {
				bound = s.allowed(bound)
			}
			step := 1
			if !slices.Contains(choice, false) {
				step = 31 * n // the others are the same
			}
			for j := 0; j < len(columns[0]); j += step {
				x := make([]float64, args)
				for k := range x {
					x[k] = math.Float64frombits(columns[k][j])
				}
				got, want := math.Float64frombits(results[i][j]), f.ref(s, x)
				if strings.HasSuffix(f.name, "median3") && want != want {
					continue
				}
				if s.off(got, want, bound) {
					t.Errorf("%s%x of %s, alike %v = %x, want %x", f.name, x, s.vectorName(n), choice, got, want)
					break
				}
			}
		}
	}
}

func TestIntegerFunctionsOnWhatAllLanesShare(t *testing.T) {
	t.Parallel()
	for _, s := range integerTypes {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			v := s.integers(25)
			for args := 1; args <= 3; args++ {
				for at, choice := range choices(args) {
					n := 1 + at%2
					call := &snippet{n: n, uniform: choice}
					var columns [][]uint64
					for i := range args {
						call.in = append(call.in, s)
						columns = append(columns, blocks(v, n, choice[i], i))
					}
					var refs []func(s *scalar, x []*big.Int) *big.Int
					var names []string
					for _, f := range integerMath {
						if f.args != args {
							continue
						}
						call.body += fmt.Sprintf("y%d = %s(%s); ", len(refs), f.name, parameters(args))
						out := s
						if f.name == "absdiff" {
							out = s.unsigned()
						}
						call.out = append(call.out, out)
						refs, names = append(refs, f.ref), append(names, f.name)
					}
					results := call.run(t, columns...)
					for i, ref := range refs {
						for j := range columns[0] {
							if w := ref(s, s.row(columns, j)); w != nil && results[i][j] != call.out[i].wrapped(w) {
								t.Errorf("%s%v of %s, alike %v = %s, want %v", names[i], s.row(columns, j), s.vectorName(n), choice,
									s.text(results[i][j]), w)
								break
							}
						}
					}
				}
			}
		})
	}
}
