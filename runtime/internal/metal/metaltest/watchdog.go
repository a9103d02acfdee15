//go:build linux && (amd64 || arm64)

package metaltest

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// patience is how long a dispatch may run if the options do not say: about as long as
// macOS lets one.
const patience = 10 * time.Second

// timeoutText is how Metal says that a command buffer ran for too long.
const timeoutText = "Caused GPU Timeout Error (00000002:kIOGPUCommandBufferCallbackErrorTimeout)"

// watch begins to watch what runs.
func watch() {
	world.Lock()
	defer world.Unlock()
	world.watch, world.bite = context.WithCancel(context.Background())
}

// bite ends what runs, and what would run before the next watch, as if it had run for too
// long.
func bite() {
	world.Lock()
	defer world.Unlock()
	if world.bite != nil {
		world.bite()
	}
}

// mishap returns the code and the text of the error with which a dispatch ends.
func mishap(ctx context.Context, err error) (code uintptr, text string) {
	switch ended := ctx.Err(); {
	case ended != nil && errors.Is(err, ended):
		return ErrorTimeout, timeoutText
	case errors.Is(err, driver.ErrOutOfBounds):
		return ErrorPageFault, err.Error()
	}
	return ErrorInternal, err.Error()
}

// Close closes the device. Jobs that somebody has waited for in vain must not make it wait
// for the watchdog: where there are such, that bites at once.
func (w watched) Close() error {
	if w.givenUp.Load() > 0 {
		bite()
		defer watch()
	}
	return w.Device.Close()
}

// watchedJob knows whether the last wait for it was in vain, and counts itself among the
// jobs of its device for which that is true.
type watchedJob struct {
	driver.Job
	givenUp *atomic.Int64
	inVain  bool
}

func (w *watchedJob) Wait(ctx context.Context) (done bool, err error) {
	done, err = w.Job.Wait(ctx)
	switch {
	case !done && !w.inVain:
		w.givenUp.Add(1)
	case done && w.inVain:
		w.givenUp.Add(-1)
	}
	w.inVain = !done
	return done, err
}

func (w watchedRecorder) Submit() (driver.Job, error) {
	job, err := w.Recorder.Submit()
	if err != nil {
		return nil, err
	}
	return &watchedJob{Job: job, givenUp: w.givenUp}, nil
}
