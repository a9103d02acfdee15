package metal

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// attempt makes something once, as sync.Once does, for things that can fail. What
// the compiler says of a source will not change. Other failures may pass, such as
// a compiler process that was killed: the next use tries again.
type attempt struct {
	settled atomic.Bool
	mu      sync.Mutex
	err     error
}

// do calls make, unless it was settled, and returns its error.
func (a *attempt) do(make func() error) error {
	if a.settled.Load() {
		return a.err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.settled.Load() {
		return a.err
	}
	err := make()
	if isFinal(err) {
		a.err = err
		a.settled.Store(true)
	}
	return err
}

func isFinal(err error) bool {
	var compile *driver.CompileError
	var drift *driver.DriftError
	var width *driver.SimdWidthError
	return err == nil || errors.As(err, &compile) || errors.As(err, &drift) || errors.As(err, &width)
}
