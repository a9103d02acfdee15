//go:build !linux || !(amd64 || arm64)

package cpu

import (
	goruntime "runtime"
	"testing"
)

// fakeCUDA skips the test: here, there is no fake.
func fakeCUDA(t testing.TB) string {
	t.Skipf("the fake of CUDA works on Linux (amd64 and arm64), not on %s/%s", goruntime.GOOS, goruntime.GOARCH)
	return ""
}
