package main

import (
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// onEachDevice runs a test on the CPU device, and through the Metal driver on a fake of Metal. Neither needs a Mac.
func onEachDevice(t *testing.T, test func(t *testing.T, dev *mtl.Device)) {
	t.Run("cpu", func(t *testing.T) { test(t, openCPU(t, mtl.Options{})) })
	t.Run("fake Metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{})
		test(t, dev)
	})
}

func openCPU(t *testing.T, o mtl.Options) *mtl.Device {
	t.Helper()
	o.Device = "cpu"
	dev, err := mtl.OpenWith(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// small is a network whose layers fill no tile of matmul, with points to learn.
func small(t *testing.T, dev *mtl.Device) (*trainer, dataset) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	s := shape{in: 2, hidden: 19, out: arms}
	weights := s.random(r)
	for i := range weights { // biases, too
		weights[i] += float32(0.1 * r.NormFloat64())
	}
	d := spirals(r, 7)
	trainer, err := newTrainer(dev, s, weights, d)
	if err != nil {
		t.Fatal(err)
	}
	return trainer, d
}

// loss is the definition of what is learnt, in float64: the mean cross-entropy.
func (s shape) loss(p []float64, d dataset) float64 {
	w1, p := p[:s.in*s.hidden], p[s.in*s.hidden:]
	b1, p := p[:s.hidden], p[s.hidden:]
	w2, b2 := p[:s.hidden*s.out], p[s.hidden*s.out:]
	sum := 0.0
	for row, label := range d.labels {
		logits := slices.Clone(b2)
		for h := range s.hidden {
			z := b1[h]
			for i := range s.in {
				z += float64(d.points[row*s.in+i]) * w1[i*s.hidden+h]
			}
			for c := range s.out {
				logits[c] += math.Tanh(z) * w2[h*s.out+c]
			}
		}
		total := 0.0
		for _, l := range logits {
			total += math.Exp(l)
		}
		sum += math.Log(total) - logits[label]
	}
	return sum / float64(len(d.labels))
}

// slopes are the gradients of the loss, by central differences. Their error is of the order of 1e-10.
func (s shape) slopes(p []float64, d dataset) []float64 {
	const h = 1e-5
	gradients := make([]float64, len(p))
	for i, at := range p {
		p[i] = at + h
		above := s.loss(p, d)
		p[i] = at - h
		below := s.loss(p, d)
		p[i] = at
		gradients[i] = (above - below) / (2 * h)
	}
	return gradients
}

func float64s(s []float32) []float64 {
	wide := make([]float64, len(s))
	for i, f := range s {
		wide[i] = float64(f)
	}
	return wide
}

func near(t *testing.T, what string, got []float32, want []float64, tolerance float64) {
	t.Helper()
	for i := range want {
		if d := math.Abs(float64(got[i]) - want[i]); !(d <= tolerance) {
			t.Errorf("%s %d is %v, want %v", what, i, got[i], want[i])
		}
	}
}

func TestGradientsAreTheSlopesOfTheLoss(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		trainer, d := small(t, dev)
		p := float64s(trainer.weights.all.Data())
		want := trainer.slopes(p, d)
		losses, err := trainer.learn(t.Context(), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		// Sums of a few dozen numbers of the order of 1, each rounded to 24 bits.
		near(t, "loss", losses, []float64{trainer.loss(p, d)}, 1e-6)
		near(t, "gradient", trainer.gradients.all.Data(), want, 1e-6)
	})
}

func TestStepsAreThoseOfAdam(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		const steps, rate = 5, 0.01
		trainer, d := small(t, dev)
		p := float64s(trainer.weights.all.Data())
		means, squares := make([]float64, len(p)), make([]float64, len(p))
		var losses []float64
		for step := range steps {
			losses = append(losses, trainer.loss(p, d))
			for i, g := range trainer.slopes(p, d) {
				means[i] = 0.9*means[i] + 0.1*g
				squares[i] = 0.999*squares[i] + 0.001*g*g
				mean := means[i] / (1 - math.Pow(0.9, float64(step+1)))
				square := squares[i] / (1 - math.Pow(0.999, float64(step+1)))
				p[i] -= rate * mean / (math.Sqrt(square) + 1e-8)
			}
		}
		got, err := trainer.learn(t.Context(), steps, rate)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "loss", got, losses, 1e-5)
		near(t, "weight", trainer.weights.all.Data(), p, rate/1000)
	})
}

func TestItLearnsTheArmsOfTheSpiral(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		r := rand.New(rand.NewPCG(5, 6))
		known, unknown := spirals(r, 100), spirals(r, 1000)
		s := shape{in: 2, hidden: 64, out: arms}
		trainer, err := newTrainer(dev, s, s.random(r), known)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := trainer.learn(t.Context(), 400, 0.02); err != nil {
			t.Fatal(err)
		}
		if share, err := trainer.accuracy(t.Context(), unknown); err != nil || share < 0.99 {
			t.Errorf("%v of the points are right (%v), want 0.99", share, err)
		}
	})
}

func TestKernelsHaveNoRaces(t *testing.T) {
	trainer, d := small(t, openCPU(t, mtl.Options{Sanitize: mtl.CheckAll}))
	if _, err := trainer.learn(t.Context(), 2, 0.01); err != nil {
		t.Error(err)
	}
	if _, err := trainer.accuracy(t.Context(), d); err != nil {
		t.Error(err)
	}
}

func TestRunDrawsAPicture(t *testing.T) {
	t.Setenv("METALGEN_DEVICE", "cpu") // on a Mac, too: not each has a GPU with simd-groups
	name := filepath.Join(t.TempDir(), "out.png")
	if err := run(io.Discard, []string{"-steps", "2", "-hidden", "3", "-o", name}); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if config, err := png.DecodeConfig(f); err != nil || config.Width <= config.Height {
		t.Errorf("wrote %+v, %v", config, err)
	}
	for _, args := range [][]string{
		{"-steps", "0"}, {"-hidden", "-1"}, {"-hidden", "4097"}, {"out.png"}, {"-rate", "1e39"},
	} {
		if err := run(io.Discard, args); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
}
