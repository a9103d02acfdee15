package msl

import (
	"github.com/metalgen/metalgen/internal/msl/skim"
	"testing"
)

func TestAccessOf(t *testing.T) {
	tests := []struct{ body, want string }{ // to the buffer out
		{"out[i] = 1;", "w"},
		{"out[i] = x[i] + 1;", "w"},
		{"y = out[i] = 3;", "w"},
		{"if (i < n) out[i] = 1; else out[i] = 2;", "w"},
		{"for (uint j = 0; j < n; j++) { out[i * n + j] = 1; }", "w"},
		{"do out[i] = 1; while (false);", "w"},
		{"switch (n) { case 1: out[i] = 1; }", "w"},
		{"device float* o = out + base; o[i] = 1;", "w"},
		{"device float* o = out; o[0] = 1;", "w"},
		{"device float * const o = out; o[0] = 1;", "rw"},
		{"volatile device float* o = out + 1; device float* q = o + 1; q[0] = 1;", "w"},
		{"P p; p.out = 3; q->out = 4; out[i] = 1;", "w"},
		{"out[x[i]] = x[i];", "w"},
		{"simdgroup_store(m, out, 8);", "w"},
		{"simdgroup_store(m[f(i, 1)], out + 8 * i, n);", "w"},
		{"metal::simdgroup_store(m, &out[8 * i], n, ulong2(0, 0), true);", "w"},
		{"device float* o = out + i; simdgroup_store(m, o + 8, n);", "w"},
		{"simdgroup_store(m, out);", "w"},

		{"", "rw"},
		{"simdgroup_store(m, out + 8 * (int)out[0], n);", "rw"},
		{"simdgroup_store(m, x, out);", "rw"},
		{"simdgroup_store(out, x, n);", "rw"},
		{"simdgroup_store(m, (device float*)out, n);", "rw"},
		{"simdgroup_store(m, out[0], n);", "rw"},
		{"simdgroup_store(m, f(1, out), n);", "rw"},
		{"simdgroup_store(m, &out[0] - n, n);", "rw"},
		{"simdgroup_load(m, out, 8);", "rw"},
		{"simdgroup_load(m, out, 8); simdgroup_store(m, out, 8);", "rw"},
		{"f(1), out;", "rw"},
		{"out[i] += 1;", "rw"},
		{"out[i]++;", "rw"},
		{"++out[i];", "rw"},
		{"out[i] = out[i] + 1;", "rw"},
		{"out[out[i]] = 1;", "rw"},
		{"out[a = 1]; ", "rw"},
		{"if (out[i] == 3) out[i] = 1;", "rw"},
		{"y = out[i];", "rw"},
		{"y = -out[i];", "rw"},
		{"(out)[i] = 1;", "rw"},
		{"*out = 1;", "rw"},
		{"*(out + i) = 1;", "rw"},
		{"out[i].x = 1;", "rw"},
		{"out[i][1] = 1;", "rw"},
		{"out->x = 1;", "rw"},
		{"helper(out);", "rw"},
		{"helper(&out[i]);", "rw"},
		{"helper(out + 1);", "rw"},
		{"device float* p = &(out[i] = 1); y = p[1];", "rw"},
		{"device float& r = out[i]; y = r;", "rw"},
		{"atomic_store_explicit(&out[i], 1, memory_order_relaxed);", "rw"},
		{"device float* o = out + base; y = o[i];", "rw"},
		{"device float* o = out + base; o += 4; o[0] = 1;", "rw"},
		{"device float* o = out + base; helper(o);", "rw"},
		{"device float* o = out + (int)out[0]; o[0] = 1;", "rw"},
		{"device float* o = cond ? out : other; o[0] = 1;", "rw"},
		{"device float* o = other; o = out; o[0] = 1;", "rw"},
		{"device float* slot; device float* thread* pp = &slot; *pp = out; y = slot[0];", "rw"},
		{"auto o = out; y = o[0];", "rw"},
		{"device float4* o = (device float4*)out; y = o[0];", "rw"},
		{"{ float out[4]; y = out[1]; } out[i] = 1;", "rw"},
		{"out[i] = 1; y = sizeof(out);", "rw"},
		{"device float *a = out, *b = a; b[0] = 1;", "rw"},
		{
			"device float* a = out; device float* b = a; device float* c = b; device float* d = c; device float* e = d; " +
				"device float* f = e; f[0] = 1;", "rw"},
	}
	for _, tt := range tests {
		t.Run(tt.body, func(t *testing.T) {
			p := mustAnalyze(t, "kernel void k(device float* out, constant uint& n, uint i [[thread_position_in_grid]]) {"+
				tt.body+"}")
			k := onlyKernel(t, p)
			got := ""
			a := p.AccessOf(k, k.Params[0])
			if a.Read {
				got += "r"
			}
			if a.Write {
				got += "w"
			}
			if got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// A source may have a function of this name, which does anything.
func TestAccessOfOwnStore(t *testing.T) {
	p := mustAnalyze(t, "void simdgroup_store(int m, device float* x) {}\n"+
		"kernel void k(device float* out) { simdgroup_store(1, out); }")
	k := onlyKernel(t, p)
	if got := p.AccessOf(k, k.Params[0]); got != (skim.Access{Read: true, Write: true}) {
		t.Errorf("got %+v", got)
	}
}

func TestAccessOfConst(t *testing.T) {
	for _, param := range []string{"const device float* x", "device float const* x", "constant float* x"} {
		p := mustAnalyze(t, "kernel void k("+param+") { x[0] = 1; }")
		k := onlyKernel(t, p)
		if got := p.AccessOf(k, k.Params[0]); got != (skim.Access{Read: true}) {
			t.Errorf("%s: got %+v", param, got)
		}
	}
}
