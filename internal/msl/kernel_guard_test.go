package msl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/parser"
)

func TestGuards(t *testing.T) {
	tests := []struct{ body, want string }{ // "param.axis < limit, ...", with ~ where a loop strides
		{"if (i >= n) return;", "i.0 < n"},
		{"if (i >= n) { return; }", "i.0 < n"},
		{"if (n <= i) return;", "i.0 < n"},
		{"if (i >= n || g.x >= m) return;", "i.0 < n, g.0 < m"},
		{"if (g.x >= n || g.y >= m || g.z >= 4) return;", "g.0 < n, g.1 < m, g.2 < 4"},
		{"if (g.x >= n) return; if (g.y >= m) return;", "g.0 < n, g.1 < m"},
		{"uint j = i; if (j >= n) return;", "i.0 < n"},
		{"const uint j = g.y; const uint last = n; if (j >= last) return;", "g.1 < last"},
		{"uint a = g.x, b = g.y; if (a >= n || b >= m) return;", "g.0 < n, g.1 < m"},
		{"uint a = min(n, m), b = i; if (b >= a) return;", "i.0 < a"},
		{"unsigned int j = i; if (j >= n) return;", "i.0 < n"},
		{"auto j = i; if (j >= n) return;", "i.0 < n"},
		{"const int j = int(i); if (j >= n) return; ", "i.0 < n"},
		{"if (int(i) >= n) return;", "i.0 < n"},
		{"if ((int)i >= n) return;", "i.0 < n"},
		{"if (static_cast<uint>(i) >= n) return;", "i.0 < n"},
		{"if (unsigned int(g.y) >= n) return;", "g.1 < n"},
		{"if (ushort(i) >= n) return;", ""},
		{"if (float(i) >= n) return;", ""},
		{"if (m <= g.y || g.x >= n) return;", "g.1 < m, g.0 < n"},
		{"if (!(i < n)) return;", "i.0 < n"},
		{"if (!(i < n && m > g.y)) return;", "i.0 < n, g.1 < m"},
		{"if (!(i < n || g.y < m)) return;", ""},
		{"if (i >= n * 4) return;", "i.0 < ..."},
		{"if (i >= p.dim) return;", "i.0 < p.dim"},
		{"if (i >= n && m > 0) return; if (i >= m) return;", "i.0 < m"},
		{"if (m == 0) return; if (i >= n) return;", "i.0 < n"},
		{"if (i >= n) return; n2 = 3; if (i >= m) return;", "i.0 < n"},

		{"if (i > n) return;", ""},
		{"if (n >= i) return;", ""},
		{"if (i < n) return;", ""},
		{"if (i == n) return;", ""},
		{"if (i >= n && g.x >= m) return;", ""},
		{"if (i + 1 >= n) return;", ""},
		{"if (!(i >= n)) return;", ""},

		{"if (i < n) { out[i] = 1; out[0] = 2; }", "i.0 < n"},
		{"if (i < n) out[i] = 1;", "i.0 < n"},
		{"if (n > i) { }", "i.0 < n"},
		{"if (!(i >= n)) { }", "i.0 < n"},
		{"if (g.x < n && g.y < m) { out[i] = 1; }", "g.0 < n, g.1 < m"},
		{"if (g.x < n) if (g.y < m) { out[i] = 1; }", "g.0 < n, g.1 < m"},
		{"if (g.x < n) { uint j = g.y; if (j >= m) return; out[i] = 1; }", "g.0 < n, g.1 < m"},
		{"uint j = i; if (j < n) { for (;;) { out[i] = 1; } }", "i.0 < n"},
		{"if (i < n) for (uint j = 0; j < m; j++) if (j) { m = 1; } else m = 2;", "i.0 < n"},
		{"if (i < n) do { m = 1; } while (m < f({1; 2}));", "i.0 < n"},
		{"if (i < n) { uint n = 3; if (g.x >= n) return; }", "i.0 < n, g.0 < n"},
		{"if (i < n || g.y < m) { out[i] = 1; }", ""},
		{"if (i >= n) { out[i] = 1; }", ""},
		{"if (i < n) { out[i] = 1; } else { out[0] = 1; }", ""},
		{"if (i < n) out[i] = 1; else out[0] = 1;", ""},
		{"if (i < n) { out[i] = 1; } out[0] = 1;", ""},
		{"if (i < n) out[i] = 1; out[0] = 1;", ""},
		{"if (i < n) if (m) out[i] = 1; else out[i] = 2;", "i.0 < n"},
		{"if (i < n) { if (g.x < m) out[i] = 1; out[0] = 1; }", "i.0 < n"},
		{"if (i < n)", ""}, {"if (i < n) do", ""}, {"if (i < n) for ()", ""}, {"if (i < n) else", ""},

		{"if (any(g.xy >= uint2(n, m))) return;", "g.0 < n, g.1 < m"},
		{"if (any(g >= p.size)) return;", "g.0 < p.size.x, g.1 < p.size.y, g.2 < p.size.z"},
		{"if (any(size <= g.xy)) return;", "g.0 < size.x, g.1 < size.y"},
		{"if (metal::any(g.yx >= size)) return;", "g.1 < size.x, g.0 < size.y"},
		{"if (any(int2(g.xz) >= int2(size))) return;", "g.0 < size.x, g.2 < size.y"},
		{"if (any(g.xy >= uint2(n))) return;", "g.0 < n, g.1 < n"},
		{"if (any(g.xy >= uint2(16))) return;", "g.0 < 16, g.1 < 16"},
		{"if (!all(g.xy < size)) return;", "g.0 < size.x, g.1 < size.y"},
		{"if (all(g.xy < size)) { out[i] = 1; }", "g.0 < size.x, g.1 < size.y"},
		{"uint2 at = g.xy, to = uint2(n, m); if (any(at >= to)) return;", "g.0 < n, g.1 < m"},
		{"uint2 at = g.zy; if (at.x >= n) return;", "g.2 < n"},
		{"if (all(g.xy >= size)) return;", ""},
		{"if (any(g.xy < size)) { out[i] = 1; }", ""},
		{"if (any(g.xy >= ushort2(n, m))) return;", ""},
		{"if (any(g >= uint3(size, 1))) return;", ""},
		{"if (any(g.xy >= f(n))) return;", ""},
		{"ushort2 at = ushort2(g.xy); if (any(at >= size)) return;", ""},
		{"uint2 to = to; if (any(g.xy >= to)) return;", ""},

		{"for (uint j = i; j < n; j += total) out[j] = 1;", "~i.0 < n"},
		{"for (uint j = i; n > j; j += total) { out[j] = 1; break; }", "~i.0 < n"},
		{"const uint step = total; for (uint j = i; j < n; j += step) { }", "~i.0 < n"},
		{"for (uint j = g.x; j < n; j += w.x * c.x) { }", "~g.0 < n"},
		{"uint s = c.y * w.y; for (int j = int(g.y); j < n; j += s) { }", "~g.1 < n"},
		{"if (i >= n) return; for (uint j = g.y; j < m; j += w.y * c.y) { }", "i.0 < n, ~g.1 < m"},
		{"for (uint y = g.y; y < m; y += w.y * c.y) for (uint x = g.x; x < n; x += w.x * c.x) { }", "~g.1 < m, ~g.0 < n"},
		{"for (uint j = i; j < n; j += total) { if (j >= m) return; }", "~i.0 < n"},
		{"uint j = g.x; for (uint j = i; j < n; j += total) { if (j >= m) return; }", "~i.0 < n"},
		{"for (uint j = i; j < n; j += total) { if (g.x >= m) return; }", "~i.0 < n, g.0 < m"},
		{"for (uint j = i; j < n; j += 32) { }", ""},
		{"for (uint j = g.x; j < n; j += w.y * c.x) { }", ""},
		{"for (uint j = g.x; j < n; j += w.x) { }", ""},
		{"for (uint j = i; j < n; j -= total) { }", ""},
		{"for (uint j = i; j < n; ++j) { }", ""},
		{"for (uint j = 0; j < n; j += total) { }", ""},
		{"for (uint j = i; j < n; j += total) { } out[0] = 1;", ""},
		{"for (uint j = i; j < n;) { j += total; }", ""},
		{"for (;;) { }", ""}, {"for (uint j = i; j < n)", ""}, {"for (uint j = i) { }", ""}, {"for (uint j : x) { }", ""},
		{"if (i >= n) { out[0] = 1; return; }", ""},
		{"if (i >= n) out[0] = 1;", ""},
		{"if (i >= n) return; else out[0] = 1;", "i.0 < n"},
		{"if (i >= n) return; else m = 4; if (g.x >= m) return;", "i.0 < n"},
		{"out[0] = 1; if (i >= n) return;", ""},
		{"uint old = atomic_fetch_add_explicit(out, 1, memory_order_relaxed); if (i >= n) return;", ""},
		{"uint j = helper(i); if (i >= n) return;", ""},
		{"uint j = i; j += 5; if (j >= n) return;", ""},
		{"uint j = i, k = j++; if (j >= n) return;", ""},
		{"uint j = i; uint k = (j = 3); if (j >= n) return;", ""},
		{"if ((n2 = i) >= n) return; if (i >= n) return;", ""},
		{"ushort j = i; if (j >= n) return;", ""},
		{"float limit = n; if (i >= limit / 2) return;", "i.0 < ..."},
		{"uint j = i / 32; if (j >= n) return;", ""},
		{"uint j; if (i >= n) return;", "i.0 < n"},
		{"for (uint j = i; j < n; j++) {} if (i >= n) return;", ""},
		{"if (i >= n) return 1;", ""},
		{"if constexpr (true) return; if (i >= n) return;", ""},
		{"if (g.w >= n) return;", ""},
		{"if (g >= n) return;", ""},
		{"if (i.x >= n) return;", ""},
		{"if (n >= m) return;", ""},
		{"else x = 4;", ""},
		{"if", ""}, {"if (i >= n)", ""}, {"if (i >= n) return", ""}, {"if () return;", ""}, {"uint j =", ""},
		{"uint j = ;", ""}, {"const", ""},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			p := mustAnalyze(t, "struct P { uint dim; uint3 size; }; uint helper(uint x) { return x; }\n"+
				"kernel void k(device uint* out, constant uint& n, constant uint& m, constant P& p, "+
				"constant uint2& size, uint i [[thread_position_in_grid]], uint3 g [[threadgroup_position_in_grid]], "+
				"uint total [[threads_per_grid]], uint3 w [[threads_per_threadgroup]], "+
				"uint3 c [[threadgroups_per_grid]]) {"+tt.body+"}")
			var got []string
			for _, b := range p.Guards(onlyKernel(t, p)) {
				mark := map[bool]string{true: "~"}[b.Strides]
				got = append(got, fmt.Sprintf("%s%s.%d < %s", mark, b.Param.Name, b.Axis, limitText(b.Limit)))
			}
			if got := strings.Join(got, ", "); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func limitText(e parser.Expr) string {
	switch e := e.(type) {
	case *parser.Name:
		return e.Path[0]
	case *parser.Number:
		return e.Text
	case *parser.MemberExpr:
		return limitText(e.X) + "." + e.Name
	}
	return "..."
}

// The locals of a guard are those before it.
func TestGuardLocals(t *testing.T) {
	p := mustAnalyze(t,
		"kernel void k(constant uint& n, uint i [[thread_position_in_grid]]) { uint a = n; if (i >= a) return; uint b = n; "+
			"if (i >= b) return; }")
	bounds := p.Guards(onlyKernel(t, p))
	if len(bounds) != 2 || len(bounds[0].Locals) != 1 || len(bounds[1].Locals) != 2 {
		t.Errorf("got %+v", bounds)
	}
	if pos := bounds[0].Pos; pos.Line != 1 || pos.Column != 89 {
		t.Errorf("the first guard is at %v", pos)
	}
}
