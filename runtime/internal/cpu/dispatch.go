package cpu

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sanitize"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// recorded is a recorded kernel call: a dispatch with what leads to it, or a copy. It keeps its slices from one batch
// to the next.
type recorded struct {
	interp.Dispatch
	kernel   *kernel
	kept     []uint64       // see keep; each of them begins at a multiple of 16 bytes
	samplers []bind.Sampler // see keepSampler

	indirect []byte // three uint32, the numbers of threadgroups, or nil
	copying  copying

	runner    runner
	sanitizer *sanitize.Sanitizer // nil where the device has none
	proof     *proof              // of the dispatch, where the device has a sanitizer, or nil
	proves    *proof              // that this is the dispatch of, or nil
	postponed *postponed          // what is left to do before it runs, or nil
	event     eventStep           // of what is no call, but waits for an event or signals one
}

// bind makes the dispatch that of a kernel with the arguments of a driver.Dispatch.
func (d *recorded) bind(k *kernel, from *driver.Dispatch, stop *atomic.Bool) error {
	d.kernel, d.Grid, d.Threads, d.Stop = k, from.Grid, from.Grid.Threads, stop
	d.Logger, d.indirect, d.Watch = k.device.logger, nil, nil
	if from.Grid.Indirect.Memory != nil {
		d.indirect = storage.BytesAt(&from.Grid.Indirect)
	}
	d.use(k.program, from)
	d.Machine = k.machine
	if !d.holdsHoisted() {
		careful, err := k.careful(stop)
		if err != nil {
			return err
		}
		d.use(careful, from)
		d.Machine = k.carefulMachine
	}
	if len(d.Objects) > program.MaxObjects {
		return fmt.Errorf("the arguments lead to more than the %d buffers, textures and samplers that the CPU device "+
			"takes",
			program.MaxObjects-len(d.Code.Objects))
	}
	if checks := k.device.sanitize; checks != 0 {
		d.sanitizer = sanitize.New(&d.Dispatch, checks, k.text)
		d.Watch = d.sanitizer.Watch
	}
	if limit := k.device.limits.ThreadgroupMemory; d.Shared > limit {
		return driver.ThreadgroupMemoryError(d.Shared, limit)
	}
	if d.Frames() > maxFrames {
		return fmt.Errorf("the values of %d threads take %d bytes, and the CPU device has %d for a threadgroup",
			d.Threads[0]*d.Threads[1]*d.Threads[2], d.Frames(), maxFrames)
	}
	d.bindProof(k, from)
	return nil
}

// name is what messages call the dispatch.
func (d *recorded) name() string {
	switch {
	case d.kernel != nil:
		return d.Code.Name
	case d.copying.texture != nil:
		return "CopyTexels"
	default:
		return "Copy"
	}
}

// reset drops the references to the memory of buffers.
func (d *recorded) reset() {
	clear(d.Objects)
	d.Resources.Reset()
	d.sanitizer, d.Watch = nil, nil
	if d.proof != nil {
		d.proof.by = nil
		d.proof.reset()
	}
	d.indirect, d.event = nil, eventStep{}
	d.copying.reset()
	if d.postponed != nil {
		d.postponed.compilation.leave()
		d.postponed = nil
	}
}

// use finds the memory of all objects of a program.
func (d *recorded) use(p *interp.Code, from *driver.Dispatch) {
	d.Code, d.Objects, d.kept, d.samplers, d.Shared = p, d.Objects[:0], d.kept[:0], d.samplers[:0], 0
	for i := range p.Objects {
		info := &p.Objects[i]
		d.Objects = append(d.Objects, interp.Object{Info: info, Constant: info.Constant})
		if bind := binders[info.Source.Kind]; bind != nil {
			bind(d, &d.Objects[i], from)
		}
	}
	if p.Addresses {
		d.useResources(from)
	}
}

// holdsHoisted reports whether everything is there that the prologue loads.
func (d *recorded) holdsHoisted() bool {
	for _, h := range d.Code.Hoisted {
		if o := &d.Objects[h.Object]; o.Missing || h.End > o.Size {
			return false
		}
	}
	return true
}

// keep returns a copy of bytes that belong to the caller. It stays valid until the next
// use.
func (d *recorded) keep(bytes []byte) []byte {
	words, at := (len(bytes)+15)/16*2, len(d.kept)
	if at+words > cap(d.kept) { // earlier copies stay where they are
		d.kept, at = make([]uint64, 0, max(words, 2*cap(d.kept), 64)), 0
	}
	d.kept = d.kept[:at+words]
	kept := interp.BytesOf(d.kept[at:])[:len(bytes)]
	copy(kept, bytes)
	return kept
}

// maxGroups bounds the number of threadgroups. Nobody waits for the last of so many.
const maxGroups = 1 << 62

// groups returns the number of threadgroups of a grid.
func groups(g [3]int) int64 {
	n := int64(1)
	for _, dim := range g {
		if high, low := bits.Mul64(uint64(n), uint64(dim)); high != 0 || low > maxGroups {
			n = maxGroups
		} else {
			n = int64(low)
		}
	}
	return n
}

// run executes all threadgroups of the dispatch, on as many cores as the device
// has.
func (d *recorded) run() error {
	if d.kernel == nil {
		return d.copy()
	}
	if d.Code.Addresses {
		d.useSamplers()
	}
	if d.indirect != nil {
		for i := range d.Grid.Threadgroups {
			d.Grid.Threadgroups[i] = int(binary.LittleEndian.Uint32(d.indirect[4*i:]))
		}
	}
	total := groups(d.Grid.Threadgroups)
	if total == 0 {
		return nil
	}
	if seed := d.kernel.device.schedule; seed != 0 {
		return d.runScheduled(seed, total)
	}
	if done, err := d.prove(total); done {
		return err
	}
	return d.runner.run(d, total)
}

// whyStopped returns the error of a dispatch that was stopped as that of its job, which learns the reason later.
func (d *recorded) whyStopped(err error) error {
	stopped, ok := errors.AsType[*driver.StoppedError](err)
	if !ok {
		stopped = &driver.StoppedError{Kernel: d.name()}
	}
	stopped.Err = nil
	return stopped
}
