package main

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/metalgen/metalgen/examples/llm/model"
	"github.com/metalgen/metalgen/examples/llm/reference"
	"github.com/metalgen/metalgen/examples/llm/vocabulary"
	"github.com/metalgen/metalgen/examples/llm/weights"
	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// small is a model whose rows fill no threadgroup evenly, and with more positions than attention takes at a time.
var small = model.Config{
	Vocabulary: 301, Dim: 96, FFN: 160, Layers: 2, Heads: 6, KVHeads: 2, Context: 45, Base: 500, Epsilon: 1e-5,
}

// onEachDevice runs a test on the CPU device, on one that finds races, and through the Metal driver on a fake of Metal.
func onEachDevice(t *testing.T, test func(t *testing.T, dev *mtl.Device)) {
	for name, checks := range map[string]mtl.Checks{"cpu": 0, "sanitizer": mtl.CheckAll} {
		t.Run(name, func(t *testing.T) { test(t, openCPU(t, checks)) })
	}
	t.Run("fake Metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{})
		test(t, dev)
	})
}

func openCPU(t testing.TB, checks mtl.Checks) *mtl.Device {
	t.Helper()
	dev, err := mtl.OpenWith(mtl.Options{
		Device: "cpu", Sanitize: checks, Log: slog.New(slog.DiscardHandler), // a token writes one row of a cache
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// randomFile writes a file of random weights, and opens it.
func randomFile(t *testing.T, c model.Config, format weights.Format, write writer) *weights.File {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 1))
	var tensors []weights.Named
	for _, info := range c.Tensors() {
		name, shape := info.File()
		n := weights.Named{Name: name, Format: format, Shape: shape}
		x := make([]float32, info.Size())
		for i := range x {
			x[i] = float32(2 * r.NormFloat64() / math.Sqrt(float64(info.Cols)))
			if info.Norm() {
				n.Format, x[i] = weights.F32, 0.5+r.Float32()
			}
		}
		var err error
		if n.Data, err = n.Format.Encode(x); err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, n)
	}
	var file bytes.Buffer
	if err := write(&file, c.Meta(), tensors); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "weights")
	if err := os.WriteFile(name, file.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return openFile(t, name)
}

type writer = func(io.Writer, map[string]string, []weights.Named) error

func openFile(t testing.TB, name string) *weights.File {
	t.Helper()
	f, err := weights.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func open(t testing.TB, dev *mtl.Device, f *weights.File) *engine {
	t.Helper()
	e, err := newEngine(dev, f)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// referenceOf returns the model of a file in float64.
func referenceOf(t *testing.T, f *weights.File) *reference.Model {
	t.Helper()
	c, err := model.FromMeta(f.Meta)
	if err != nil {
		t.Fatal(err)
	}
	m := &reference.Model{Config: c, Weights: make(map[string][]float64)}
	for _, info := range c.Tensors() {
		name, _ := info.File()
		for _, w := range f.Values(f.Tensors[name]) {
			m.Weights[info.Name] = append(m.Weights[info.Name], float64(w))
		}
	}
	return m
}

// tolerance is how far a logit may be from its reference, as a share of the root mean square of all. Float32 rounds by
// up to 6e-8, an angle of RoPE by 45 times as much at position 45, and what follows adds up hundreds of such terms.
const tolerance = 3e-5

// compare computes tokens one by one, and compares all logits with the reference.
func compare(t *testing.T, e *engine, m *reference.Model, tokens []int) {
	t.Helper()
	largest, squares, n := 0.0, 0.0, 0
	for p, want := range m.Logits(tokens) {
		got, err := e.next(t.Context(), tokens[p], p)
		if err != nil {
			t.Fatal(err)
		}
		for i := range want {
			largest = max(largest, math.Abs(float64(got[i])-want[i])) // and NaN, if there is one
			squares += want[i] * want[i]
			n++
		}
	}
	if share := largest / math.Sqrt(squares/float64(n)); !(share <= tolerance) {
		t.Errorf("the largest difference is %.1e, want %.1e at most", share, tolerance)
	} else {
		t.Logf("the largest difference is %.1e", share)
	}
}

func TestLogitsAreThoseOfTheReference(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	tokens := make([]int, small.Context)
	for i := range tokens {
		tokens[i] = r.IntN(small.Vocabulary)
	}
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		for name, c := range map[string]struct {
			format weights.Format
			write  writer
		}{
			"safetensors of F32": {weights.F32, weights.WriteSafetensors},
			"safetensors of F16": {weights.F16, weights.WriteSafetensors},
			"GGUF of F32":        {weights.F32, weights.WriteGGUF},
			"GGUF of F16":        {weights.F16, weights.WriteGGUF},
			"GGUF of Q8_0":       {weights.Q8_0, weights.WriteGGUF},
			"GGUF of Q4_0":       {weights.Q4_0, weights.WriteGGUF},
		} {
			t.Run(name, func(t *testing.T) {
				f := randomFile(t, small, c.format, c.write)
				compare(t, open(t, dev, f), referenceOf(t, f), tokens)
			})
		}
	})
}

func TestTheTrainedModelKnowsItsText(t *testing.T) {
	const text = "\nA kernel is compiled at its first call, which takes milliseconds on a GPU."
	f := openFile(t, "llm.safetensors")
	if n := len(f.Data); n > 1e6 {
		t.Errorf("the file has %d bytes, want a million at most", n)
	}
	words, err := vocabulary.Parse(f.Meta[model.Merges])
	if err != nil {
		t.Fatal(err)
	}
	tokens, m := words.Encode(text), referenceOf(t, f)
	if loss := m.Loss([][]int{tokens}); loss > 3 { // one of all tokens at random has 6.2
		t.Errorf("the loss is %.2f a token", loss)
	}
	compare(t, open(t, openCPU(t, 0), f), m, tokens)
}

func TestWeightsAreUsedWhereTheFileIsMapped(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		f := openFile(t, "llm.safetensors")
		e := open(t, dev, f)
		for _, info := range e.Tensors() {
			name, _ := info.File()
			data := e.tensors[info.Name].bytes.Data()
			if unsafe.SliceData(data) != &f.Data[f.Tensors[name].Begin] || len(data) != len(f.Bytes(f.Tensors[name])) {
				t.Errorf("%s is at another place", name)
			}
		}
	})
}

func TestCallsWaitOnlyForWhatTheyNeed(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{})
	e := open(t, dev, openFile(t, "llm.safetensors"))
	if _, err := e.next(t.Context(), 1, 0); err != nil {
		t.Fatal(err)
	}
	if n := log.Counts(); n.CommandBuffers != 1 || n.Dispatches != 45 || n.Needless != 0 {
		t.Errorf("%+v, want one command buffer of 45 calls, without a barrier that nothing needs", n)
	}
}

func TestFilesThatAreNoModelAreErrors(t *testing.T) {
	dev := openCPU(t, 0)
	for want, change := range map[string]func(*weights.File){
		`the architecture is "", want "llama"`:   func(f *weights.File) { f.Meta = nil },
		`llama.block_count is "x"`:               func(f *weights.File) { f.Meta["llama.block_count"] = "x" },
		"96 numbers cannot be those of 5 heads":  func(f *weights.File) { f.Meta["llama.attention.head_count"] = "5" },
		`want a tensor "blk.2.attn_norm.weight"`: func(f *weights.File) { f.Meta["llama.block_count"] = "3" },
		`want a tensor "output_norm.weight"`:     func(f *weights.File) { delete(f.Tensors, "output_norm.weight") },
	} {
		f := randomFile(t, small, weights.F16, weights.WriteGGUF)
		change(f)
		if _, err := newEngine(dev, f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	e := open(t, dev, randomFile(t, small, weights.F16, weights.WriteGGUF))
	for _, at := range [][2]int{{-1, 0}, {small.Vocabulary, 0}, {0, small.Context}, {0, -1}} {
		if _, err := e.next(t.Context(), at[0], at[1]); err == nil {
			t.Errorf("no error for token %d at position %d", at[0], at[1])
		}
	}
}

func TestChoiceFollowsTheLogits(t *testing.T) {
	logits := []float32{0, float32(math.Log(3)), float32(math.Log(6)), -100}
	choose := func(s sampler) [4]float64 {
		s.random = rand.New(rand.NewPCG(1, 1))
		var shares [4]float64
		for range 10000 {
			shares[s.choose(logits)] += 1.0 / 10000
		}
		return shares
	}
	for _, c := range []struct {
		sampler sampler
		want    [4]float64
	}{
		{sampler{temperature: 0}, [4]float64{2: 1}},
		{sampler{temperature: 1}, [4]float64{0.1, 0.3, 0.6, 0}},
		{sampler{temperature: 1, top: 2}, [4]float64{0, 1. / 3, 2. / 3, 0}},
		{sampler{temperature: 1, top: 9}, [4]float64{0.1, 0.3, 0.6, 0}},
		{sampler{temperature: 0.5}, [4]float64{1. / 46, 9. / 46, 36. / 46, 0}},
	} {
		got := choose(c.sampler)
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 0.02 {
				t.Errorf("temperature %v, top %d: %.3f, want %.3f", c.sampler.temperature, c.sampler.top, got, c.want)
				break
			}
		}
	}
}

func TestRunWritesTextAndFiles(t *testing.T) {
	t.Setenv("METALGEN_DEVICE", "cpu") // on a Mac, too: not each has a GPU with simd-groups
	written := func(args ...string) string {
		var out strings.Builder
		if err := run(&out, append(args, "-n", "20", "A kernel")); err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(out.String(), "\n\n")
		return text
	}
	name := filepath.Join(t.TempDir(), "f32.gguf")
	if err := run(io.Discard, []string{"-as", "f32", "-o", name}); err != nil {
		t.Fatal(err)
	}
	first, same, other := written(), written("-weights", name), written("-seed", "2")
	if first != same || first == other || !strings.HasPrefix(first, "A kernel") || len(first) < 30 {
		t.Errorf("got %q, from the other file %q, with another seed %q", first, same, other)
	}
	for _, args := range [][]string{
		{"-n", "-1"}, {"-temperature", "-1"}, {"-top", "-1"}, {"a", "b"}, {"-weights", "none"}, {"-as", "q5_0"},
		{strings.Repeat("a kernel ", 1000)},
	} {
		if err := run(io.Discard, args); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	dev, err := mtl.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer dev.Close()
	f := openFile(b, "llm.safetensors")
	for _, format := range []weights.Format{weights.F16, weights.Q8_0, weights.Q4_0} {
		b.Run(fmt.Sprint(format), func(b *testing.B) {
			name := filepath.Join(b.TempDir(), "weights.gguf")
			if err := convert(f, format.String(), name); err != nil {
				b.Fatal(err)
			}
			e := open(b, dev, openFile(b, name))
			position := 0
			b.ReportAllocs()
			for b.Loop() {
				if _, err := e.next(b.Context(), position, position%e.Context); err != nil {
					b.Fatal(err)
				}
				position = (position + 1) % e.Context
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}
