package build

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/ir/irtest"
)

// TestWhatIsBuiltComputes holds what kernels compute, thread by thread, by the meaning that package ir gives to each
// operation.
// The body of a kernel has r, 0 at first, and the number i of its thread.
func TestWhatIsBuiltComputes(t *testing.T) {
	for _, tt := range []struct {
		name, head, body string
		want             func(i int32) int32
	}{
		{"operands from left to right", "", "int k = i; r = k + k++ * 10 + k * 100;",
			func(i int32) int32 { return i + i*10 + (i+1)*100 }},
		{"the right side before the current value", `
				int f(thread int& v) { v += 5; return 2; }`, "int k = i; k += f(k); r = k;",
			func(i int32) int32 { return i + 5 + 2 }},
		{"an assignment as a place", "", "int k = i; (k = 3) += i; r = (k += 1)++; r += 100 * k;",
			func(i int32) int32 { return 4 + i + 100*(5+i) }},
		{"arguments are values", `
				int f(int a, int b) { a += b; return a; }`, "int k = i; r = f(k, f(k, 1)) + k;",
			func(i int32) int32 { return i + i + 1 + i }},
		{"references are other names", `
				void swap(thread int& a, thread int& b) { int c = a; a = b; b = c; }`, `
				int a[3] = {1, i, 7}; int k = 1; thread int& e = a[k]; k = 2; swap(e, a[k]);
				r = a[1] * 100 + a[2];`,
			func(i int32) int32 { return 700 + i }},
		{"elements of vectors by index", "", `
				int4 v = int4(1, 2, 3, 4); v[i & 3] = 10; v.zw[1] += v[(i + 1) & 3]; r = v.x + v.w * 100;`,
			func(i int32) int32 {
				v := []int32{1, 2, 3, 4}
				v[i&3] = 10
				v[3] += v[(i+1)&3]
				return v[0] + v[3]*100
			}},
		{"columns of matrices by index", "", `
				float3x2 m = float3x2(1, 2, 3, 4, 5, 6); m[i % 3][i & 1] = 9; m[1].yx = m[i % 3];
				r = int(m[1].x + m[1].y * 10 + m[2][1] * 100);`,
			func(i int32) int32 {
				m := [3][2]int32{{1, 2}, {3, 4}, {5, 6}}
				m[i%3][i&1] = 9
				m[1][1], m[1][0] = m[i%3][0], m[i%3][1]
				return m[1][0] + m[1][1]*10 + m[2][1]*100
			}},
		{"swizzles overlap", "", `
				int4 v = int4(i, 1, 2, 3); v.xy = v.yx; v.yzw = v.xyz;
				r = v.x + v.y * 10 + v.z * 100 + v.w * 1000;`,
			func(i int32) int32 { return 1 + 1*10 + i*100 + 2*1000 }},
		{"narrow integers wrap", "", `
				char c = i * 50; c++; uchar u = c; short s = u * 300; r = c + u * 1000 + s;`,
			func(i int32) int32 {
				c := int8(i*50) + 1
				u := uint8(c)
				return int32(c) + int32(u)*1000 + int32(int16(int32(u)*300))
			}},
		{"longs", "", `
				long l = -long(i) << 33; ulong u = ulong(l) >> 30; r = int(u) ^ int(l / 1000003) + (l < 0);`,
			func(i int32) int32 {
				l := -int64(i) << 33
				less := int32(0)
				if l < 0 {
					less = 1
				}
				return int32(uint64(l)>>30) ^ (int32(l/1000003) + less)
			}},
		{"floats as integers", "", `
				half h = half(i) / 3;
				r = int(h * 1000) + as_type<ushort>(h) + int(float(i) * -1.5f) + uchar(300.0f);`,
			func(i int32) int32 {
				h := half(float32(i) / 3)
				return int32(half(h*1000)) + int32(halfBits(h)) + int32(float32(i)*-1.5) + 255
			}},
		{"bit-fields and unions", `
				struct B { int a : 5; uint b : 9; bool c : 1; }; union U { B b; uint n; };`, `
				U u; u.n = 0; u.b.a = i - 20; u.b.b = i * 3; u.b.c = i & 1; u.b.a -= 1;
				r = u.b.a + u.b.b * 100 + u.b.c * 100000 + (u.n >> 5);`,
			func(i int32) int32 {
				a := (i - 20) << 27 >> 27
				a = (a - 1) << 27 >> 27
				b := uint32(i*3) & 511
				return a + int32(b)*100 + (i&1)*100000 + int32(b|uint32(i&1)<<9)
			}},
		{"short circuits", `
				bool bump(thread int& v) { v += 10; return v > 15; }`, `
				int k = i; bool a = k > 3 && bump(k); bool b = k > 3 || bump(k); r = k * 4 + a * 2 + b;`,
			func(i int32) int32 {
				k := i
				a := k > 3
				if a {
					k += 10
					a = k > 15
				}
				b := k > 3
				if !b {
					k += 10
					b = k > 15
				}
				return k*4 + number(a)*2 + number(b)
			}},
		{"one side of a choice", "int f(thread int& v) { return v++; }", `
				int k = i; r = i & 1 ? f(k) * 10 : -f(k) - f(k); r += k * 100;`,
			func(i int32) int32 {
				if i&1 == 1 {
					return i*10 + (i+1)*100
				}
				return -i - (i + 1) + (i+2)*100
			}},
		{"loops with continue and break", "", `
				for (int k = 0; k < i; k++) { if (k == 2) continue; if (k == 6) break; r += k; } int n = 0;
				do { n++; if (n & 1) continue; r += 100; } while (n < i); while (true) {
				if (r++ > 1000) break; r += 200; }`,
			func(i int32) (r int32) {
				for k := range i {
					if k == 2 {
						continue
					}
					if k == 6 {
						break
					}
					r += k
				}
				n := int32(0)
				for {
					if n++; n&1 == 0 {
						r += 100
					}
					if n >= i {
						break
					}
				}
				for {
					if r++; r-1 > 1000 {
						return r
					}
					r += 200
				}
			}},
		{"switch with fall-through, default in the middle and continue", "", `
				for (int k = 0; k < i; k++) switch (k % 5) { case 0: continue; case 1: r += 1;
				default: r += 10; case 3: r += 100; break; case 4: if (k > 6) r -= 1000; }`,
			func(i int32) (r int32) {
				for k := range i {
					switch k % 5 {
					case 1:
						r += 111
					case 2:
						r += 110
					case 3:
						r += 100
					case 4:
						if k > 6 {
							r -= 1000
						}
					}
				}
				return r
			}},
		{"returns from loops", `
				int find(int n) { for (int a = 1; a < 9; a++) for (int b = a; b < 9; b++) {
				if (a * b == n) return a * 10 + b; if (a * b > n) break; }
				return -n; }`, "r = find(i) + 1000 * find(2 * i);",
			func(i int32) int32 {
				find := func(n int32) int32 {
					for a := int32(1); a < 9; a++ {
						for b := a; b < 9 && a*b <= n; b++ {
							if a*b == n {
								return a*10 + b
							}
						}
					}
					return -n
				}
				return find(i) + 1000*find(2*i)
			}},
		{"structs with arrays", `
				struct S { int a[3]; float f; }; S make(S s, int n) { s.a[n % 3] = 5; s.f += n; return s; }`, `
				S s = {{1, 2, i}, 0.5f}; S t = make(s, i); s.a[0] = make(t, 1).a[2];
				r = s.a[0] + t.a[0] * 10 + t.a[1] * 100 + int(t.f * 1000);`,
			func(i int32) int32 {
				a := [3]int32{1, 2, i}
				a[i%3] = 5
				return a[2] + a[0]*10 + a[1]*100 + int32((0.5+float32(i))*1000)
			}},
		{"pointers", "", `
				int a[4] = {1, 2, 3, 4}; thread int* p = a + (i & 1); *p++ += 10; p += 2; p -= 1;
				r = a[0] + a[1] * 10 + *p * 100 + int(p - a) * 10000 + (p > a) * 100000;`,
			func(i int32) int32 {
				a := [4]int32{1, 2, 3, 4}
				p := i & 1
				a[p] += 10
				p += 2
				return a[0] + a[1]*10 + a[p]*100 + p*10000 + 100000
			}},
		{"lambdas change what is around them", "", `
				int k = i; auto add = [&](int n) { k += n; return k; }; r = add(1) + 100 * add(k);`,
			func(i int32) int32 { return i + 1 + 100*(2*i+2) }},
		{"constants of the source", `
				constant int table[2][3] = {{1, 2, 3}, {4, 5}}; constant float3 v = float3(2); struct P {
				uchar c; int n; }; constant P p = {7, -1};`, `
				r = table[i & 1][i % 3] + int(v[i % 3]) * 10 + p.c * 100 + p.n;`,
			func(i int32) int32 { return [2][3]int32{{1, 2, 3}, {4, 5}}[i&1][i%3] + 20 + 699 }},
		{"functions of the library", "", `
				float whole, c; int n; float f = modf(i + 0.25f, whole) + frexp(float(i + 1), n);
				r = int(f * 100) + int(whole) * 1000 + n;
				r += clamp(i, 2, 5) + max3(i, 3, 4) * 10 + popcount(uint(i)) +
				int(extract_bits(0xabcdu, uint(i), 4u)) + mad24(i, 3, 1) + any(bool2(i == 2, i == 3));
				r += select(i, -i, i > 4) + int(dot(float3(i, 1, 2), float3(1, 2, 3))) + abs(3 - i);
				sincos(0.0f, c); r += int(c);`,
			func(i int32) int32 {
				fraction, exponent := math.Frexp(float64(i + 1))
				r := int32((0.25+fraction)*100) + i*1000 + int32(exponent)
				r += min(max(i, 2), 5) + max(i, 4)*10 + ones(i) + 0xabcd>>i&15 + i*3 + 1 + number(i == 2 || i == 3)
				chosen := i
				if i > 4 {
					chosen = -i
				}
				return r + chosen + i + 2 + 6 + max(3-i, i-3) + 1
			}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := "using namespace metal;\n" + tt.head +
				"\nkernel void test(device int* x, uint index [[thread_position_in_grid]]) {\n" +
				"int i = index, r = 0;\n" + tt.body + "\nx[index] = r;\n}"
			for _, k := range builtAll(t, "test.metal", source) {
				for i := range int32(12) {
					if got, want := executed(t, k, i), tt.want(i); got != want {
						t.Errorf("thread %d computes %d, want %d\n%s", i, got, want, k)
						return
					}
				}
			}
		})
	}
}

// executed returns what a thread stores to the element of its first argument that has its number.
func executed(t *testing.T, k *ir.Kernel, i int32) int32 {
	t.Helper()
	memory := make([][]byte, len(k.Objects))
	for n, o := range k.Objects {
		if o != nil {
			memory[n] = append(make([]byte, 0, 64), o.Bytes...)
			memory[n] = append(memory[n], make([]byte, max(o.Size, 64)-len(o.Bytes))...)
		}
	}
	thread := &irtest.Thread{Inputs: []uint32{uint32(i)}, Memory: memory, Steps: 1 << 16}
	if err := irtest.Execute(k, thread); err != nil {
		t.Fatal(err)
	}
	return int32(binary.LittleEndian.Uint32(memory[1][4*i:]))
}

func number(b bool) int32 {
	if b {
		return 1
	}
	return 0
}

func ones(v int32) (n int32) {
	for ; v != 0; v &= v - 1 {
		n++
	}
	return n
}

// half returns the nearest half of a positive number of its normal range, ties to even; halfBits its bits.
func half(v float32) float32 {
	bits := math.Float32bits(v)
	return math.Float32frombits((bits + 1<<12 - 1 + bits>>13&1) &^ (1<<13 - 1))
}

func halfBits(v float32) uint16 {
	if v == 0 {
		return 0
	}
	return uint16((math.Float32bits(v) - 112<<23) >> 13)
}
