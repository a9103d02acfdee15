package cpu

import (
	"encoding/binary"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// adversary is a kernel for 4 threadgroups of 64 threads that a proof could believe wrongly.
type adversary struct {
	name, body string
	checks     driver.Checks // CheckAll where 0
	shape      int           // of x, in elements, where not 0
	inShape    int           // of in
	proves     bool
}

var adversaries = []adversary{
	{name: "a barrier of simd-groups orders no others", body: `
s[t] = t;
simdgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[63 - t];`},
	{name: "a barrier for the device orders no threadgroup memory", body: `
s[t] = t;
threadgroup_barrier(mem_flags::mem_device);
x[i] = s[63 - t];`},
	{name: "bytes of one word", proves: true, body: `
device uchar* b = (device uchar*)x;
b[i] = t;
b[i] += 1;`},
	{name: "a word over the bytes of others", body: `
device uchar* b = (device uchar*)x;
b[i] = t;
if (t == 3) x[i / 4] = 1;`},
	{name: "vectors that overlap by one word", body: `
packed_uint3 v = packed_uint3(i, i, i);
*(device packed_uint3*)(x + 2 * i) = v;`},
	{name: "vectors side by side", proves: true, body: `
*(device packed_uint3*)(x + 3 * i) = packed_uint3(i, i, i);`},
	{name: "halves that share no byte", proves: true, body: `
threadgroup ushort* h = (threadgroup ushort*)s;
h[t] = t;
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = h[63 - t];`},
	{name: "read beside what others write next", body: `
s[t] = t;
threadgroup_barrier(mem_flags::mem_threadgroup);
uint v = s[63 - t];
s[t] = v;
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[t];`},
	{name: "reused after a barrier for other memory", body: `
uint sum = 0;
for (uint k = 0; k < 3; k++) {
	s[t] = t + k;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	sum += s[63 - t];
	threadgroup_barrier(mem_flags::mem_device);
}
x[i] = sum;`},
	{name: "reused after a barrier", proves: true, body: `
uint sum = 0;
for (uint k = 0; k < 3; k++) {
	s[t] = t + k;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	sum += s[63 - t];
	threadgroup_barrier(mem_flags::mem_threadgroup);
}
x[i] = sum;`},
	{name: "what the threadgroup before has written", body: `
if (g == 0) s[t] = t;
threadgroup_barrier(mem_flags::mem_threadgroup);
if (g > 0) x[i] = s[t];`},
	{name: "an array of the thread written in part", body: `
uint own[4];
for (uint k = 0; k < (i & 3) + 1; k++) own[k] = k;
x[i] = own[i % 3];`},
	{name: "an array of the thread written wholly", proves: true, body: `
uint own[4];
for (uint k = 0; k < 4; k++) own[(k + i) & 3] = k;
x[i] = own[i % 3];`},
	{name: "the first threadgroup writes what the last one reads", body: `
if (g == 3) x[i] = x[t] + 1; else x[i] = 1;`},
	{name: "all threadgroups write one word", body: "if (t == 0) x[5] = 1;"},
	{name: "an atomic and a plain store of two threadgroups", body: `
if (g == 0 && t == 0) x[0] = 1;
if (g == 3) atomic_fetch_add_explicit((device atomic_uint*)x, 1, memory_order_relaxed);`},
	{name: "an atomic and a plain load of two threadgroups", body: `
if (g == 0) x[i + 1] = x[0];
if (g == 3) atomic_fetch_add_explicit((device atomic_uint*)x, 1, memory_order_relaxed);`},
	{name: "atomics alone", proves: true, body: `
atomic_fetch_add_explicit((device atomic_uint*)x + (i & 7), 1, memory_order_relaxed);`},
	{name: "atomics alone where races count for nothing", checks: driver.CheckShape, shape: 8, proves: true, body: `
atomic_fetch_add_explicit((device atomic_uint*)x + (i & 7), 1, memory_order_relaxed);`},
	{name: "fewer than the shape are written", shape: 512, proves: true, body: "x[i] = i;"},
	{name: "one beyond the shape is read by number", shape: 256, body: "x[i] = in[3]; if (i == 9) x[i] = x[300];"},
	{name: "one beyond the shape is read always", shape: 256, body: `
uint v = x[300]; if (v == 7) x[i] = v; else x[i] = 1;`},
	{name: "one beyond the shape of what is only read", inShape: 100, body: "x[i] = in[120];"},
	{name: "the same by a loop", inShape: 100, body: "for (uint k = 0; k < 3; k++) x[i] = in[98 + k];"},
	{name: "one of many threads is beyond the shape", shape: 255, body: "x[i] = i;"},
	{name: "a barrier in a branch of two lanes", body: `
if (t < 40) threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = t;`},
	{name: "barriers of two branches", body: `
if (t < 32) threadgroup_barrier(mem_flags::mem_threadgroup);
else threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = t;`},
	{name: "rounds that differ", body: `
for (uint k = 0; k < 1 + t / 32; k++) threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = t;`},
	{name: "pointers that paths choose", body: `
threadgroup uint* p = s + (t & 1 ? t : 0);
*p = t;
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[t | 1];`},
	{name: "lanes of one row of a matrix", body: `
for (uint k = 0; k < 32; k++) x[(i & ~1u) * 16 + k] = k;`},
	{name: "lanes along rows of their own", proves: true, body: `
for (uint k = 0; k < 32; k++) x[i * 32 + k] = k;
for (uint k = 1; k < 32; k++) x[i * 32 + k] += x[i * 32 + k - 1];`},
	{name: "lanes along rows that overlap", body: `
for (uint k = 0; k < 33; k++) x[i * 32 + k] = k;`},
	{name: "a NaN of a load", checks: driver.CheckNaN, body: `
float f = as_type<float>(in[i] | 0x7fc00000);
x[i] = as_type<uint>(f + 1);`},
	{name: "a NaN that is made", checks: driver.CheckNaN, body: `
float f = float(in[i]);
x[i] = as_type<uint>(f / f);`},
	{name: "in doubt, though a barrier orders them", body: `
x[i] += 1;
threadgroup_barrier(mem_flags::mem_device);
y[i] = x[i ^ 1];`},
	{name: "a struct with pointers of the thread", body: `
struct { threadgroup uint* p; uint n; } two[2];
two[t & 1].p = s + t;
two[1 - (t & 1)].p = s + (t ^ 1);
*two[0].p = t;
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = *two[1].p;`},
	{name: "a negative step", proves: true, body: `
device uint* p = x + 4000;
p[-int(i)] = i;`},
	{name: "a swap of vectors", body: `
threadgroup uint4* q = (threadgroup uint4*)s;
if (t < 16) q[t] = uint4(t);
threadgroup_barrier(mem_flags::mem_threadgroup);
if (t < 16) q[t] = q[t ^ 1];
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[t];`},
	{name: "atomics on what another thread has set, in threadgroup memory", body: `
threadgroup atomic_uint* c = (threadgroup atomic_uint*)s;
if (t == 0) atomic_store_explicit(c, 0, memory_order_relaxed);
atomic_fetch_add_explicit(c, 1, memory_order_relaxed);
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = s[0];`},
	{name: "an atomic on nothing", body: `
threadgroup atomic_uint* c = (threadgroup atomic_uint*)s;
x[i] = atomic_fetch_add_explicit(c + t, 1, memory_order_relaxed);`},
	{name: "a plain load before atomics of others", body: `
threadgroup atomic_uint* c = (threadgroup atomic_uint*)s;
s[t] = 0;
threadgroup_barrier(mem_flags::mem_threadgroup);
uint v = s[t];
atomic_fetch_add_explicit(c + (t ^ 32), 1, memory_order_relaxed);
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = v + s[t];`},
	{name: "a variable without a value", body: `
uint v;
if (i & 1) v = 3;
x[i] = v;`},
	{name: "one thread returns before a barrier", body: `
if (t == 63) return;
threadgroup_barrier(mem_flags::mem_threadgroup);
x[i] = 1;`},
	{name: "a NaN of a half", checks: driver.CheckNaN, body: `
half h = half(in[i]) * 60000.0h;
x[i] = uint(as_type<ushort>(h / h));`},
	{name: "a NaN of a sum of lanes", checks: driver.CheckNaN, body: `
float f = (t & 1) ? INFINITY : -INFINITY;
x[i] = as_type<uint>(simd_sum(f));`},
	{name: "who comes first writes", body: `
if (i > 0 && atomic_exchange_explicit((device atomic_uint*)x, 1, memory_order_relaxed) == 0) y[i] = 1;
if (t == 5) s[0] = i;
if (t == 40) s[0] = i;`},
}

func (a *adversary) source() string {
	view := ""
	if strings.Contains(a.body, "view") {
		view = "texture2d<uint, access::read> view [[texture(3)]],"
	}
	return `
kernel void test(device uint* x, device uint* y, device const uint* in, uint i [[thread_position_in_grid]],
	texture2d<uint, access::read_write> image [[texture(0)]], texture2d<float> photo [[texture(1)]],
	texture2d_array<uint, access::write> layers [[texture(2)]], ` + view + `
	uint t [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
	threadgroup uint s[64];
	` + a.body + "\n}"
}

// lockedBuffer is text that several goroutines may write.
type lockedBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// logger returns a log of messages and no times.
func (b *lockedBuffer) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(b, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
}

// run executes a kernel. It returns what it leaves in memory, and what is found.
func (a *adversary) run(t *testing.T, dev *Device) (memory []uint32, found []string) {
	return a.runOf(t, dev, 0)
}

// adversaryTextures are those that kernels get: a row of 64 texels for each threadgroup, one that is sampled, and a
// layer of 8 x 8 for each threadgroup.
var adversaryTextures = []driver.TextureSpec{
	{Type: bind.Texture2D, Format: pixel.R32Uint, Width: 64, Height: 4},
	{Type: bind.Texture2D, Format: pixel.RGBA8Unorm, Width: 16, Height: 16},
	{Type: bind.Texture2DArray, Format: pixel.RG32Uint, Width: 8, Height: 8, Length: 4},
}

func (a *adversary) runOf(t *testing.T, dev *Device, first uint32) (memory []uint32, found []string) {
	in := make([]uint32, 256)
	in[0] = first
	x, y := make([]uint32, 1<<14), make([]uint32, 256)
	args := []any{x, y, in}
	var texels []*storage.Texture
	for _, spec := range adversaryTextures {
		spec.Depth, spec.Levels, spec.Samples, spec.Length = 1, 1, 1, max(spec.Length, 1)
		spec.Usage = driver.TextureRead | driver.TextureWrite
		made, err := storage.NewTexture(spec)
		if err != nil {
			t.Fatal(err)
		}
		args, texels = append(args, []driver.Texture{made}), append(texels, made.(*storage.Texture))
	}
	if strings.Contains(a.body, "view") {
		args = append(args, []driver.Texture{texels[0]})
	}
	grid := driver.Grid{Threadgroups: [3]int{4, 1, 1}, Threads: [3]int{64, 1, 1}}
	d, results := dispatchOf(t, dev, a.source(), grid, args...)
	if a.shape > 0 {
		b := &d.Buffers[0]
		b.Shaped, b.Shape, b.Length = true, 4*a.shape, 4<<14-4
		b.Arg.Writes, b.Arg.Size, b.Arg.Shape = true, 4, "n"
	}
	if a.inShape > 0 {
		b := &d.Buffers[2]
		b.Shaped, b.Shape, b.Arg.Shape = true, 4*a.inShape, "n"
	}
	_, err := run(t.Context(), t, dev, d)
	if f, ok := errors.AsType[*driver.Findings](err); ok {
		for _, one := range f.List {
			found = append(found, one.Kind.String()+" "+one.Places[0].Pos)
		}
		slices.Sort(found)
	} else if err != nil {
		found = append(found, err.Error())
	}
	for _, r := range results[:2] {
		copy(bytesOfSlice(r.to), r.memory.Bytes())
	}
	memory = slices.Concat(x, y)
	for _, made := range texels {
		for at := 0; at < len(made.Bytes); at += 4 {
			memory = append(memory, binary.LittleEndian.Uint32(made.Bytes[at:]))
		}
	}
	return memory, found
}

// TestProofsBelieveNoAdversary runs kernels with a proof and without one: what is found is the same, and so is what
// they leave in memory, even where a proof has left something else before.
func TestProofsBelieveNoAdversary(t *testing.T) {
	t.Parallel()
	if Open(options()).nativeKind == nil {
		t.Skip("there is no machine code")
	}
	for _, a := range slices.Concat(adversaries, textureAdversaries, matrixAdversaries) {
		var results [2][]uint32
		var found [2][]string
		for i := range results {
			checks := a.checks
			if checks == 0 {
				checks = driver.CheckAll
			}
			var notes lockedBuffer
			dev := Open(driver.Options{Sanitize: checks, Log: notes.logger()})
			dev.provesAfter = int64(-i)
			results[i], found[i] = a.run(t, dev)
			found[i] = append(found[i], notes.String())
			if i == 0 && proved(dev) > 0 != a.proves {
				t.Errorf("%s: proves is %t", a.name, !a.proves)
			}
			dev.Close()
		}
		if !slices.Equal(found[0], found[1]) {
			t.Errorf("%s: found %q, and without a proof %q", a.name, found[0], found[1])
		}
		ones := func(words []uint32) (n int) {
			for _, w := range words[1<<14:][:256] {
				n += int(w)
			}
			return n
		}
		if len(found[1]) == 1 && !slices.Equal(results[0], results[1]) || ones(results[0]) != ones(results[1]) {
			t.Errorf("%s: other results", a.name)
		}
	}
}

// TestProofsAtOnce has dispatches of one kernel prove at once that all of their own memory is written, or half of it.
func TestProofsAtOnce(t *testing.T) {
	t.Parallel()
	var notes lockedBuffer
	dev := Open(driver.Options{Sanitize: driver.CheckAll, Log: notes.logger()})
	defer dev.Close()
	if dev.nativeKind == nil {
		t.Skip("there is no machine code")
	}
	dev.provesAfter = 0
	var done sync.WaitGroup
	a := adversary{name: "at once", body: "if (in[0] == 0 || i < 128) x[i] = i;", shape: 256}
	const workers, rounds = 4, 10
	for worker := range workers {
		done.Go(func() {
			for range rounds {
				if memory, found := a.runOf(t, dev, uint32(worker&1)); len(found) > 0 || memory[127] != 127 {
					t.Errorf("found %q, and x[127] is %d", found, memory[127])
				}
			}
		})
	}
	done.Wait()
	if n := strings.Count(notes.String(), "no thread writes 128 of the 256"); n != workers/2*rounds {
		t.Errorf("%d dispatches have written half of their memory, want %d:\n%s", n, workers/2*rounds, &notes)
	}
	if n := proved(dev); n != workers*rounds {
		t.Errorf("%d of %d dispatches prove something", n, workers*rounds)
	}
}

// TestSlabsHaveNothingOfLaterDispatches tests that a dispatch gets no numbers of one that began later, or from before
// numbers began anew.
func TestSlabsHaveNothingOfLaterDispatches(t *testing.T) {
	var s slabs
	first, second := s.stamps(100), s.stamps(100)
	words := s.take(8, second)
	words[3] = second + 50
	s.give(words, second+100)
	if got := s.take(8, first); got[3] != 0 {
		t.Error("the first dispatch has a number of the second one")
	}
	third := s.stamps(maxStamp - 300)
	kept := s.take(8, third)
	if kept[3] != second+50 {
		t.Error("the third dispatch has other words")
	}
	again := s.stamps(200)
	if again != 1 {
		t.Fatalf("numbers begin with %d", again)
	}
	s.give(kept, third+maxStamp-300)
	if got := s.take(8, again); got[3] != 0 {
		t.Error("what is from before comes back")
	}
}
