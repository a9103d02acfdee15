package msl

import (
	"fmt"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/parser"
)

func TestGuards(t *testing.T) {
	tests := []struct{ body, want string }{ // "param.axis < limit, ..."
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
		{"const int j = int(i); if (j >= n) return; ", ""},
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
		{"if (!(i < n)) return;", ""},
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
		{"float limit = n; if (i >= limit / 2) return;", ""},
		{"uint j = i / 32; if (j >= n) return;", ""},
		{"uint j; if (i >= n) return;", ""},
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
			p := mustAnalyze(t, "struct P { uint dim; }; uint helper(uint x) { return x; }\n"+
				"kernel void k(device uint* out, constant uint& n, constant uint& m, constant P& p, uint i "+
				"[[thread_position_in_grid]], uint3 g [[threadgroup_position_in_grid]]) {"+tt.body+"}")
			var got []string
			for _, b := range p.Guards(onlyKernel(t, p)) {
				got = append(got, fmt.Sprintf("%s.%d < %s", b.Param.Name, b.Axis, limitText(b.Limit)))
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
