//go:build !linux || !(amd64 || arm64)

package fakemetal

import (
	"runtime"
	"testing"

	metalgen "github.com/metalgen/metalgen/runtime"
)

// Open skips the test: here, there is no fake.
func Open(t testing.TB, o Options) (*metalgen.Device, *Log) {
	t.Helper()
	t.Skipf("the fake of Metal works on Linux (amd64 and arm64), not on %s/%s", runtime.GOOS, runtime.GOARCH)
	return nil, nil
}

// Messages returns nothing: there is no log without a device.
func (l *Log) Messages() []Message { return nil }

// Counts returns nothing.
func (l *Log) Counts() Counts { return Counts{} }

// Clear does nothing.
func (l *Log) Clear() {}

// Order returns nothing.
func (l *Log) Order() []string { return nil }
