package main

import (
	"errors"
	"slices"
	"testing"

	mtl "github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/runtimetest/fakemetal"
)

// onEachDevice runs a test on the CPU device, and through the Metal driver on a fake of Metal. Neither needs a Mac.
func onEachDevice(t *testing.T, test func(t *testing.T, dev *mtl.Device)) {
	t.Run("cpu", func(t *testing.T) {
		dev, err := mtl.OpenWith(mtl.Options{Device: "cpu"})
		if err != nil {
			t.Fatal(err)
		}
		defer dev.Close()
		test(t, dev)
	})
	t.Run("fake Metal", func(t *testing.T) {
		dev, _ := fakemetal.Open(t, fakemetal.Options{})
		test(t, dev)
	})
}

func TestSaxpyAddsATimesX(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		for _, n := range []int{0, 1, 255, 256, 257, 10_000} { // threadgroups have 256 threads
			x, y, want := make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range n {
				x[i], y[i] = float32(i), float32(3*i%100)
				want[i] = -2*x[i] + y[i] // whole numbers, so nothing is rounded
			}
			got, err := saxpy(t.Context(), dev, -2, x, y)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("of %d elements: got %v, want %v", n, got, want)
			}
		}
	})
}

func TestAVectorThatIsTooShortIsAnError(t *testing.T) {
	onEachDevice(t, func(t *testing.T, dev *mtl.Device) {
		_, err := saxpy(t.Context(), dev, 2, make([]float32, 3), make([]float32, 4))
		if !errors.Is(err, mtl.ErrTooShort) {
			t.Fatalf("the error is %v", err)
		}
		t.Log(err)
	})
}
