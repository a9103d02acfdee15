//go:build !linux || !(amd64 || arm64)

package fakecuda

import (
	goruntime "runtime"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

// Open skips the test: here, there is no fake.
func Open(t testing.TB, _ Options) *runtime.Device {
	t.Helper()
	t.Skipf("the fake of CUDA works on Linux (amd64 and arm64), not on %s/%s", goruntime.GOOS, goruntime.GOARCH)
	return nil
}
