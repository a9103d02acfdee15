package cpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/x448/float16"
)

// TestConversionsRoundTruncateAndSaturate converts every type to every other one:
// varying values, uniform ones, vectors and by assignment.
func TestConversionsRoundTruncateAndSaturate(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(2, 3))
	for _, from := range allKinds {
		values := interesting(from)
		for len(values) < 128 {
			n := integerOf("ulong", random.Uint64()>>random.IntN(64)).to(from)
			if m := scalarModels[from]; m.floating {
				n = floatOf(from, math.Ldexp(random.Float64()-0.5, random.IntN(80)-10))
				if len(values)%4 == 0 { // around the ties of half and of integers
					n = floatOf(from, math.Ldexp(float64(random.IntN(1<<13)-1<<12), random.IntN(30)-24))
				}
			}
			values = append(values, n)
		}
		for _, to := range allKinds {
			assigned := "x"
			if needsCast(from, to) {
				assigned = to + "(x)"
			}
			vector := "r[3] = x.x;"
			if from != to {
				vector = fmt.Sprintf("%[2]s2 v = %[2]s2(%[1]s2(x, a[0])); r[3] = v.x;", from, to)
			} else {
				vector = "r[3] = x;"
			}
			source := fmt.Sprintf(`kernel void test(device const %[1]s* a, device %[2]s* r, device %[2]s* u,
				uint i [[thread_position_in_grid]]) {
	%[1]s x = a[i];
	r += 4 * i;
	r[0] = %[2]s(x);
	r[1] = %[4]s;
	r[2] = static_cast<%[2]s>(a[i]);
	%[3]s
	if (i < 32)
		for (uint k = 0; k < 128; k++) { %[1]s x = a[k]; u[k] = (%[2]s)x; }
}`, from, to, vector, assigned)
			varying, uniform := empty(to, 4*len(values)), empty(to, len(values))
			compute(t, source, threads(len(values)), buffer(from, values), varying, uniform)
			var want, once []number
			for _, v := range values {
				w := v.to(to)
				want, once = append(want, w, w, w, w), append(once, w)
			}
			check(t, to, varying, want, func(i int) string { return fmt.Sprintf("%v to %s, form %d", values[i/4], to, i%4) })
			check(t, to, uniform, once, func(i int) string { return fmt.Sprintf("uniform %v to %s", values[i], to) })
		}
	}
}

// literal is the text of a constant expression of a value.
func literal(n number) (string, bool) {
	if m := scalarModels[n.kind]; m.floating {
		if n.f != n.f || math.IsInf(n.f, 0) {
			return "", false
		}
		return fmt.Sprintf("%s(%.9ef)", n.kind, n.f), true
	}
	return fmt.Sprintf("%s(%dul)", n.kind, n.i), true
}

// TestConstantsAreFoldedToWhatTheDeviceComputes: what is known when compiling
// must be what it would be at run time.
func TestConstantsAreFoldedToWhatTheDeviceComputes(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(4, 5))
	for _, to := range allKinds {
		var steps []string
		var want []number
		for len(want) < 400 {
			a, b := allKinds[random.IntN(len(allKinds))], allKinds[random.IntN(len(allKinds))]
			x, y := interesting(a), interesting(b)
			v, w := x[random.IntN(len(x))], y[random.IntN(len(y))]
			first, ok := literal(v)
			second, ok2 := literal(w)
			if !ok || !ok2 {
				continue
			}
			signs, _ := signsFor(a, b)
			op := slices.Concat(signs, compareSigns)[random.IntN(len(signs)+len(compareSigns))]
			z, defined := operate(op, v, w)
			if !defined {
				continue
			}
			steps = append(steps, fmt.Sprintf("r[%d] = %s(%s %s %s);", len(want), to, first, op, second))
			want = append(want, z.to(to))
		}
		memory := empty(to, len(want))
		compute(t, "kernel void test(device "+to+"* r) {\n"+strings.Join(steps, "\n")+"\n}", threads(1), memory)
		check(t, to, memory, want, func(i int) string { return steps[i] })
	}
}

// TestBitcastsKeepAllBits covers as_type between types of the same size.
func TestBitcastsKeepAllBits(t *testing.T) {
	t.Parallel()
	groups := [][]string{
		{"char", "uchar"},
		{"short", "ushort", "half", "bfloat", "char2", "uchar2"},
		{"int", "uint", "float", "short2", "ushort2", "half2", "bfloat2", "char4", "uchar4"},
		{"long", "ulong", "int2", "uint2", "float2", "short4", "ushort4", "half4", "bfloat4"},
		{"long2", "ulong2", "int4", "uint4", "float4"},
		{"int3", "uint3", "float3"},
		{"short3", "half3", "ushort3"},
	}
	sizes := []int{1, 2, 4, 8, 16, 16, 8}
	random := rand.New(rand.NewPCG(6, 7))
	for g, group := range groups {
		size := sizes[g]
		in := make([]byte, 64*size)
		for i := range in {
			in[i] = byte(random.Uint32())
			if size > 1 && i%2 == 1 && in[i]&0x7c == 0x7c {
				in[i] ^= 0x40 // not a number: whose payload may change
			}
		}
		// what is after three elements is not written
		if size == 16 && group[0] == "int3" || size == 8 && group[0] == "short3" {
			for i := range in {
				if i%size >= size/4*3 {
					in[i] = 0
				}
			}
		}
		for _, from := range group {
			for _, to := range group {
				out, uniform := make([]byte, len(in)), make([]byte, len(in))
				if strings.HasPrefix(from, "bfloat") || strings.HasPrefix(to, "bfloat") || strings.HasPrefix(from, "float") ||
					strings.HasPrefix(to, "float") {
					for i := 1; i < len(in); i += 2 {
						if in[i]&0x7f == 0x7f {
							in[i] ^= 0x40
						}
					}
				}
				compute(t, fmt.Sprintf(`kernel void test(device const %s* a, device %s* r, device %s* u,
					uint i [[thread_position_in_grid]]) {
	r[i] = as_type<%s>(a[i]);
	if (i < 32) for (uint k = 0; k < 64; k++) u[k] = as_type<%s>(a[k]);
}`, from, to, to, to, to), threads(64), in, out, uniform)
				if string(out) != string(in) {
					t.Errorf("%s to %s: %x\nwant %x", from, to, out[:32], in[:32])
				}
				if string(uniform) != string(in) {
					t.Errorf("uniform %s to %s: %x\nwant %x", from, to, uniform[:32], in[:32])
				}
			}
		}
	}
	// linear values as floats
	r := make([]uint32, 64)
	compute(t, `kernel void test(device uint* r, uint i [[thread_position_in_grid]]) {
	float f = as_type<float>(0x3f800000 + 3 * i);
	ushort4 v = as_type<ushort4>(ulong(i) * 0x100000001ul);
	r[i] = as_type<uint>(f * 1.0f) + v.z;
}`, threads(64), r)
	for i, got := range r {
		if want := uint32(0x3f800000 + 4*i); got != want {
			t.Errorf("thread %d: %#x, want %#x", i, got, want)
		}
	}
}

// TestHalvesAreReadAndRounded compares all halves and the rounding to them with
// another implementation.
func TestHalvesAreReadAndRounded(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(8, 9))
	halves := make([]uint16, 1<<16)
	floats := make([]float32, 1<<16)
	for i := range halves {
		halves[i] = uint16(i)
		floats[i] = math.Float32frombits(random.Uint32())
		if i%2 == 0 { // in the range of halves
			floats[i] = math.Float32frombits(random.Uint32()&0x8fffffff + 0x38000000 - 0x8000000*(random.Uint32()&1))
		}
	}
	read, rounded := make([]float32, 1<<16), make([]uint16, 1<<16)
	grid := threads(256)
	grid.Threadgroups[0] = 256
	compute(t, `kernel void test(device const half* h, device const float* f, device float* read, device half* rounded,
		uint i [[thread_position_in_grid]]) {
	read[i] = h[i];
	rounded[i] = half(f[i]);
}`, grid, halves, floats, read, rounded)
	for i := range halves {
		if want := float16.Frombits(halves[i]).Float32(); read[i] != want && want == want {
			t.Errorf("half %#x is read as %v, want %v", halves[i], read[i], want)
		}
		if want := float16.Fromfloat32(floats[i]); rounded[i] != want.Bits() && !want.IsNaN() {
			t.Errorf("%v is rounded to half %#x, want %#x", floats[i], rounded[i], want.Bits())
		}
	}
}

// TestEnumsAreTheirIntegers covers the conversions of enums.
func TestEnumsAreTheirIntegers(t *testing.T) {
	t.Parallel()
	r := make([]int32, 8*40)
	compute(t, `enum Color { red, green = 5, blue };
enum class Level : uchar { low = 1, high = 255 };
kernel void test(device int* r, uint i [[thread_position_in_grid]]) {
	Color c = Color(i % 7);
	Level l = static_cast<Level>(i + 250);
	r += 8 * i;
	r[0] = c; r[1] = c + 1; r[2] = c == blue; r[3] = int(l); r[4] = l == Level::high; r[5] = green | 8;
	switch (c) { case red: r[6] = 10; break; case green: case blue: r[6] = 20; break; default: r[6] = 30; }
	r[7] = c < green ? int(Level::low) : blue;
}`, threads(40), r)
	for i := range int32(40) {
		c, l := i%7, int32(uint8(i+250))
		want := []int32{c, c + 1, truth(c == 6), l, truth(l == 255), 13, 30, 6}
		switch c {
		case 0:
			want[6] = 10
		case 5, 6:
			want[6] = 20
		}
		if c < 5 {
			want[7] = 1
		}
		if got := r[8*i : 8*i+8]; !slices.Equal(got, want) {
			t.Errorf("thread %d: %v, want %v", i, got, want)
		}
	}
}

func truth(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

// TestVectorsArePutTogetherAndTakenApart covers constructors and swizzles.
func TestVectorsArePutTogetherAndTakenApart(t *testing.T) {
	t.Parallel()
	cases := []struct {
		body string
		want func(i float32) []float32
	}{
		{"float4 v = float4(x);", func(i float32) []float32 { return []float32{i, i, i, i} }},
		{"float4 v = float4(x, float2(1, 2), 3);", func(i float32) []float32 { return []float32{i, 1, 2, 3} }},
		{"float4 v = float4(float3(x, x + 1, 2), 9);", func(i float32) []float32 { return []float32{i, i + 1, 2, 9} }},
		{"float4 v = float4(half2(x, 2), float2(uchar2(300, 4)));",
			func(i float32) []float32 { return []float32{i, 2, 44, 4} }},
		{"float4 v = {x, 1, 2}; ", func(i float32) []float32 { return []float32{i, 1, 2, 0} }},
		{"float4 v = float4(x, 1, 2, 3).wzyx;", func(i float32) []float32 { return []float32{3, 2, 1, i} }},
		{"float4 v = float4(x, 1, 2, 3); v.xy = v.yx;", func(i float32) []float32 { return []float32{1, i, 2, 3} }},
		{"float4 v = float4(x, 1, 2, 3); v.zyx = v.xzy;", func(i float32) []float32 { return []float32{1, 2, i, 3} }},
		{"float4 v = float4(x, 1, 2, 3); v.xw += v.yz;", func(i float32) []float32 { return []float32{i + 1, 1, 2, 5} }},
		{"float4 v = float4(x, 1, 2, 3); v[int(x) & 3] = -1;", func(i float32) []float32 {
			v := []float32{i, 1, 2, 3}
			v[int(i)&3] = -1
			return v
		}},
		{"float4 v = float4(0, 1, 2, 3); v[int(x) & 3] += v[(int(x) + 1) & 3];", func(i float32) []float32 {
			v := []float32{0, 1, 2, 3}
			v[int(i)&3] += v[(int(i)+1)&3]
			return v
		}},
		{"float4 v = float4(0, 1, 2, 3); if (int(x) & 4) v.y = v[int(x) & 3]; else v.zw = v.xy;", func(i float32) []float32 {
			v := []float32{0, 1, 2, 3}
			if int(i)&4 != 0 {
				v[1] = v[int(i)&3]
			} else {
				v[2], v[3] = v[0], v[1]
			}
			return v
		}},
		{"float4 v = float4(int4(x, 2, 3, 4) << int4(1, 2, 3, 4));",
			func(i float32) []float32 { return []float32{2 * i, 8, 24, 64} }},
		{"float2 w = float2(x, 1); float4 v = w.xxyy * 2;",
			func(i float32) []float32 { return []float32{2 * i, 2 * i, 2, 2} }},
		{"float4 v = float4(bool4(x, 0, 1, 2));",
			func(i float32) []float32 { return []float32{float32(truth(i != 0)), 0, 1, 1} }},
		{"float4 v = select(float4(x), float4(5), int(x) % 2 == 0);", func(i float32) []float32 {
			if int(i)%2 == 0 {
				return []float32{5, 5, 5, 5}
			}
			return []float32{i, i, i, i}
		}},
		{"float4 v = float4(1); v.a = x; v.r = v.a + 1;", func(i float32) []float32 { return []float32{i + 1, 1, 1, i} }},
		{"float4 v = 0; for (int e = 0; e < 4; e++) v[e] = x * e;",
			func(i float32) []float32 { return []float32{0, i, 2 * i, 3 * i} }},
	}
	for _, c := range cases {
		r := make([]float32, 4*40)
		err := execute(t, `kernel void test(device float4* r, uint i [[thread_position_in_grid]]) { float x = i;
`+c.body+"\nr[i] = v; }", threads(40), r)
		if err != nil {
			t.Errorf("%s: %v", c.body, err)
			continue
		}
		for i := range 40 {
			if got, want := r[4*i:4*i+4], c.want(float32(i)); !slices.Equal(got, want) {
				t.Errorf("%s thread %d: %v, want %v", c.body, i, got, want)
				break
			}
		}
	}
}

// TestMatricesMultiplyColumnByColumn covers all shapes.
func TestMatricesMultiplyColumnByColumn(t *testing.T) {
	t.Parallel()
	for columns := 2; columns <= 4; columns++ {
		for rows := 2; rows <= 4; rows++ {
			for _, kind := range []string{"float", "half"} {
				m := fmt.Sprintf("%s%dx%d", kind, columns, rows)
				transposed := fmt.Sprintf("%s%dx%d", kind, rows, columns)
				column, row := fmt.Sprintf("%s%d", kind, rows), fmt.Sprintf("%s%d", kind, columns)
				source := fmt.Sprintf(`kernel void test(device const float* a, device float* r,
					uint i [[thread_position_in_grid]]) {
	constexpr int C = %[1]d, R = %[2]d;
	%[3]s m, n; %[4]s t; %[5]s v; %[6]s w;
	for (int c = 0; c < C; c++) for (int k = 0; k < R; k++) { m[c][k] = a[i + c * R + k]; n[c][k] = a[2 * i + c + k];
	t[k][c] = a[i + 3 * c + k]; }
	for (int k = 0; k < R; k++) v[k] = a[i + 2 * k];
	for (int c = 0; c < C; c++) w[c] = a[i + 3 * c];
	r += 64 * i;
	%[5]s mw = m * w;
	%[6]s vm = v * m;
	%[3]s sum = m + n, difference = m - n, scaled = m * %[7]s(2), other = %[7]s(3) * m;
	auto product = m * t;
	int at = 0;
	for (int k = 0; k < R; k++) r[at++] = mw[k];
	for (int c = 0; c < C; c++) r[at++] = vm[c];
	for (int k = 0; k < R; k++) for (int l = 0; l < R; l++) r[at++] = product[k][l];
	%[5]s sums = 0;
	for (int c = 0; c < C; c++) sums += sum[c] + 2 * difference[c] + scaled[c] - other[c];
	for (int k = 0; k < R; k++) r[at++] = sums[k];
	%[5]s chosen = m[i %% C];
	for (int k = 0; k < R; k++) r[at++] = chosen[k];
	r[at++] = m[1][i %% R] + m[i %% C][0];
	m[i %% C] = v; m[0][1] += 1; n = m; n *= %[7]s(2);
	for (int k = 0; k < R; k++) r[at++] = n[i %% C][k];
	%[3]s diagonal = %[3]s(%[7]s(4));
	r[at++] = diagonal[0][0] + diagonal[1][1] + diagonal[0][1] + diagonal[1][0];
}`, columns, rows, m, transposed, column, row, kind)
				a, r := make([]float32, 160), make([]float32, 64*40)
				for i := range a {
					a[i] = float32(i%7) - 2
				}
				compute(t, source, threads(40), a, r)
				for i := range 40 {
					M := func(c, k int) float32 { return a[i+c*rows+k] }
					N := func(c, k int) float32 { return a[2*i+c+k] }
					T := func(k, c int) float32 { return a[i+3*c+k] }
					v := func(k int) float32 { return a[i+2*k] }
					w := func(c int) float32 { return a[i+3*c] }
					var want []float32
					for k := range rows {
						var s float32
						for c := range columns {
							s += M(c, k) * w(c)
						}
						want = append(want, s)
					}
					for c := range columns {
						var s float32
						for k := range rows {
							s += M(c, k) * v(k)
						}
						want = append(want, s)
					}
					for k := range rows {
						for l := range rows {
							var s float32
							for c := range columns {
								s += M(c, l) * T(k, c)
							}
							want = append(want, s)
						}
					}
					for k := range rows {
						var s float32
						for c := range columns {
							s += M(c, k) + N(c, k) + 2*(M(c, k)-N(c, k)) + 2*M(c, k) - 3*M(c, k)
						}
						want = append(want, s)
					}
					for k := range rows {
						want = append(want, M(i%columns, k))
					}
					want = append(want, M(1, i%rows)+M(i%columns, 0))
					for k := range rows {
						s := v(k)
						if i%columns == 0 && k == 1 {
							s++
						}
						want = append(want, 2*s)
					}
					want = append(want, 8)
					if got := r[64*i : 64*i+len(want)]; !slices.Equal(got, want) {
						t.Fatalf("%s, thread %d:\n%v, want\n%v", m, i, got, want)
					}
				}
			}
		}
	}
}

// needsCast reports whether a value of one kind becomes one of another with a cast only (MSL specification, 2.23).
func needsCast(from, to string) bool {
	return from != to && scalarModels[from].floating && (to == "bfloat" || from == "bfloat" && to == "half")
}
