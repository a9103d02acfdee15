package main

import (
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/examples/llm/model"
	"github.com/metalgen/metalgen/examples/llm/reference"
	"github.com/metalgen/metalgen/examples/llm/weights"
	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// tiny is a model whose matrices have sizes that the kernels take.
var tiny = model.Config{
	Vocabulary: 64, Dim: 64, FFN: 96, Layers: 2, Heads: 4, KVHeads: 2, Context: 64, Base: 100, Epsilon: 1e-5,
}

func onEachDevice(t *testing.T, test func(t *testing.T, dev *mtl.Device)) {
	for name, checks := range map[string]mtl.Checks{"cpu": 0, "sanitizer": mtl.CheckAll} {
		t.Run(name, func(t *testing.T) { test(t, openCPU(t, checks)) })
	}
	t.Run("fake Metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{})
		test(t, dev)
	})
}

func openCPU(t *testing.T, checks mtl.Checks) *mtl.Device {
	t.Helper()
	dev, err := mtl.OpenWith(mtl.Options{
		Device: "cpu", Sanitize: checks, Log: slog.New(slog.DiscardHandler), // half of what may be seen is: the past
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// TestGradientsAreThoseOfTheLoss compares gradients with differences of the loss, which the reference computes in
// float64. It moves all weights of a tensor at once, in a direction that is random.
func TestGradientsAreThoseOfTheLoss(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	x := random(tiny, r)
	for i := range x {
		x[i] += float32(0.1 * r.NormFloat64()) // norms, too
	}
	const positions = 48
	text := make([]int, 2*positions+2)
	for i := range text {
		text[i] = r.IntN(tiny.Vocabulary)
	}
	texts := [][]int{text[:positions+1], text[positions+1:]}

	type slope struct {
		direction []float64
		want      float64
	}
	slopes := make(map[string]slope)
	m := &reference.Model{Config: tiny, Weights: make(map[string][]float64)}
	at := 0
	for _, info := range tiny.Tensors() {
		for _, w := range x[at:][:info.Size()] {
			m.Weights[info.Name] = append(m.Weights[info.Name], float64(w))
		}
		at += info.Size()
	}
	for _, info := range tiny.Tensors() {
		w := m.Weights[info.Name]
		own := slices.Clone(w)
		s := slope{direction: make([]float64, len(w))}
		loss := func(step float64) float64 {
			for i := range w {
				w[i] = own[i] + step*s.direction[i]
			}
			return m.Loss(texts)
		}
		for i := range s.direction {
			s.direction[i] = r.NormFloat64()
		}
		const step = 1e-4
		s.want = (loss(step) - loss(-step)) / (2 * step)
		copy(w, own)
		slopes[info.Name] = s
	}

	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		tr, err := newTrainer(dev, tiny, 2, positions, x)
		if err != nil {
			t.Fatal(err)
		}
		loss, err := tr.lossOf(func(n int) []int { return texts[n] })
		if err != nil {
			t.Fatal(err)
		}
		if want := m.Loss(texts); math.Abs(loss-want) > 1e-5*want {
			t.Errorf("the loss is %v, want %v", loss, want)
		}
		for name, s := range slopes {
			got, size := 0.0, 0.0
			for i, g := range tr.gradients.part[name].Data() {
				got += float64(g) * s.direction[i]
				size += float64(g) * float64(g)
			}
			if !(math.Abs(got-s.want) <= 1e-4*math.Sqrt(size)) {
				t.Errorf("%s: the slope is %v, want %v", name, got, s.want)
			}
		}
	})
}

func TestAStepIsOneOfAdam(t *testing.T) {
	x := random(tiny, rand.New(rand.NewPCG(1, 1)))
	tr, err := newTrainer(openCPU(t, 0), tiny, 1, 32, x)
	if err != nil {
		t.Fatal(err)
	}
	g := tr.gradients.all.Data()
	want := make([]float64, len(x))
	mean, square := make([]float64, len(x)), make([]float64, len(x))
	for i, w := range x {
		want[i] = float64(w)
	}
	b := tr.dev.NewBatch()
	for step := 1; step <= 3; step++ {
		for i := range g {
			g[i] = float32(math.Sin(float64(i * step)))
			mean[i] = 0.9*mean[i] + 0.1*float64(g[i])
			square[i] = 0.99*square[i] + 0.01*float64(g[i])*float64(g[i])
			m, s := mean[i]/(1-math.Pow(0.9, float64(step))), square[i]/(1-math.Pow(0.99, float64(step)))
			corrected := math.Sqrt(1-math.Pow(0.99, float64(step))) / (1 - math.Pow(0.9, float64(step)))
			want[i] -= 0.01 * (m/(math.Sqrt(s)+1e-8) + corrected*0.1*want[i])
		}
		tr.update(b, 0.01)
		if err := b.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for i, got := range tr.weights.all.Data() {
		if math.Abs(float64(got)-want[i]) > 1e-5 {
			t.Fatalf("weight %d is %v, want %v", i, got, want[i])
		}
	}
}

func TestProseIsWhatPeopleRead(t *testing.T) {
	got := plain(unfenced(`# A heading

Some **words** of a [page](page.md) that
may be read, and more.

` + "```\ncode that nobody reads, and a lot of it as well\n```" + `

| a table | of more than forty letters in all |

- a point of a list that has more than forty letters
- another one of more than forty letters in all

short
`))
	want := []string{
		"Some words of a page that may be read, and more.", "a point of a list that has more than forty letters",
		"another one of more than forty letters in all",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	got = plain(comments(`package x

// F returns a number that is good, and
// an error if there is none.
//
//	code of an example that is left out of the text
func F() { // what is after code is left out, however long it is
`))
	if want := []string{"F returns a number that is good, and an error if there is none."}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := comments("// Code generated by x; DO NOT EDIT.\n\n// Some text.\n"); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestRunTrainsAndSaves(t *testing.T) {
	t.Setenv("METALGEN_DEVICE", "cpu") // on a Mac, too: not each has a GPU with simd-groups
	name := filepath.Join(t.TempDir(), "weights")
	var out strings.Builder
	if err := run(&out, []string{"-text", "../../../docs", "-steps", "1", "-o", name}); err != nil {
		t.Fatal(err)
	}
	f, err := weights.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if c, err := model.FromMeta(f.Meta); err != nil || c != small || len(f.Tensors) != len(small.Tensors()) {
		t.Errorf("%+v with %d tensors, %v", c, len(f.Tensors), err)
	}
	short := t.TempDir()
	if err := os.WriteFile(filepath.Join(short, "a.md"), []byte(strings.Repeat("word ", 20)), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-steps", "0"}, {"x"}, {"-text", t.TempDir()}, {"-text", short}, {"-text", "none"}} {
		if err := run(io.Discard, args); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
}
