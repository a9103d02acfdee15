package cpu

import (
	"errors"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/metalgen/metalgen/internal/ir/build"
	"github.com/metalgen/metalgen/internal/ir/pass"
	"github.com/metalgen/metalgen/runtime/internal/cpu/assemble"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/machine"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/prove"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// A device with a sanitizer first has a kernel prove, as machine code, that there is nothing to be found (package
// prove). Where that fails it executes the dispatch again, interpreted, under the sanitizer.

const (
	// provesAfter is how many simd-groups a dispatch has at least that is worth a proof: others are interpreted before
	// the machine code would be made.
	provesAfter = 64
	// maxShadow bounds the shadow of a dispatch for all cores, and maxUndo what it copies to be executed again, in bytes.
	maxShadow = 1 << 28
	maxUndo   = 1 << 26
	// maxUnproved is how often in a row a kernel may fail to prove anything until it is not asked any more.
	maxUnproved = 4
)

// proving is a kernel that proves something of itself.
type proving struct {
	kernel
	plan     *prove.Plan  // nil where it cannot
	unproved atomic.Int32 // dispatches in a row
	proved   atomic.Int64
}

// provable returns how a kernel proves something of itself, made when it is first asked for, or nil.
func (k *kernel) provable(stop *atomic.Bool) *proving {
	if k.device.sanitize == 0 || k.device.schedule != 0 || k.device.provesAfter < 0 {
		return nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.proving == nil {
		p := &proving{}
		p.device, p.text = k.device, k.text
		err := p.compile(k, func() bool { return stop.Load() || k.device.stopped.Load() })
		if err != nil {
			p.plan = nil
		}
		if !errors.Is(err, interp.ErrStopped) {
			k.proving = p
		}
	}
	if k.proving == nil || k.proving.plan == nil || k.proving.unproved.Load() >= maxUnproved {
		return nil
	}
	return k.proving
}

// compile compiles a kernel for its proof: of what the sanitizer would see of it.
func (p *proving) compile(k *kernel, stop func() bool) (err error) {
	defer interp.RecoverInternal(&err, k.checked.Name)
	out, err := build.Kernel(k.checked, k.fn, build.Options{Device: "the CPU device", Stop: stop})
	if err != nil {
		return err
	}
	checks := k.device.sanitize
	how := prove.Options{
		Race: checks&(driver.CheckRace|driver.CheckRaceSimdgroup) != 0, Uninit: checks&driver.CheckUninit != 0,
		Barrier: checks&driver.CheckBarrier != 0, NaN: checks&driver.CheckNaN != 0,
	}
	err = pass.Run(out, pass.Options{Uninit: how.Uninit, NaN: how.NaN, Hoist: true, Plain: true, Stop: stop})
	if err != nil {
		return err
	}
	plan, err := prove.Instrument(out, how)
	if err != nil {
		return err
	}
	if err := pass.Run(out, pass.Options{Hoist: true, Plain: true, Stop: stop}); err != nil {
		return err
	}
	code, err := assemble.Program(out, assemble.Options{Hoist: true, Plain: true}, stop)
	if err != nil {
		return err
	}
	switch {
	case len(code.Barriers) == len(k.program.Barriers):
		code.Backward = k.program.Backward
	case plan.Atomics: // another order would be another result
		return nil
	}
	p.program = interp.Load(code, nil)
	p.natives = machine.New(p.program, k.device.nativeKind, 0)
	p.machine = p.natives.Machine
	p.plan = plan
	return nil
}

// proof is a dispatch that proves something of itself.
type proof struct {
	recorded
	by      *proving
	words   [3]uint32 // the function constants of package prove
	undo    []byte
	shadows []workerShadow
}

// bindProof makes ready for a proof of a dispatch that is bound, where there may be one.
func (d *recorded) bindProof(k *kernel, from *driver.Dispatch) {
	if d.proof != nil {
		d.proof.by = nil
	}
	total := groups(d.Grid.Threadgroups)
	if d.indirect != nil || d.sanitizer == nil || total > maxStamp ||
		total*int64(d.Simdgroups()) < k.device.provesAfter || total*int64(d.numbers()) > maxStamp/2 {
		return
	}
	by := k.provable(d.Stop)
	if by == nil {
		return
	}
	if d.proof == nil {
		d.proof = &proof{}
	}
	p := d.proof
	p.kernel, p.Grid, p.Threads, p.Stop, p.Logger = &by.kernel, d.Grid, d.Threads, d.Stop, d.Logger
	p.use(by.program, from)
	p.Machine, p.proves = by.machine, p
	if p.isApart(by.plan) && p.findShadow(by.plan) && p.holdsHoisted() && p.Frames() <= maxFrames {
		p.by = by
	}
}

// numbers returns how many numbers a threadgroup takes.
func (d *recorded) numbers() int { return prove.Simdgroups + d.Threads[0]*d.Threads[1]*d.Threads[2] }

// isApart reports whether what the kernel writes is no memory of another argument, and little enough to be undone.
func (p *proof) isApart(plan *prove.Plan) bool {
	for _, n := range plan.Written {
		a := &p.Objects[n]
		if a.Texture != nil && !a.Texture.Plain() {
			return false
		}
		for i := range p.Objects {
			b := &p.Objects[i]
			kind := b.Info.Source.Kind
			if i == n || a.Missing || b.Missing || kind != program.FromBuffer && kind != program.FromValue &&
				kind != program.FromTexture {
				continue
			}
			x, y := uintptr(a.Base), uintptr(b.Base)
			if x < y+uintptr(b.Size) && y < x+uintptr(a.Size) {
				return false
			}
		}
	}
	bytes := int64(0)
	for _, n := range plan.Undo {
		bytes += p.Objects[n].Size
	}
	return bytes <= maxUndo
}

// findShadow finds how long shadows are. It reports false where that is too long. Buffers are as long as their shapes:
// what is touched beyond ends the proof.
func (p *proof) findShadow(plan *prove.Plan) bool {
	for i := range p.Objects {
		if o := &p.Objects[i]; o.Extent != nil && o.Texture == nil {
			o.Size = min(o.Size, o.Extent.Bytes)
		}
	}
	bytes := int64(0)
	for _, s := range plan.Shadows {
		o, of := &p.Objects[s.Object], &p.Objects[s.Of]
		size := (of.Size*int64(s.Times) + 3) &^ 3
		if of.Texture != nil {
			size = of.Size / int64(of.Texture.Spec.Format.Info().Size) * 4
		}
		if o.Missing = of.Missing; s.Group && s.Times == 0 {
			continue
		} else if s.Group {
			p.share(o, int(size))
			continue
		}
		o.Size = size
		bytes += size
	}
	return bytes*int64(runtime.GOMAXPROCS(0)) <= maxShadow
}

// prove has the kernel prove that there is nothing to be found. It reports whether it has, or else was stopped: then
// what it has written counts.
func (d *recorded) prove(total int64) (done bool, err error) {
	p := d.proof
	if p == nil || p.by == nil {
		return false, nil
	}
	p.begin(total)
	defer p.end()
	err = p.runner.run(&p.recorded, total)
	switch {
	case errors.Is(err, interp.ErrStopped):
		return true, err
	case err == nil && p.agrees():
		p.markWritten(d)
		p.by.unproved.Store(0)
		p.by.proved.Add(1)
		return true, nil
	}
	p.undone()
	p.by.unproved.Add(1)
	return false, nil
}

// begin takes numbers and memory for a proof.
func (p *proof) begin(total int64) {
	numbers := uint32(p.numbers())
	first := p.kernel.device.slabs.stamps(uint32(total)*numbers + prove.Numbers)
	p.words = [3]uint32{first, first + uint32(total)*numbers, numbers}
	for i := range p.Objects {
		o := &p.Objects[i]
		if s := &o.Info.Source; s.Kind == program.FromConstant && s.Index >= prove.First {
			o.Missing = false
			o.Hold(unsafe.Slice((*byte)(unsafe.Pointer(&p.words[s.Index-prove.First])), 4))
		}
	}
	p.undo = p.undo[:0]
	for _, n := range p.by.plan.Undo {
		p.undo = append(p.undo, bytesOf(&p.Objects[n])...)
	}
}

// undone makes memory what it was, where the kernel has touched it: other dispatches may write the rest meanwhile. A
// load in doubt may have taken the number of an atomic, so all that was loaded counts.
func (p *proof) undone() {
	old := p.undo
	for _, n := range p.by.plan.Undo {
		now := bytesOf(&p.Objects[n])
		p.touched(n, p.words[0], func(offset, size int64) {
			copy(now[offset:], old[offset:min(offset+size, int64(len(now)))])
		})
		old = old[len(now):]
	}
}

func bytesOf(o *interp.Object) []byte { return unsafe.Slice((*byte)(o.Base), o.Size) }

// end gives back the memory.
func (p *proof) end() {
	for i := range p.shadows {
		p.kernel.device.slabs.give(p.shadows[i].slab, p.words[1]+prove.Numbers)
	}
	p.shadows = nil
}
