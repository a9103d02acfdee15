package runtimetest

import (
	"slices"
	"sync"

	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// New returns a device that records, and its recording.
func New(options ...Option) (*runtime.Device, *Recording) {
	r := &Recording{finished: make(chan struct{})}
	for _, o := range options {
		o(r)
	}
	return driver.NewDevice(&device{rec: r}).(*runtime.Device), r
}

// Option changes how a device behaves.
type Option func(*Recording)

// FailSubmit makes the Submit of every batch that is not empty fail with err.
func FailSubmit(err error) Option { return func(r *Recording) { r.submitErr = err } }

// FailRecord makes every call fail with err, like a call of a kernel that does not compile.
func FailRecord(err error) Option { return func(r *Recording) { r.recordErr = err } }

// HoldJobs keeps submitted batches running until [Recording.Finish] or the device's Close. Waiting for one ends with
// its context.
func HoldJobs() Option { return func(r *Recording) { r.hold = true } }

// NoLog records no dispatches, for benchmarks: recording allocates, and the rest of the device does not.
func NoLog() Option { return func(r *Recording) { r.noLog = true } }

// Recording has what a device was asked to do. It may be used at the same time as the device.
type Recording struct {
	submitErr, recordErr error
	hold, noLog          bool

	mu         sync.Mutex
	dispatches []Dispatch
	prepared   []string
	made, live int // allocations

	finish   sync.Once
	finished chan struct{}
	jobErr   error // set before finished is closed
}

// Dispatches returns the dispatches of all batches submitted so far, in order.
func (r *Recording) Dispatches() []Dispatch {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.dispatches)
}

// Prepared returns the names of the kernels that were preloaded, in any order.
func (r *Recording) Prepared() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.prepared)
}

// Clear forgets the dispatches recorded so far.
func (r *Recording) Clear() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dispatches = nil
}

// Live returns the number of allocations that the device has made and not yet released.
func (r *Recording) Live() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live
}

// Finish ends all batches that [HoldJobs] keeps running, and later ones, with err. Only the first Finish counts.
func (r *Recording) Finish(err error) {
	r.finish.Do(func() {
		r.jobErr = err
		close(r.finished)
	})
}
