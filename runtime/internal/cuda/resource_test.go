//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu"
	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// following begins kernels that find memory by pointers: in a buffer of such structs, and in a value of them.
const following = `struct T { device float* to; device const float* from; };
float deep(device const float* p, thread float* up, int n) {
	float mine[2] = {p[n], *up};
	return n == 0 ? mine[0] + mine[1] : deep(p + 1, n % 2 ? mine : up, n - 1) + mine[1];
}
kernel void test(device T* t [[buffer(0)]], constant T& v [[buffer(1)]], device float* y [[buffer(2)]],
	uint i [[thread_position_in_grid]]) {
`

// follows is a batch whose calls find memory by pointers.
type follows struct {
	driver.Recorder
	table, y driver.Memory
	memory   []driver.Memory // of 64 floats each, which are its number
}

func newFollows(t *testing.T, dev driver.Device) *follows {
	t.Helper()
	rec, err := dev.NewRecorder()
	if err != nil {
		t.Fatal(err)
	}
	f := &follows{Recorder: rec}
	for n := range 6 {
		m, err := dev.NewMemory(256, driver.StorageShared)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Free)
		f.memory = append(f.memory, m)
		for i := range floats(m) {
			floats(m)[i] = float32(n)
		}
	}
	f.table, f.y, f.memory = f.memory[0], f.memory[1], f.memory[2:]
	clear(f.y.Bytes())
	return f
}

// record records a call whose pointers lead to memory of two numbers.
func (f *follows) record(t *testing.T, body string, to, from int) {
	t.Helper()
	text := "#include <metal_stdlib>\nusing namespace metal;\n#line 1\n" + following + body + "\n}"
	value := binary.LittleEndian.AppendUint64(nil, f.memory[to].Address())
	value = binary.LittleEndian.AppendUint64(value, f.memory[from].Address())
	copy(f.table.Bytes(), value)
	table := &driver.Arg{Index: 0, Name: "t"}
	err := f.Record(&driver.Dispatch{
		Kernel: &driver.Kernel{Name: "test", Library: &driver.Library{File: "test.metal", Source: &text}}, Grid: grid,
		Buffers: []driver.Buffer{{Arg: table, Memory: f.table, Length: 256},
			{Arg: &driver.Arg{Index: 2, Name: "y"}, Memory: f.y, Length: 256}},
		Values: []driver.Value{{Arg: &driver.Arg{Index: 1, Name: "v"}, Bytes: value}},
		Resources: []driver.Resource{{Memory: f.memory[to], Arg: table, Field: "To", Writes: true},
			{Memory: f.memory[from], Arg: table, Field: "From"}},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func (f *follows) run(t *testing.T) error {
	t.Helper()
	job, err := f.Submit()
	if err != nil {
		t.Fatal(err)
	}
	_, err = job.Wait(t.Context())
	return err
}

func TestKeptBatchesFollowPointers(t *testing.T) {
	for _, o := range []driver.Options{{}, {Unchecked: true}} {
		t.Run("", func(t *testing.T) { keptFollowing(t, open(t, cudatest.Options{}, o)) })
	}
}

func keptFollowing(t *testing.T, dev driver.Device) {
	f := newFollows(t, dev)
	f.record(t, "	v.to[i] += v.from[i];", 0, 1)
	f.record(t, "	v.to[i] += v.from[i];", 0, 1)
	f.record(t, "	device const float* p = v.from; for (uint k = 0; k < 4; k++) y[i] += p[(i + k) % 64];", 3, 2)
	f.record(t, "	float zero = 0; y[i] += deep(t->from + i % 8, &zero, 3);", 3, 2) // four times what it finds
	for range 3 {                                                                  // from the second time on as a graph
		f.Keep()
		if err := f.run(t); err != nil {
			t.Fatal(err)
		}
	}
	if got := []float32{floats(f.memory[0])[63], floats(f.y)[5]}; !slices.Equal(got, []float32{2 + 6*3, 3 * 8 * 4}) {
		t.Errorf("got %v", got)
	}
}

func TestAFaultNamesTheResourceOfItsCall(t *testing.T) {
	reference := cpu.Open(driver.Options{})
	defer reference.Close()
	for _, tt := range []struct {
		body     string
		to, from int
		want     string
	}{
		{"	*(device ulong*)t = 4096; device float* p = t->to; y[i] = p[i];", 3, 1,
			"the address 0x1000 is in no buffer of the call, nor in one that its arguments point to"},
		{"	*(device ulong*)t = 4096; device float* p = t->to; float zero = 0; y[i] = deep(p, &zero, 0);", 3, 1,
			"the address 0x1000 is in no buffer of the call, nor in one that its arguments point to"},
		{"	*(device ulong*)t = 4096; device float* p = t->to; y[i] = p[int(i) - 5000];", 3, 1,
			"the address -0x3e20 is in no buffer of the call, nor in one that its arguments point to"},
		{"	*(device ulong*)t = 4096; device float* p = t->to; y[i] = p[1ul << 55];", 3, 1,
			"a null pointer, one made of a number"},
		{"	device float* p = t->to; float zero = 0; y[i] = deep(p + (1ul << 55), &zero, 0);", 3, 1,
			"a null pointer, one made of a number"},
		{"	y[i] = t->from[i + 1];", 0, 1, "the memory of t[0].From: 4 bytes at byte 256 are out of bounds of 256 bytes"},
		{"	t->to[i + 60] = 1;", 3, 1, "the memory of t[0].To: 4 bytes at byte 256 are out of bounds of 256 bytes"},
		{"	*(device float4*)(v.to + 61) = float4(i);", 2, 1,
			"the memory of t[0].To: 4 bytes at byte 256 are out of bounds of 256 bytes"},
		{"	device T* next = (device T*)t->to; y[i] = next->from[i];", 2, 1, "a null pointer, one made of a number"},
		{"	t->from = y; device const float* p = t->from; y[i] = p[i * 2];", 2, 1,
			"the memory of y: 4 bytes at byte 256 are out of bounds of 256 bytes"},
	} {
		for _, name := range []string{"cpu", "cuda"} {
			t.Run(name, func(t *testing.T) {
				var dev driver.Device = reference
				if name == "cuda" {
					dev = open(t, cudatest.Options{}, driver.Options{})
				}
				f := newFollows(t, dev)
				f.record(t, "	y[i] = v.from[i];", 1, 0)
				f.record(t, tt.body, tt.to, tt.from)
				var fault *driver.Fault
				if err := f.run(t); !errors.As(err, &fault) || !strings.Contains(err.Error(), tt.want) || fault.Call != 2 {
					t.Errorf("%s\n%v", tt.body, err)
				}
			})
		}
	}
}
