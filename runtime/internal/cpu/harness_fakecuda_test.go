//go:build linux && (amd64 || arm64)

package cpu

import (
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
)

// lasting is a test that something outlives.
type lasting struct{ testing.TB }

func (lasting) Cleanup(func()) {}

// fakeCUDA starts the fake of NVIDIA's driver and returns the path of its library.
func fakeCUDA(t testing.TB) string { return cudatest.Start(lasting{t}, cudatest.Options{}) }
