package gen_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/gen"
	"github.com/metalgen/metalgen/runtime"
)

// The tests in numeric_*_test.go run the kernels on a real device and compare what
// they return with references in float64. A reference is the formula that the
// shader documents, written down in the plainest way: it shares no code and no
// order of summation with the kernel.

// sumRel is the tolerance of sums, relative to the sum of the absolute values of
// their terms. It leaves room for any order of summation of some thousand terms
// in float32, and of as many terms one that is missing or wrong still shows.
const sumRel = 1e-5

// elementRel is the tolerance of results of a few operations on one element,
// relative to the result: 16 roundings of float32.
const elementRel = 1e-6

// upload makes a buffer of exactly s.
func upload[T any](t testing.TB, dev *runtime.Device, s []T) runtime.Buffer[T] {
	t.Helper()
	b, err := runtime.Upload(dev, s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Free)
	return b
}

// zeros makes a buffer of exactly n zeros.
func zeros[T any](t testing.TB, dev *runtime.Device, n int) runtime.Buffer[T] {
	t.Helper()
	b, err := runtime.NewBuffer[T](dev, n)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Free)
	return b
}

// Buffers of input, output and inout have a guard before and after them: bytes
// that no kernel may touch. Beside what is read they are NaNs, which spoil the
// result of a kernel that reads them. Beside what is written they are not, since
// what comes of reading NaNs and writing the result would not show.
const (
	guard        = 256 // bytes: what offsets of constant pointers are a multiple of
	readGuard    = 0xFF
	writtenGuard = 0xA5
)

// input makes a buffer of s with a guard around it. Neither must have changed when
// the test ends.
func input[T any](t testing.TB, dev *runtime.Device, s []T) runtime.Buffer[T] {
	t.Helper()
	b, all := guarded(t, dev, s, readGuard)
	before := slices.Clone(all)
	t.Cleanup(func() {
		for i := range all {
			if all[i] != before[i] {
				t.Errorf("byte %d of an input of %d bytes was written", i-guard, len(all)-2*guard)
				return
			}
		}
	})
	return b
}

// output makes a buffer of n elements with a guard around it, which must not have
// changed when the test ends. Floats in it are NaN until they are written.
func output[T any](t testing.TB, dev *runtime.Device, n int) runtime.Buffer[T] {
	t.Helper()
	b := inout(t, dev, make([]T, n))
	fill(runtime.Cast[byte](b).Data(), 0xFF)
	return b
}

// inout makes a buffer of s with a guard around it, which must not have changed
// when the test ends. The content may.
func inout[T any](t testing.TB, dev *runtime.Device, s []T) runtime.Buffer[T] {
	t.Helper()
	b, all := guarded(t, dev, s, writtenGuard)
	t.Cleanup(func() {
		for i, have := range all {
			if (i < guard || i >= len(all)-guard) && have != writtenGuard {
				t.Errorf("byte %d relative to an output of %d bytes was written", i-guard, len(all)-2*guard)
				return
			}
		}
	})
	return b
}

// guarded also returns the bytes of the buffer and both its guards. What a test
// wants done with them in a Cleanup comes before they are freed.
func guarded[T any](t testing.TB, dev *runtime.Device, s []T, with byte) (runtime.Buffer[T], []byte) {
	t.Helper()
	size := len(s) * int(reflect.TypeFor[T]().Size())
	all := zeros[byte](t, dev, size+2*guard)
	fill(all.Data(), with)
	b := runtime.Cast[T](all.Slice(guard, guard+size))
	if n := copy(b.Data(), s); n != len(s) {
		t.Fatalf("%d elements in a buffer for %d", n, len(s))
	}
	return b, all.Data()
}

func fill(s []byte, with byte) {
	for i := range s {
		s[i] = with
	}
}

// execute runs what calls records, in a batch of its own.
func execute(t testing.TB, dev *runtime.Device, calls func(b *runtime.Batch)) {
	t.Helper()
	b := dev.NewBatch()
	calls(b)
	mustRun(t, dev, b)
}

// mustRun runs a batch, and skips the test where the GPU cannot.
func mustRun(t testing.TB, dev *runtime.Device, b *runtime.Batch) {
	t.Helper()
	err := b.Run(t.Context())
	if err == nil {
		return
	}
	if reason := lacks(dev, err); reason != nil {
		t.Skipf("%v\n%v cannot: %v", err, dev, reason)
	}
	t.Fatal(err)
}

// random returns the same sequence for the same seed, on every machine.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x9E3779B97F4A7C15)) }

// uniform returns n numbers from lo up to hi.
func uniform(seed uint64, n int, lo, hi float32) []float32 {
	r := random(seed)
	s := make([]float32, n)
	for i := range s {
		s[i] = lo + (hi-lo)*r.Float32()
	}
	return s
}

// uniformBF16 returns the bits of n bfloat16 numbers from lo up to hi, where these
// are bfloat16s and of the same sign, or one of them 0.
func uniformBF16(seed uint64, n int, lo, hi float32) []uint16 {
	s := make([]uint16, n)
	for i, f := range uniform(seed, n, lo, hi) {
		s[i] = uint16(math.Float32bits(f) >> 16)
	}
	return s
}

// bf16 returns the number whose bits w has.
func bf16(w uint16) float64 { return float64(math.Float32frombits(uint32(w) << 16)) }

// words returns n random words: every field is a weight.
func words(seed uint64, n int) []uint32 {
	r := random(seed)
	s := make([]uint32, n)
	for i := range s {
		s[i] = r.Uint32()
	}
	return s
}

// quantized is a matrix as shaders/quant.h describes it.
type quantized struct {
	bits, rows, cols, group int
	words                   []uint32
	scales, biases          []uint16
}

// newQuantized makes a random matrix whose weights are from about -1 to 1, as
// scales of either sign and biases around the negative middle make them.
func newQuantized(seed uint64, bits, rows, cols, group int) quantized {
	groups := rows * ceilDiv(cols, group)
	largest := float32(int(1)<<bits - 1)
	m := quantized{
		bits: bits, rows: rows, cols: cols, group: group,
		words:  words(3*seed, rows*cols*bits/32),
		scales: uniformBF16(3*seed+1, groups, 0.5/largest, 2/largest),
		biases: uniformBF16(3*seed+2, groups, -1.5, -0.25),
	}
	r := random(seed)
	for g := range groups {
		if r.IntN(2) == 0 { // mirrored
			m.scales[g] ^= 0x8000
			m.biases[g] ^= 0x8000
		}
	}
	return m
}

// at returns one weight.
func (m quantized) at(row, col int) float64 {
	perWord := 32 / m.bits
	word := m.words[row*(m.cols/perWord)+col/perWord]
	q := word >> (col % perWord * m.bits) & (1<<m.bits - 1)
	g := row*ceilDiv(m.cols, m.group) + col/m.group
	return float64(q)*bf16(m.scales[g]) + bf16(m.biases[g])
}

// reference is what a kernel should return. Of each element it has the value and
// the sum of the absolute values of the terms it consists of, which is what an
// error of rounding is measured by.
type reference struct{ want, scale []float64 }

func newReference(n int) reference { return reference{make([]float64, n), make([]float64, n)} }

// add adds a term to element i.
func (r reference) add(i int, term float64) {
	r.want[i] += term
	r.scale[i] += math.Abs(term)
}

// check compares got with r.
func (r reference) check(t testing.TB, name string, got []float32, rel float64) {
	t.Helper()
	compare(t, name, got, r.want, r.scale, rel)
}

// compare fails the test unless each element of got is within rel * scale of that
// of want; scale nil is the absolute value of want itself. Results too small for a
// normal float32 may as well be 0. NaN and infinities must be where want has them.
func compare(t testing.TB, name string, got []float32, want, scale []float64, rel float64) {
	t.Helper()
	if d := difference(got, want, scale, rel); d != "" {
		t.Errorf("%s: %s", name, d)
	}
}

const smallestNormal = 0x1p-126

func difference(got []float32, want, scale []float64, rel float64) string {
	if len(got) != len(want) || scale != nil && len(scale) != len(want) {
		return fmt.Sprintf("%d elements, want %d of %d scales", len(got), len(want), len(scale))
	}
	const shown = 5
	var b strings.Builder
	count, worst, worstExcess := 0, -1, 0.0
	line := func(i int, excess float64) string {
		return fmt.Sprintf("\n  [%d] is %v, want %v: off by %.3g tolerances", i, got[i], float32(want[i]), excess)
	}
	for i, w := range want {
		g := float64(got[i])
		magnitude := math.Abs(w)
		if scale != nil {
			magnitude = scale[i]
		}
		excess := math.Abs(g-w) / (rel*magnitude + smallestNormal)
		if g == w || math.IsNaN(g) && math.IsNaN(w) {
			excess = 0
		} else if math.IsNaN(excess) || math.IsInf(g, 0) || math.IsInf(w, 0) {
			excess = math.Inf(1)
		}
		if excess <= 1 {
			continue
		}
		count++
		if count <= shown {
			b.WriteString(line(i, excess))
		}
		if excess > worstExcess {
			worst, worstExcess = i, excess
		}
	}
	if count == 0 {
		return ""
	}
	if count > shown {
		b.WriteString("\n  and worst of all" + line(worst, worstExcess)[2:])
	}
	return fmt.Sprintf("%d of %d elements are wrong%s", count, len(want), &b)
}

// sameBits fails the test unless got and want are bit for bit the same.
func sameBits(t testing.TB, name string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d elements, want %d", name, len(got), len(want))
		return
	}
	for i := range got {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
			t.Errorf("%s: [%d] is %v (%08x), want the bits of %v (%08x)", name, i,
				got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
			return
		}
	}
}

// sameInOneBatch fails the test unless the calls of a program return bit for bit
// the same from one batch as from a batch each. Whatever order or overlap a device
// gives to the calls of a batch, it must not show. program makes the same memory
// and the same calls every time.
func sameInOneBatch(t *testing.T, dev *runtime.Device, program func(*memories) []func(*runtime.Batch)) {
	t.Helper()
	results := func(run func(calls []func(*runtime.Batch))) [][]byte {
		m := &memories{t: t, dev: dev}
		run(program(m))
		return m.contents()
	}
	oneByOne := results(func(calls []func(*runtime.Batch)) {
		for _, call := range calls {
			execute(t, dev, call)
		}
	})
	together := dev.NewBatch()
	for round := range 3 { // the batch is used again, and races may have luck
		got := results(func(calls []func(*runtime.Batch)) {
			for _, call := range calls {
				call(together)
			}
			mustRun(t, dev, together)
		})
		for i := range got {
			if !bytes.Equal(got[i], oneByOne[i]) {
				t.Errorf("round %d: memory %d is different", round, i)
			}
		}
	}
}

// memories is the memory that a program makes.
type memories struct {
	t    testing.TB
	dev  *runtime.Device
	made []runtime.Buffer[byte]
}

// with makes a buffer of s. All of it is among the results of the program.
func with[T any](m *memories, s []T) runtime.Buffer[T] {
	m.t.Helper()
	b := upload(m.t, m.dev, s)
	m.made = append(m.made, runtime.Cast[byte](b))
	return b
}

func (m *memories) contents() [][]byte {
	c := make([][]byte, len(m.made))
	for i, b := range m.made {
		c[i] = slices.Clone(b.Data())
	}
	return c
}

func TestCallsOfOneBatchReturnWhatTheyReturnOneByOne(t *testing.T) {
	dev := openDevice(t)
	const dim, heads = 128, 4

	// matvec is one of several kernels that multiply a matrix of its own by x.
	matvec := func(m *memories, seed int, x, out runtime.Buffer[float32]) func(*runtime.Batch) {
		w := newQuantized(uint64(seed), 4, out.Len(), x.Len(), 64)
		a := gen.DequantMatvec4bitArgs{
			WPacked: with(m, w.words), Scales: with(m, w.scales), Biases: with(m, w.biases), X: x, Out: out,
			OutDim: uint32(out.Len()), InDim: uint32(x.Len()), GroupSize: 64,
		}
		k := matvec4bitKernels[seed%len(matvec4bitKernels)]
		return func(b *runtime.Batch) { k.call(b, a) }
	}
	add := func(x, y, out runtime.Buffer[float32]) func(*runtime.Batch) {
		return func(b *runtime.Batch) {
			gen.ResidualAdd(b, gen.ResidualAddArgs{A: x, B: y, Out: out, Dim: uint32(out.Len())})
		}
	}
	rope := func(m *memories, x runtime.Buffer[float32], position int) func(*runtime.Batch) {
		a := gen.YarnRopeApplyArgs{
			X: x, InvFreq: with(m, inverseFrequencies(x.Len()/heads)),
			NumHeads: heads, RotaryDim: uint32(x.Len() / heads), PosF: float32(position), Mscale: 1,
		}
		return func(b *runtime.Batch) { gen.YarnRopeApply(b, a) }
	}
	vector := func(m *memories, seed uint64) runtime.Buffer[float32] { return with(m, uniform(seed, dim, -1, 1)) }
	empty := func(m *memories, n int) runtime.Buffer[float32] { return with(m, make([]float32, n)) }

	for _, c := range []struct {
		name    string
		program func(*memories) []func(*runtime.Batch)
	}{
		{"calls that have nothing to do with each other", func(m *memories) (calls []func(*runtime.Batch)) {
			for i := range 10 {
				calls = append(calls, matvec(m, i, vector(m, uint64(i)), empty(m, 40)), rope(m, vector(m, uint64(i)), i))
			}
			return calls
		}},
		{"calls that read what another reads", func(m *memories) (calls []func(*runtime.Batch)) {
			x := vector(m, 1)
			for i := range 10 {
				calls = append(calls, matvec(m, i, x, empty(m, 40)), add(x, x, empty(m, dim)))
			}
			return calls
		}},
		{"calls that read what the one before wrote", func(m *memories) (calls []func(*runtime.Batch)) {
			x := vector(m, 1)
			for i := range 10 {
				y := empty(m, dim)
				calls = append(calls, matvec(m, i, x, y), rope(m, y, i))
				x = y
			}
			return calls
		}},
		{"calls that overwrite what was read", func(m *memories) (calls []func(*runtime.Batch)) {
			x, y := vector(m, 1), vector(m, 2)
			for i := range 10 {
				calls = append(calls, matvec(m, i, x, y), add(y, y, x))
			}
			return calls
		}},
		{"calls that overwrite what was written", func(m *memories) (calls []func(*runtime.Batch)) {
			y := empty(m, dim)
			for i := range 10 {
				calls = append(calls, matvec(m, i, vector(m, uint64(i)), y))
			}
			return append(calls, add(y, vector(m, 99), y))
		}},
		{"a sum in place, time and again", func(m *memories) (calls []func(*runtime.Batch)) {
			sum := vector(m, 1)
			for i := range 20 {
				calls = append(calls, add(sum, vector(m, uint64(i)), sum), rope(m, sum, i))
			}
			return calls
		}},
		{"slices of one buffer", func(m *memories) (calls []func(*runtime.Batch)) {
			all := with(m, uniform(1, 4*dim, -1, 1))
			for i := range 10 {
				from := i * 37 % (3 * dim)
				part := all.Slice(from, from+dim) // overlaps others
				calls = append(calls, rope(m, part, i), matvec(m, i, all.Slice(0, 2*dim), all.Slice(2*dim+8*i, 4*dim)))
			}
			return calls
		}},
		{"casts of one buffer", func(m *memories) []func(*runtime.Batch) {
			x := vector(m, 1)
			// What a matvec returns is what another takes for bfloat16 weights.
			bits := empty(m, dim)
			return []func(*runtime.Batch){
				matvec(m, 2, x, bits),
				func(b *runtime.Batch) {
					gen.Bf16Matvec(b, gen.Bf16MatvecArgs{
						W: runtime.Cast[uint16](bits.Slice(0, 1)), Input: x.Slice(0, 1), Output: x.Slice(7, 9), InDim: 1, OutDim: 2,
					})
				},
				matvec(m, 3, x, bits),
			}
		}},
		{"a layer", func(m *memories) (calls []func(*runtime.Batch)) {
			const tokens, hidden = 4, 64
			table := newQuantized(5, 4, 11, dim, 64)
			stream := empty(m, tokens*dim)
			ids := with(m, repeatedIDs(11, tokens))
			embed := gen.EmbedGather4bitArgs{
				WPacked: with(m, table.words), Scales: with(m, table.scales), Biases: with(m, table.biases),
				TokenIds: ids, Out: stream, NTokens: tokens, HiddenDim: dim, GroupSize: 64,
			}
			calls = append(calls, func(b *runtime.Batch) { gen.EmbedGather4bit(b, embed) })
			latents, keys := empty(m, tokens*hidden), empty(m, tokens*16)
			q, gated, out := empty(m, heads*(hidden+16)), empty(m, 128), empty(m, dim)
			gate, up := newQuantized(6, 4, 128, dim, 64), newQuantized(7, 4, 128, dim, 64)
			swiglu := gen.FusedGateUpSwigluArgs{
				GateW: with(m, gate.words), GateS: with(m, gate.scales), GateB: with(m, gate.biases),
				UpW: with(m, up.words), UpS: with(m, up.scales), UpB: with(m, up.biases),
				OutDim: 128, InDim: dim, GroupSize: 64, Out: gated,
			}
			for token := range tokens {
				x := stream.Slice(token*dim, (token+1)*dim)
				latent, key := latents.Slice(token*hidden, (token+1)*hidden), keys.Slice(token*16, (token+1)*16)
				attended := empty(m, heads*hidden)
				attention := gen.MlaSdpaFoldedArgs{
					QPrime: q.Slice(0, heads*hidden), QPe: q.Slice(heads*hidden, heads*(hidden+16)),
					LatentCache: latents, RopeKCache: keys, VCombine: attended,
					NumHeads: heads, KvLoraRank: hidden, QkRopeHeadDim: 16, CacheLen: uint32(token + 1), SoftmaxScale: 0.1,
				}
				feedForward := swiglu
				feedForward.X = x
				calls = append(calls,
					matvec(m, 10*token, x, q),
					rope(m, q.Slice(heads*hidden, heads*(hidden+16)), token),
					matvec(m, 10*token+1, x, latent),
					matvec(m, 10*token+2, x, key),
					func(b *runtime.Batch) { gen.MlaSdpaFolded(b, attention) },
					matvec(m, 10*token+3, attended, out),
					add(x, out, x),
					func(b *runtime.Batch) { gen.FusedGateUpSwiglu(b, feedForward) },
					matvec(m, 10*token+4, gated, out),
					add(x, out, x),
				)
			}
			return calls
		}},
	} {
		t.Run(c.name, func(t *testing.T) { sameInOneBatch(t, dev, c.program) })
	}
}

func TestDifferenceFindsWhatIsOutOfTolerance(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		name        string
		got         float32
		want, scale float64
		wrong       bool
	}{
		{"the same", 1, 1, 1, false},
		{"within tolerance", 1.0005, 1, 1, false},
		{"out of tolerance", 1.0015, 1, 1, true},
		{"within the tolerance of larger terms", 1.05, 1, 100, false},
		{"out of the tolerance of smaller terms", 1.05, 1, 1, true},
		{"too small for a normal float", 0, 1e-39, 0, false},
		{"zero instead of a normal float", 0, 1e-37, 1e-37, true},
		{"NaN", float32(nan), 1, 1, true},
		{"NaN that is wanted", float32(nan), nan, 1, false},
		{"no NaN", 1, nan, 1, true},
		{"infinity", float32(inf), 1, 1, true},
		{"infinity that is wanted", float32(inf), inf, inf, false},
		{"the other infinity", float32(-inf), inf, inf, true},
		{"no infinity", 1, inf, inf, true},
		{"scale that is no number", 2, 1, nan, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := difference([]float32{1, c.got}, []float64{1, c.want}, []float64{1, c.scale}, 1e-3)
			if (d != "") != c.wrong {
				t.Errorf("difference: %q", d)
			}
		})
	}
	if d := difference([]float32{1, 2}, []float64{1}, nil, 1); d == "" {
		t.Error("no difference between 2 elements and 1")
	}
}
