package suite

import (
	"math"
	"math/cmplx"
)

// References, in float64.

// each returns n numbers.
func each(n int, f func(i int) float64) []float64 {
	s := make([]float64, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

// inside returns a grid that has zeros at its edge.
func inside(width, height int, f func(i int) float64) []float64 {
	return each(width*height, func(i int) float64 {
		if x, y := i%width, i/width; x == 0 || y == 0 || x == width-1 || y == height-1 {
			return 0
		}
		return f(i)
	})
}

// clamped returns a grid of what f makes of each place. At returns the index of a neighbour, in the grid.
func clamped(width, height int, f func(at func(dx, dy int) int) float64) []float64 {
	return each(width*height, func(i int) float64 {
		return f(func(dx, dy int) int {
			return min(max(i/width+dy, 0), height-1)*width + min(max(i%width+dx, 0), width-1)
		})
	})
}

// sums returns what a matrix is times a vector. Its elements are down and right apart.
func sums(rows, columns int, matrix, x []float32, down, right int) []float64 {
	return each(rows, func(row int) float64 {
		sum := 0.0
		for k := range columns {
			sum += float64(matrix[row*down+k*right]) * float64(x[k])
		}
		return sum
	})
}

// product returns that of two matrices of 512 x 512.
func product(a []Arg) []float64 {
	x, y := a[0].data.([]float32), a[1].data.([]float32)
	out := make([]float64, 512*512)
	for row := range 512 {
		for k := range 512 {
			for column := range 512 {
				out[row*512+column] += float64(x[row*512+k]) * float64(y[k*512+column])
			}
		}
	}
	return out
}

// fourier returns the discrete Fourier transform of a power of two points.
func fourier(x []complex128) []complex128 {
	if len(x) == 1 {
		return x
	}
	var halves [2][]complex128
	for i, v := range x {
		halves[i%2] = append(halves[i%2], v)
	}
	even, odd := fourier(halves[0]), fourier(halves[1])
	out := make([]complex128, len(x))
	for k := range even {
		turned := odd[k] * cmplx.Rect(1, -2*math.Pi*float64(k)/float64(len(x)))
		out[k], out[k+len(even)] = even[k]+turned, even[k]-turned
	}
	return out
}

// needleman returns the last rows of the scores of pairs of 64 letters.
func needleman(a []Arg) []float64 {
	x, y := a[0].data.([]uint8), a[1].data.([]uint8)
	var last []float64
	for base := 0; base < len(x); base += 64 {
		var score [65][65]int
		for i := range score {
			score[i][0], score[0][i] = -2*i, -2*i
		}
		for i := range 64 {
			for j := range 64 {
				match := -3
				if x[base+i] == y[base+j] {
					match = 5
				}
				score[i+1][j+1] = max(score[i][j]+match, score[i+1][j]-2, score[i][j+1]-2)
			}
		}
		for _, s := range score[64][1:] {
			last = append(last, float64(s))
		}
	}
	return last
}

// attend returns attention of heads of 64, with 256 queries and keys each.
func attend(a []Arg) []float64 {
	queries, keys, values := a[0].data.([]float32), a[1].data.([]float32), a[2].data.([]float32)
	out := make([]float64, len(queries))
	for q := 0; q < len(queries); q += 64 {
		head, total := q/(256*64)*(256*64), 0.0
		for k := head; k < head+256*64; k += 64 {
			score := 0.0
			for i := range 64 {
				score += 0.125 * float64(queries[q+i]) * float64(keys[k+i])
			}
			weight := math.Exp(score)
			total += weight
			for i := range 64 {
				out[q+i] += weight * float64(values[k+i])
			}
		}
		for i := range 64 {
			out[q+i] /= total
		}
	}
	return out
}
