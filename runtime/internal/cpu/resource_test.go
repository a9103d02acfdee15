package cpu

import (
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// tableSource is the beginning of kernels that get pointers in a buffer: a and list[0] point to
// 1, 2, 3, 4; end after them; mid to the 3; b and list[1] to four zeros.
const tableSource = `
struct T {
	device const float* a;
	device float* b;
	constant float* mid;
	device T* null;
	device const float* end;
	device const float* bad;
	device float* list[2];
};
struct Outer { uint n; T inner; };
kernel void test(device T* t [[buffer(0)]], device float* out [[buffer(1)]], constant T& v [[buffer(2)]],
                 threadgroup T* shared [[threadgroup(0)]],
                 uint i [[thread_position_in_grid]]) {
`

const badAddress = 0xdead0

// runTable runs a kernel of four threads whose body is given, and returns what it has left in out.
func runTable(t *testing.T, o driver.Options, body string) ([]float32, error) {
	t.Helper()
	text := "#include <metal_stdlib>\nusing namespace metal;\n" + tableSource + "#line 1\n" + body + "\n}"
	var dev driver.Device
	if dev = chosen(t); dev == nil || o.Sanitize != 0 {
		dev = Open(o)
		defer dev.Close()
	}
	memory := func(size int) driver.Memory {
		m, err := dev.NewMemory(size, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Free)
		return m
	}
	a, b, out, table := memory(16), memory(16), memory(16), memory(64)
	for i := range 4 {
		binary.LittleEndian.PutUint32(a.Bytes()[4*i:], math.Float32bits(float32(i+1)))
	}
	at := a.Address()
	for i, p := range []uint64{at, b.Address(), at + 8, 0, at + 16, badAddress, at, b.Address()} {
		binary.LittleEndian.PutUint64(table.Bytes()[8*i:], p)
	}
	args := []*driver.Arg{
		{Index: 0, Name: "t", Writes: true}, {Index: 1, Name: "out", Writes: true}, {Index: 2, Name: "v"},
	}
	d := &driver.Dispatch{
		Kernel:  &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}},
		Grid:    threads(4),
		Buffers: []driver.Buffer{{Arg: args[0], Memory: table, Length: 64}, {Arg: args[1], Memory: out, Length: 16}},
		Values:  []driver.Value{{Arg: args[2], Bytes: table.Bytes()}},
		Shared:  []driver.Shared{{Arg: &driver.Arg{}, Length: 64}},
		Resources: []driver.Resource{{Memory: a, Arg: args[0], Field: "A"},
			{Memory: b, Writes: true, Arg: args[2], Element: -1, Field: "B"}},
	}
	_, err := run(t.Context(), t, dev, d)
	var got []float32
	for i := range 4 {
		got = append(got, math.Float32frombits(binary.LittleEndian.Uint32(out.Bytes()[4*i:])))
	}
	return got, err
}

func TestPointersInBuffersAreFollowed(t *testing.T) {
	for _, tt := range []struct {
		name, body string
		want       []float32
	}{
		{"load", "out[i] = t->a[i];", []float32{1, 2, 3, 4}},
		{"of a value", "out[i] = v.a[i];", []float32{1, 2, 3, 4}},
		{"into the middle", "out[i] = t->mid[i & 1];", []float32{3, 4, 3, 4}},
		{"backwards", "out[i] = t->end[-1 - int(i)];", []float32{4, 3, 2, 1}},
		{"store", "v.b[i] = v.a[i] + 1; out[i] = t->list[1][i];", []float32{2, 3, 4, 5}},
		{"another for each thread", "out[i] = t->list[i & 1][i];", []float32{1, 0, 3, 0}},
		{"an element of a value", "out[i] = v.list[i & 1][i];", []float32{1, 0, 3, 0}},
		{"in a branch", "if (i & 1) out[i] = t->list[i >> 1][i]; else out[i] = -1;", []float32{-1, 2, -1, 0}},
		{"null", "out[i] = t->null == nullptr ? 5 : 6;", []float32{5, 5, 5, 5}},
		{"to the end", "for (device const float* p = t->a + i; p != t->end; ++p) out[i] += *p;",
			[]float32{10, 9, 7, 4}},
		{"distance", "out[i] = t->list[0] + i - v.a;", []float32{0, 1, 2, 3}},
		{"copy", "T c = *t; out[i] = c.list[0][i];", []float32{1, 2, 3, 4}},
		{"copy of a value", "T c = v; out[i] = c.a[i];", []float32{1, 2, 3, 4}},
		{"copy in a copy", "Outer c = {i, *t}; Outer d = c; out[i] = d.inner.a[d.n];", []float32{1, 2, 3, 4}},
		{"array of copies", "T c[4]; c[i] = *t; out[i] = c[i].list[0][i];", []float32{1, 2, 3, 4}},
		{"threadgroup copy", "if (i == 0) *shared = *t; threadgroup_barrier(mem_flags::mem_threadgroup); " +
			"out[i] = shared->a[i];", []float32{1, 2, 3, 4}},
		{"copy back", "if (i == 0) { T c = *t; c.list[1] = c.list[0]; *t = c; } " +
			"threadgroup_barrier(mem_flags::mem_device); out[i] = t->list[1][i];", []float32{1, 2, 3, 4}},
		{"a pointer to an argument", "if (i == 0) { t->b = out + 1; *t->b = 9; }", []float32{0, 9, 0, 0}},
		{"an address that is stored", "if (i == 0) { t->list[1] = t->list[0] + 2; out[0] = t->list[1][1]; }",
			[]float32{4, 0, 0, 0}},
		{"an address of nothing", "if (i == 0) { t->a = t->bad; out[0] = t->a == v.bad; }", []float32{1, 0, 0, 0}},
		{"a number", "if (i == 0) { t->null = t; device ulong* n = (device ulong*)t; out[0] = n[3] == n[0] ? 1 : 2; " +
			"out[1] = t->null->a[2]; }", []float32{2, 3, 0, 0}},
		{"two ways to one memory", "out[i] = t->a == t->list[0] && t->list[0] + 1 > v.a;",
			[]float32{1, 1, 1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := runTable(t, options(), tt.body)
			if err != nil || !slices.Equal(got, tt.want) {
				t.Errorf("got %v and %v, want %v", got, err, tt.want)
			}
		})
	}
}

func TestPointersInBuffersAreChecked(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{"out[i] = t->a[i + 1];", "the memory of t[0].A: 4 bytes at byte 16 are out of bounds of 16 bytes"},
		{"out[i] = t->a[-1];", "the memory of t[0].A: 4 bytes at byte -4 are out of bounds of 16 bytes"},
		{"v.b[4] = i;", "the memory of v.B: 4 bytes at byte 16 are out of bounds of 16 bytes"},
		{"*(device float*)(1 + (device char*)t->b) = 1;", "the memory of v.B: 4 bytes at byte 1 are not aligned"},
		{"out[i] = t->bad[1];", "the address 0xdead4 is in no buffer of the call, nor in one that its arguments point to"},
		{"out[i] = t->null->a[0];", "a null pointer, one made of a number, or one that was moved far out of its buffer"},
	} {
		_, err := runTable(t, driver.Options{}, tt.body)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %s", tt.body, err, tt.want)
		}
	}
}

func TestRacesThroughPointersInBuffersAreFound(t *testing.T) {
	for body, want := range map[string]string{
		"t->b[0] = i;": "race on byte 0 of the memory of v.B",
		"v.b[0] = i; ": "race on byte 0 of the memory of v.B",
		"if (i == 0) t->b[2] = 1; else out[i] = t->list[1][2];": "race on byte 8 of the memory of v.B",
		"t->b[i] = 1; out[i] = t->a[i] + t->list[0][i];":        "",
	} {
		_, err := runTable(t, driver.Options{Sanitize: driver.CheckRace | driver.CheckRaceSimdgroup}, body)
		if got := err; want == "" && got != nil || want != "" && (got == nil || !strings.Contains(got.Error(), want)) {
			t.Errorf("%s: got %v, want %s", body, got, want)
		}
	}
}
