package metal

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// recorder puts a batch on tape. A message without a receiver is for the encoder,
// which is made whenever the batch is submitted.
type recorder struct {
	device  *Device
	pieces  []*piece // as many as any batch had
	count   int      // of this one's
	*piece           // the last of them
	hazards hazards
	args    []argRecorder
	table   table  // of the dispatch that is recorded
	spans   []span // of that dispatch
	copying copying
	staging staging // of what the host copies

	pipelines map[*driver.Kernel]*pipeline

	pipeline *pipeline // that the encoder will have by then, and is not told again

	kept    bool // see Keep
	started bool // see Start
	inClose bool // Close releases its commands
	calls   int  // of Record, Copy, Encode and the like

	job job
}

func (d *Device) newRecorder() *recorder {
	r := &recorder{device: d}
	for _, k := range argKinds {
		r.args = append(r.args, k.newRecorder(r))
	}
	r.job.done = make(chan struct{}, 1)
	r.job.more.L = &r.job.mu
	r.begin()
	return r
}

// Record puts the messages of a dispatch on the tape: the pipeline where it is
// another one, the arguments, and the dispatch.
func (r *recorder) Record(d *driver.Dispatch) error {
	if err := r.record(d, r.calls+1); err != nil {
		return err
	}
	r.calls++
	return nil
}

// record is Record for a dispatch of call number call. A copy may need several.
func (r *recorder) record(d *driver.Dispatch, call int) error {
	p, err := r.pipelineOf(d)
	if err != nil {
		return err
	}
	if err := r.check(d, p); err != nil {
		return err
	}
	if r.isFull(r.most()) {
		r.begin()
	}
	r.barrier(d)
	if r.pipeline != p {
		r.pipeline = p
		r.tape.Message(0, selSetPipeline, uintptr(p.id))
	}
	r.table = r.newTable(p)
	for _, a := range r.args {
		if err := a.record(d, p); err != nil {
			return err
		}
	}
	r.reached.add(d.Resources)
	label := objc.ID(0)
	if r.device.labels.Load() {
		label = p.label.of(p.kernel)
	}
	if label != 0 {
		r.tape.Message(0, selPushDebugGroup, uintptr(label))
	}
	r.dispatch(&d.Grid)
	if label != 0 {
		r.tape.Message(0, selPopDebugGroup)
	}
	r.add(d.Kernel, p, call)
	return nil
}

// pipelineOf returns the pipeline of a dispatch. Kernels without function constants have
// one, which a recorder that has met it finds without a lock.
func (r *recorder) pipelineOf(d *driver.Dispatch) (*pipeline, error) {
	if p := r.pipelines[d.Kernel]; p != nil {
		return p, nil
	}
	p, err := r.device.pipeline(d)
	if err == nil && len(d.Kernel.Constants) == 0 {
		if r.pipelines == nil {
			r.pipelines = map[*driver.Kernel]*pipeline{}
		}
		r.pipelines[d.Kernel] = p
	}
	return p, err
}

// dispatch records the grid, in one of the three forms that Metal has.
func (r *recorder) dispatch(g *driver.Grid) {
	threads := size(g.Threads)
	switch {
	case g.Indirect.Memory != nil:
		id, offset := locate(&g.Indirect)
		r.tape.MessageMixed(0, selDispatchIndirect, id, offset, threads)
	case g.Size != [3]int{}:
		r.tape.MessageSizes(0, selDispatchThreads, size(g.Size), threads)
	default:
		r.tape.MessageSizes(0, selDispatchThreadgroups, size(g.Threadgroups), threads)
	}
}

func size(n [3]int) [3]uintptr { return [3]uintptr{uintptr(n[0]), uintptr(n[1]), uintptr(n[2])} }

// check checks what only the pipeline knows: Metal would abort the process.
func (r *recorder) check(d *driver.Dispatch, p *pipeline) error {
	threads := d.Grid.Threads[0] * d.Grid.Threads[1] * d.Grid.Threads[2]
	if threads > p.maxThreads {
		return fmt.Errorf("the pipeline allows %d threads per threadgroup, the grid has %d", p.maxThreads, threads)
	}
	for i := range d.Buffers {
		if b := &d.Buffers[i]; len(b.Memory.(*memory).views) > 1 {
			if err := inOneView(b); err != nil {
				return err
			}
		}
	}
	for _, a := range r.args {
		if err := a.check(d, p); err != nil {
			return err
		}
	}
	return nil
}

// barrier puts one before a dispatch that must wait for earlier ones, and counts the bytes of its arguments. How many of
// what they point to it touches is not known, and they do not count.
func (r *recorder) barrier(d *driver.Dispatch) {
	r.spans = r.spans[:0]
	for _, a := range r.args {
		r.spans = a.spans(r.spans, d)
	}
	for _, s := range r.spans {
		r.bytes += s.end - s.start
	}
	if !r.device.can.unified {
		return // its encoder is serial
	}
	r.spans = spansOf(r.spans, d.Resources)
	if d.Grid.Indirect.Memory != nil {
		r.spans = append(r.spans, spanOf(&d.Grid.Indirect))
	}
	wait, scope := false, r.hazards.scope
	for _, s := range r.spans {
		wait = wait || r.hazards.conflicts(s)
		scope |= scopeOf(s)
	}
	if wait {
		r.tape.Message(0, selMemoryBarrier, scope)
		r.hazards.clear()
	}
	for _, s := range r.spans {
		r.hazards.add(s)
	}
}

// Keep has Submit make commands of the messages.
func (r *recorder) Keep() { r.kept = true }

// Reset forgets the batch.
func (r *recorder) Reset() {
	for _, p := range r.pieces[:r.count] {
		p.reset()
	}
	for _, a := range r.args {
		a.reset()
	}
	clear(r.copying.buffers[:])
	r.staging.reset()
	r.count, r.calls, r.table, r.job.progress, r.kept, r.started = 0, 0, table{}, nil, false, false
	r.begin()
}
