package cuda

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// job is a batch while it runs.
type job struct {
	driver.Ending
	stream
	done     chan struct{} // holds something once the batch has ended
	err      error
	failed   error // why it could not be sent
	runs     int   // how often what is recorded has been submitted
	progress func(done, total int)
	times    driver.Times

	start, end libcuda.Event
	fork       libcuda.Event // of branches: where they part, and where each ends
}

// Submit sends all to the stream.
func (r *recorder) Submit() (driver.Job, error) {
	if r.started {
		r.finishStream()
		return r, nil
	}
	if err := r.begin(); err != nil {
		return nil, err
	}
	r.ready, r.taken = 0, 0
	if err := r.take(); err != nil {
		return nil, err
	}
	r.runs++
	if err := r.device.ordered(r); err != nil {
		return nil, err
	}
	return r, nil
}

// begin makes the job one that has not run.
func (r *recorder) begin() error {
	if r.done == nil {
		r.done = make(chan struct{}, 1)
	}
	select {
	case <-r.done: // of the last run
	default:
	}
	r.err, r.failed, r.times = nil, nil, driver.Times{Dispatches: r.times.Dispatches[:0]}
	r.stopping, r.why, r.broken = make(chan struct{}), nil, nil
	r.Begin()
	return r.device.makeEvents(&r.start, &r.end)
}

// makeEvents makes those events that have not been made.
func (d *Device) makeEvents(events ...*libcuda.Event) error {
	for _, e := range events {
		if *e != 0 {
			continue
		}
		if err := d.try(func() (name string, result libcuda.Result) {
			*e, result = d.lib.EventCreate()
			return "cuEventCreate", result
		}); err != nil {
			return err
		}
	}
	return nil
}

// send sends the job to the stream, as a graph where it has been sent before. The context is current.
func (r *recorder) send() error {
	d := r.device
	if result := d.lib.EventRecord(r.start, d.stream); result != libcuda.Success {
		return d.lib.Error("cuEventRecord", result)
	}
	for n := 0; ; n++ {
		p, err := r.piece(n)
		if err != nil {
			return err
		}
		if p == nil {
			break
		}
		if err := r.sendPiece(p); err != nil {
			return err
		}
	}
	return d.lib.Error("cuEventRecord", d.lib.EventRecord(r.end, d.stream))
}

func (r *recorder) sendPiece(p *piece) error {
	d := r.device
	if r.exec != 0 && r.graphs != r.count { // calls were added: this is the first run of what is recorded now
		r.dropGraph()
		r.runs = 1
	}
	if r.keep && r.runs > 1 && r.exec == 0 && r.canBeGraph() {
		if err := r.capture(p); err != nil {
			return err
		}
	}
	if r.exec != 0 {
		return d.lib.Error("cuGraphLaunch", d.lib.GraphLaunch(r.exec, d.stream))
	}
	return r.sendAll(p)
}

// canBeGraph reports whether nothing has to be read or measured between the items.
func (r *recorder) canBeGraph() bool {
	between := func(i *item) bool { return i.indirect.Memory != nil || i.event.of != nil }
	return !r.device.options.Times && !slices.ContainsFunc(r.items[:r.count], between)
}

// capture makes a graph of the items.
func (r *recorder) capture(p *piece) error {
	d := r.device
	steps, used, err := r.prepareBranches(p)
	if err != nil {
		return err
	}
	if result := d.lib.StreamBeginCapture(d.branches[0]); result != libcuda.Success {
		return d.lib.Error("cuStreamBeginCapture", result)
	}
	err = r.sendBranches(p, steps, used)
	graph, result := d.lib.StreamEndCapture(d.branches[0])
	if result == libcuda.Success {
		defer d.lib.GraphDestroy(graph)
	}
	if err = cmp.Or(err, d.lib.Error("cuStreamEndCapture", result)); err != nil { // the first says why
		return err
	}
	r.exec, result = d.lib.GraphInstantiate(graph)
	r.graphs = r.count
	return d.lib.Error("cuGraphInstantiateWithFlags", result)
}

// sendAll sends one item after the other, between records that are cleared and records that are copied to the host.
func (r *recorder) sendAll(p *piece) error {
	d := r.device
	if err := d.clearRecords(p, d.stream); err != nil {
		return err
	}
	for n, i := range p.items {
		if err := r.stopsBefore(p, n); err != nil {
			return err
		}
		if err := r.sendItem(p, i, d.stream); err != nil {
			return err
		}
		if d.options.Times {
			if result := d.lib.EventRecord(p.marks[n], d.stream); result != libcuda.Success {
				return d.lib.Error("cuEventRecord", result)
			}
		}
	}
	return d.readRecords(p, d.stream)
}

// clearRecords makes the records of a piece empty.
func (d *Device) clearRecords(p *piece, s libcuda.Stream) error {
	if len(p.items) == 0 {
		return nil
	}
	return d.lib.Error("cuMemsetD8Async", d.lib.MemsetD8Async(p.records.gpu.address, 0, len(p.items)*abi.RecordSize, s))
}

// readRecords copies them to the host.
func (d *Device) readRecords(p *piece, s libcuda.Stream) error {
	if len(p.items) == 0 {
		return nil
	}
	host := uint64(uintptr(p.records.host.host))
	return d.lib.Error("cuMemcpyAsync", d.lib.MemcpyAsync(host, p.records.gpu.address, len(p.items)*abi.RecordSize, s))
}

func (r *recorder) sendItem(p *piece, i *item, s libcuda.Stream) error {
	d := r.device
	if i.event.of != nil {
		return r.pass(&i.event)
	}
	if i.kernel == nil {
		return d.lib.Error("cuMemcpyAsync", d.lib.MemcpyAsync(i.to, i.from, i.size, s))
	}
	grid := i.grid
	if i.indirect.Memory != nil {
		var err error
		if grid, err = r.readGrid(p, i); err != nil || grid[0]*grid[1]*grid[2] == 0 {
			return err
		}
	}
	if i.table != nil {
		if err := i.table.send(d); err != nil {
			return err
		}
	}
	if i.log != nil {
		if err := i.log.clear(d, s); err != nil {
			return err
		}
	}
	if result := d.lib.LaunchKernel(i.function, grid, i.block, i.dynamic, s, i.params); result != libcuda.Success {
		return fmt.Errorf("%s: %w", i.name(), d.lib.Error("cuLaunchKernel", result))
	}
	if i.log != nil {
		return i.log.fetch(d, s)
	}
	return nil
}

// readGrid waits for what was sent before, and returns the number of threadgroups that memory says.
func (r *recorder) readGrid(p *piece, i *item) (grid [3]int, err error) {
	d := r.device
	var words [3]uint32
	from := at(i.indirect.Memory, i.indirect.Offset)
	host := p.records.host.host
	if result := d.lib.MemcpyAsync(uint64(uintptr(host)), from, 12, d.stream); result != libcuda.Success {
		return grid, d.lib.Error("cuMemcpyAsync", result)
	}
	if result := d.lib.StreamSynchronize(d.stream); result != libcuda.Success {
		return grid, d.lib.Error("cuStreamSynchronize", result)
	}
	words = *(*[3]uint32)(host)
	for n, w := range words {
		grid[n] = int(w)
	}
	return grid, d.fits(&item{grid: grid, block: i.block, variant: i.variant})
}

// finish ends the job with the result of waiting for it. The context is current.
func (r *recorder) finish(result libcuda.Result) {
	r.err = r.outcome(result)
	r.measure(result)
	r.sendMessages()
	if r.err == nil && r.progress != nil && r.count > 0 {
		r.progress(r.count, r.count)
	}
	r.End()
	r.done <- struct{}{}
}

// outcome returns the first fault that kernels have written down, or why the driver ended the job.
func (r *recorder) outcome(result libcuda.Result) error {
	if r.failed != nil {
		r.signalAll()
		return r.failed
	}
	if result != libcuda.Success {
		r.signalAll()
		return r.gpuError(result)
	}
	for _, p := range r.pieces[:r.ready] {
		for n, i := range p.items {
			if i.kernel == nil {
				continue
			}
			record := (*abi.Record)(unsafe.Add(p.records.host.host, n*abi.RecordSize))
			if record.Count != 0 {
				f := i.fault(record)
				f.Call = p.first + n + 1
				return f
			}
		}
	}
	return nil
}

// gpuErrors are the reasons of GPUError by results.
var gpuErrors = map[libcuda.Result]driver.GPUErrorCode{
	libcuda.IllegalAddress: driver.GPUPageFault, libcuda.LaunchTimeout: driver.GPUTimeout,
	libcuda.OutOfMemory: driver.GPUOutOfMemory,
}

func (r *recorder) gpuError(result libcuda.Result) error {
	code, ok := gpuErrors[result]
	if !ok {
		code = driver.GPUInternal
	}
	why := r.device.lib.Error("cuEventSynchronize", result)
	e := &driver.GPUError{Code: code, Msg: why.Error(), First: 1, Last: r.count}
	for _, i := range r.items[:r.count] {
		if i.kernel != nil && !slices.Contains(e.Kernels, i.name()) {
			e.Kernels = append(e.Kernels, i.name())
		}
	}
	return e
}

// measure finds when the job ran. Its end is now: the clock of the GPU is not that of the device.
func (r *recorder) measure(result libcuda.Result) {
	d := r.device
	if result != libcuda.Success || r.failed != nil || r.count == 0 {
		return
	}
	between := func(from, to libcuda.Event) time.Duration {
		ms, _ := d.lib.EventElapsedTime(from, to)
		return time.Duration(float64(ms) * float64(time.Millisecond))
	}
	r.times.End = d.Clock()
	r.times.Start = max(r.times.End-between(r.start, r.end), 1)
	if !d.options.Times {
		return
	}
	begin := r.times.Start
	for _, p := range r.pieces[:r.ready] {
		for n, i := range p.items {
			end := r.times.Start + between(r.start, p.marks[n])
			if i.event.of != nil {
				begin = end
				continue
			}
			r.times.Dispatches = append(r.times.Dispatches, driver.DispatchTimes{
				Kernel: i.name(), Start: begin, End: end, Call: p.first + n + 1,
			})
			begin = end
		}
	}
}

// Times returns when the GPU worked on the job.
func (r *recorder) Times() driver.Times { return r.times }

// Wait waits for the end of the job. Where ctx ends first, what has not been sent will not be, and what has goes on.
func (r *recorder) Wait(ctx context.Context) (done bool, err error) {
	select {
	case <-r.done:
	default:
		select {
		case <-r.done:
		case <-ctx.Done():
			if !r.stop(ctx.Err()) {
				return false, ctx.Err()
			}
			<-r.done
		}
	}
	r.done <- struct{}{} // it may be asked again
	return true, r.err
}
