package cpu

import (
	"errors"
	"runtime"
	"sync"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
)

// runner has workers run the threadgroups of a dispatch: the goroutine that calls run, and helpers of the crew.
type runner struct {
	dispatch *recorded
	shares   shares
	shift    shift
	help     func() // what helpers do, made once: to run again allocates nothing

	mu    sync.Mutex
	err   error
	first int64 // the threadgroup of err
}

// run runs all threadgroups of d.
func (r *runner) run(d *recorded, total int64) error {
	r.dispatch, r.err = d, nil
	if r.help == nil {
		r.help = func() {
			if worker, ok := r.shift.join(); ok {
				defer r.shift.leave()
				r.work(worker)
			}
		}
	}
	workers := min(int64(runtime.GOMAXPROCS(0)), total, int64(maxFrames/d.Frames()))
	r.shares.divide(total, workers)
	if d.proves != nil {
		d.proves.shadows = make([]workerShadow, workers)
	}
	if workers == 1 {
		r.work(0)
		return r.err
	}
	r.shift.begin(workers - 1)
	for range workers - 1 {
		d.kernel.device.helpers.do(r.help)
	}
	r.work(0)
	r.shift.end()
	for r.shares.left() { // before the threadgroup that failed, where no helper came
		r.work(0)
	}
	return r.err
}

// work runs threadgroups until there are no more.
func (r *runner) work(worker int64) {
	d := r.dispatch
	pool := d.kernel.pool(d.Code)
	g := pool.take()
	defer pool.release(g)
	if err := g.Prepare(&d.Dispatch); err != nil {
		r.fail(0, err)
		return
	}
	if d.proves != nil {
		d.proves.shadowOf(worker, g)
		defer d.proves.summarize(worker)
	}
	for {
		s := r.shares.take(worker)
		if s.size() == 0 {
			return
		}
		position := d.GroupAt(s.from)
		for i := s.from; i < s.to; {
			if d.Stop.Load() {
				r.fail(i, d.StoppedBefore(position))
				return
			}
			n, err := g.Run(&position, s.to-i)
			i += n
			if err != nil {
				r.fail(i-1, err)
				return
			}
			d.Next(&position)
		}
	}
}

// fail keeps the error of the first threadgroup that made one, which is the same one in every run where the kernel is
// deterministic: those after it need not run any more. To be stopped is no mistake, and counts where there is none.
func (r *runner) fail(at int64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	stopped := errors.Is(err, interp.ErrStopped)
	if stopped {
		r.shares.cut(0)
	}
	wasStopped := errors.Is(r.err, interp.ErrStopped)
	if r.err == nil || wasStopped && !stopped || wasStopped == stopped && at < r.first {
		r.err, r.first = err, at
	}
	r.shares.cut(at)
}
