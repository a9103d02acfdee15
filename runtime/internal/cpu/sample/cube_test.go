package sample

import (
	"math"
	"testing"
)

// The table of the OpenGL specification: for each face the major axis, and which coordinates of the direction are sc
// and tc.
func glFace(x, y, z float64) (face int, sc, tc, ma float64) {
	ax, ay, az := math.Abs(x), math.Abs(y), math.Abs(z)
	switch {
	case az >= ax && az >= ay && z > 0:
		return 4, x, -y, az
	case az >= ax && az >= ay:
		return 5, -x, -y, az
	case ay >= ax && y > 0:
		return 2, x, z, ay
	case ay >= ax:
		return 3, x, -z, ay
	case x > 0:
		return 0, -z, -y, ax
	}
	return 1, z, -y, ax
}

// middle returns where the middle of a texel is on a cube from -1 to 1, by the inverse of the table.
func middle(face, i, j, n int) [3]float64 {
	s := 2*(float64(i)+0.5)/float64(n) - 1
	t := 2*(float64(j)+0.5)/float64(n) - 1
	return [6][3]float64{{1, -t, -s}, {-1, -t, s}, {s, 1, t}, {s, -1, -t}, {s, -t, 1}, {-s, -t, -1}}[face]
}

// beside returns the texel of another face whose middle is nearest to that of a texel beyond an edge.
func beside(face, i, j, n int) (f, x, y int) {
	at := middle(face, i, j, n)
	best := math.Inf(1)
	for g := range 6 {
		for y1 := range n {
			for x1 := range n {
				if g == face {
					continue
				}
				m := middle(g, x1, y1, n)
				distance := 0.0
				for k := range m {
					distance += (m[k] - at[k]) * (m[k] - at[k])
				}
				if distance < best {
					best, f, x, y = distance, g, x1, y1
				}
			}
		}
	}
	return f, x, y
}

func (c *sampling) cubeAnswer(r *reference, p *points, l int) (want [4]float64) {
	value := float64(p.value[l])
	face, sc, tc, ma := glFace(
		float64(p.coordinates[0][l]), float64(p.coordinates[1][l]), float64(p.coordinates[2][l]))
	onFace := func() (n int, x, y float64) {
		n, _, _ = c.shape.Extent(r.level)
		return n, (sc/ma + 1) / 2 * float64(n), (tc/ma + 1) / 2 * float64(n)
	}
	// corner returns a texel at the place, which may be beyond an edge, and whether there is one.
	corner := func(n, i, j int) ([4]float64, bool) {
		outI, outJ := i < 0 || i >= n, j < 0 || j >= n
		if outI && outJ {
			return [4]float64{}, false
		}
		f := face
		if outI || outJ {
			f, i, j = beside(face, i, j, n)
		}
		return r.tested(r.stored(r.slice+f, i, j, 0), value), true
	}
	// four returns the texels of a linear filter. One that is missing is the mean of the others.
	four := func(n int, x, y float64) (t [2][2][4]float64, fx, fy float64) {
		i, j := int(math.Floor(x-0.5)), int(math.Floor(y-0.5))
		var mean [4]float64
		missing := [2]int{-1, -1}
		for b := range 2 {
			for a := range 2 {
				v, ok := corner(n, i+a, j+b)
				t[b][a] = v
				if !ok {
					missing = [2]int{b, a}
				}
				for k := range mean {
					mean[k] += v[k] / 3
				}
			}
		}
		if missing[0] >= 0 {
			t[missing[0]][missing[1]] = mean
		}
		return t, x - 0.5 - float64(i), y - 0.5 - float64(j)
	}
	if c.op == gathered || c.op == gatherCompared {
		t, _, _ := four(onFace())
		for k, at := range [4][2]int{{1, 0}, {1, 1}, {0, 1}, {0, 0}} {
			want[k] = t[at[0]][at[1]][c.component]
		}
		return want
	}
	return c.overLevels(r, p, l, func(linear bool) (sum [4]float64) {
		n, x, y := onFace()
		if !linear {
			v, _ := corner(n, min(int(x), n-1), min(int(y), n-1))
			return v
		}
		t, fx, fy := four(n, x, y)
		for k := range sum {
			top := t[0][0][k] + fx*(t[0][1][k]-t[0][0][k])
			bottom := t[1][0][k] + fx*(t[1][1][k]-t[1][0][k])
			sum[k] = top + fy*(bottom-top)
		}
		return sum
	})
}

func TestTheTexelBesideLeadsBack(t *testing.T) {
	for _, n := range []int32{1, 2, 3, 8, 16384, 32768, largest} {
		for face := range int32(6) {
			for _, j := range []int32{0, n / 3, n / 2, n - 1} {
				for _, out := range [][2]int32{{-1, j}, {n, j}, {j, -1}, {j, n}} {
					f, x, y := overEdge(face, out[0], out[1], n)
					if f == face || x < 0 || x >= n || y < 0 || y >= n {
						t.Fatalf("size %d, face %d, %v is beside face %d, %d, %d", n, face, out, f, x, y)
					}
					// The texel on this face that the one outside touches.
					i, j := min(max(out[0], 0), n-1), min(max(out[1], 0), n-1)
					back := false
					for _, step := range [][2]int32{{x - 1, y}, {x + 1, y}, {x, y - 1}, {x, y + 1}} {
						if a, b := step[0], step[1]; a < 0 || a >= n || b < 0 || b >= n {
							g, u, v := overEdge(f, a, b, n)
							back = back || g == face && u == i && v == j
						}
					}
					if !back {
						t.Fatalf("size %d: from face %d, %v to face %d, %d, %d and not back", n, face, out, f, x, y)
					}
				}
			}
		}
	}
}
