package main

import (
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// small is a layer whose matrices fill no threadgroup evenly.
var small = config{dim: 192, ffn: 64, experts: 7, top: 3}

// computed returns tokens that a layer has computed on a device.
func computed(t *testing.T, dev *mtl.Device, l *layer, count int) *tokens {
	t.Helper()
	w, err := uploadLayer(dev, l)
	if err != nil {
		t.Fatal(err)
	}
	batch, err := newTokens(dev, l.config, randomTokens(count, l.config))
	if err != nil {
		t.Fatal(err)
	}
	b := dev.NewBatch()
	w.record(b, batch)
	if err := b.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return batch
}

func TestTheLayerIsItsReference(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		for _, count := range []int{1, 5} {
			l := newLayer(small, 1)
			if difference, err := l.compare(computed(t, dev, l, count)); err != nil {
				t.Error(err)
			} else if difference == 0 {
				t.Error("float32 rounds nothing")
			}
		}
	})
}

// onEachDevice runs a test on the CPU device, on one that finds races, and through the Metal driver on a fake of Metal.
// None of them needs a Mac.
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
	dev, err := mtl.OpenWith(mtl.Options{Device: "cpu", Sanitize: checks})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dev.Close() })
	return dev
}

// A tolerance is worth something where no mistake is small enough to pass: here one step of one weight of 4 bits.
func TestToleranceIsSmallerThanTheSmallestMistake(t *testing.T) {
	l := newLayer(small, 1)
	batch := computed(t, openCPU(t, 0), l, 1)
	chosen := int(batch.chosen.Data()[1])
	for name, word := range map[string]*uint32{
		"gate":   &l.experts.gate.words[chosen*small.ffn*small.dim/8],
		"up":     &l.experts.up.words[chosen*small.ffn*small.dim/8],
		"down":   &l.experts.down.words[chosen*small.ffn*small.dim/8],
		"shared": &l.shared.up.words[0],
	} {
		*word ^= 1
		if difference, err := l.compare(batch); err == nil {
			t.Errorf("%s: the difference is %v only", name, difference)
		}
		*word ^= 1
	}
}

func TestABatchWaitsWhereACallNeedsAnotherOnly(t *testing.T) {
	dev, log := fakemetal.Open(t, fakemetal.Options{})
	computed(t, dev, newLayer(small, 1), 4)
	// nine groups of calls, each of which needs the one before
	if n := log.Counts(); n.CommandBuffers != 1 || n.Barriers != 8 || n.Needless != 0 {
		t.Errorf("%+v, want one command buffer with 8 barriers, none of them needless", n)
	}
}

func TestQuantizedWeightsAreNear(t *testing.T) {
	const rows, cols = 3, 2 * group
	weights := normal(rand.New(rand.NewPCG(1, 1)), rows*cols, 1)
	for i := range group {
		weights[i] = 0.25 // a group of equal weights has a scale of 0
	}
	m := quantize(rows, cols, weights)
	for i, w := range weights {
		// Half a step for rounding, and what bfloat16 takes of scale and bias: 2^-9 of their values.
		g := weights[i/group*group:][:group]
		step := float64(slices.Max(g)-slices.Min(g)) / 15
		near := step/2 + (15*step+math.Abs(float64(slices.Min(g))))/512
		if got := m.at(i/cols, i%cols); math.Abs(got-float64(w)) > near {
			t.Errorf("weight %d is %v, want %v", i, got, w)
		}
	}
}

func TestRunComparesAndMeasures(t *testing.T) {
	t.Setenv("METALGEN_DEVICE", "cpu") // on a Mac, too: not each has a GPU with simd-groups
	few := []string{"-dim", "64", "-ffn", "64", "-experts", "2", "-top", "1", "-tokens", "2", "-runs", "1"}
	if err := run(io.Discard, few); err != nil {
		t.Error(err)
	}
	for _, args := range [][]string{
		{"-dim", "65"}, {"-dim", "0"}, {"-ffn", "-64"}, {"-dim", "1073741824"}, {"-top", "0"}, {"-top", "17"},
		{"-experts", "99999999"}, {"-tokens", "0"}, {"-tokens", "4097"}, {"-runs", "0"}, {"x"},
	} {
		if err := run(io.Discard, args); err == nil {
			t.Errorf("no error from %q", args)
		}
	}
}
