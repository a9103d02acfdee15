package cpu

import (
	"errors"
	"slices"
	"sync"
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
	// maxShadow bounds the shadow of a dispatch, and maxUndo what it copies to be executed again, in bytes.
	maxShadow = 1 << 28
	maxUndo   = 1 << 26
	// maxUnproved is how often in a row a kernel may fail to prove anything until it is not asked any more.
	maxUnproved = 4
)

// proving is a kernel that proves something of itself.
type proving struct {
	kernel
	plan     *prove.Plan // nil where it cannot
	unproved atomic.Int32
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
	plan, ok := prove.Instrument(out, how)
	if !ok {
		return nil
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

// workerShadow is the shadow of device memory that a worker has.
type workerShadow struct {
	slab  []uint32
	words [][]uint32 // by the plan's Shadows
}

// bindProof makes ready for a proof of a dispatch that is bound, where there may be one.
func (d *recorded) bindProof(k *kernel, from *driver.Dispatch) {
	if d.proof != nil {
		d.proof.by = nil
	}
	total := groups(d.Grid.Threadgroups)
	if d.indirect != nil || d.sanitizer == nil || total*int64(d.Simdgroups()) < k.device.provesAfter ||
		total*int64(d.Threads[0]*d.Threads[1]*d.Threads[2]) > maxStamp/2 {
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
	if p.holdsHoisted() && p.isApart(by.plan) && p.findShadow(by.plan) {
		p.by = by
	}
}

// isApart reports whether what the kernel writes is no memory of another argument, and little enough to be undone.
func (p *proof) isApart(plan *prove.Plan) bool {
	for _, n := range plan.Written {
		a := &p.Objects[n]
		for i := range p.Objects {
			b := &p.Objects[i]
			kind := b.Info.Source.Kind
			if i == n || a.Missing || b.Missing || kind != program.FromBuffer && kind != program.FromValue {
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
		if o := &p.Objects[i]; o.Extent != nil {
			o.Size = min(o.Size, o.Extent.Bytes)
		}
	}
	bytes := int64(0)
	for _, s := range plan.Shadows {
		o, of := &p.Objects[s.Object], &p.Objects[s.Of]
		size := (of.Size*int64(s.Times) + 3) &^ 3
		if o.Missing = of.Missing; s.Group {
			p.share(o, int(size))
			continue
		}
		o.Size = size
		bytes += size
	}
	return bytes <= maxShadow
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
		return true, nil
	}
	p.undone()
	p.by.unproved.Add(1)
	return false, nil
}

// begin takes numbers and memory for a proof.
func (p *proof) begin(total int64) {
	threads := uint32(p.Threads[0] * p.Threads[1] * p.Threads[2])
	first := p.kernel.device.slabs.stamps(uint32(total)*threads + prove.Numbers)
	p.words = [3]uint32{first, first + uint32(total)*threads, threads}
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
	p.shadows = p.shadows[:0]
}

// undone makes memory what it was.
func (p *proof) undone() {
	at := 0
	for _, n := range p.by.plan.Undo {
		at += copy(bytesOf(&p.Objects[n]), p.undo[at:])
	}
}

func bytesOf(o *interp.Object) []byte { return unsafe.Slice((*byte)(o.Base), o.Size) }

// end gives back the memory.
func (p *proof) end() {
	for i := range p.shadows {
		p.kernel.device.slabs.give(p.shadows[i].slab)
	}
	clear(p.shadows)
	p.shadows = p.shadows[:0]
}

// shadowOf gives a worker shadow of its own.
func (p *proof) shadowOf(worker int64, g *interp.Threadgroup) {
	p.runner.mu.Lock()
	for len(p.shadows) <= int(worker) {
		p.shadows = append(p.shadows, workerShadow{})
	}
	s := &p.shadows[worker]
	if s.words == nil {
		p.take(s)
	}
	words := s.words
	p.runner.mu.Unlock()
	for i, shadow := range p.by.plan.Shadows {
		for j := range g.Frames {
			if len(words[i]) > 0 {
				g.Frames[j].Objects[shadow.Object].Base = unsafe.Pointer(&words[i][0])
			}
		}
	}
}

// take takes shadow for all device memory that has some.
func (p *proof) take(s *workerShadow) {
	const line = 16 // words
	total := 0
	for _, shadow := range p.by.plan.Shadows {
		if !shadow.Group {
			total += (int(p.Objects[shadow.Object].Size)/4 + line - 1) &^ (line - 1)
		}
	}
	s.slab = p.kernel.device.slabs.take(total)
	rest := s.slab
	for _, shadow := range p.by.plan.Shadows {
		n := 0
		if !shadow.Group {
			n = int(p.Objects[shadow.Object].Size) / 4
		}
		s.words = append(s.words, rest[:n])
		rest = rest[(n+line-1)&^(line-1):]
	}
}

// agrees reports whether no two workers have touched the same memory, one of them writing.
func (p *proof) agrees() bool {
	list := p.by.plan.Shadows
	for i := range list {
		if list[i].Group {
			continue
		}
		for j := range list {
			if list[j].Of != list[i].Of || list[i].Reads && list[j].Reads {
				continue
			}
			for a := range p.shadows {
				for b := range p.shadows {
					if a != b && p.meet(p.shadows[a].of(i), p.shadows[b].of(j)) {
						return false
					}
				}
			}
		}
	}
	return !p.by.plan.Atomics || len(p.shadows) < 2 || p.atomicsAgree()
}

// of returns the words of a shadow, none where the worker has none.
func (s *workerShadow) of(i int) []uint32 {
	if s.words == nil {
		return nil
	}
	return s.words[i]
}

// meet reports whether two shadows have numbers of the dispatch at one place.
func (p *proof) meet(a, b []uint32) bool {
	b = b[:min(len(a), len(b))]
	first := p.words[0]
	for i, v := range b {
		if v >= first && a[i] >= first {
			return true
		}
	}
	return false
}

// atomicsAgree reports whether no worker has plainly read what another one has touched by atomics.
func (p *proof) atomicsAgree() bool {
	first, atomic := p.words[0], p.byAtomics()
	for i, shadow := range p.by.plan.Shadows {
		if shadow.Group || !shadow.Reads {
			continue
		}
		for a := range p.shadows {
			for b := range a {
				x, y := p.shadows[a].of(i), p.shadows[b].of(i)
				for k := range min(len(x), len(y)) {
					if x[k] >= first && y[k] >= first && (x[k] == atomic) != (y[k] == atomic) {
						return false
					}
				}
			}
		}
	}
	return true
}

func (p *proof) byAtomics() uint32 { return p.words[1] + 1 }

// markWritten tells the sanitizer which bytes of shapes were written.
func (p *proof) markWritten(d *recorded) {
	for i, shadow := range p.by.plan.Shadows {
		e := d.Objects[shadow.Of].Extent
		if shadow.Group || e == nil || !e.Watches() {
			continue
		}
		least := p.words[0] // of what counts as written
		if shadow.Reads {
			least = p.byAtomics()
		}
		piece := int64(4 / shadow.Times)
		for w := range p.shadows {
			words := p.shadows[w].of(i)
			for at := 0; at < len(words); at++ {
				if words[at] < least {
					continue
				}
				from := at
				for at < len(words) && words[at] >= least {
					at++
				}
				e.Mark(int64(from)*piece, int64(at-from)*piece)
			}
		}
	}
}

// slabs keeps the shadow of device memory from one dispatch to the next. Its words are numbers of earlier ones.
type slabs struct {
	mu   sync.Mutex
	next uint32
	idle [][]uint32
}

// maxStamp is the greatest number: they are compared with a sign.
const maxStamp = 1<<31 - 1

// stamps returns the first of so many numbers that no slab has.
func (s *slabs) stamps(n uint32) uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == 0 || s.next > maxStamp-n {
		s.next, s.idle = 1, nil
	}
	first := s.next
	s.next += n
	return first
}

// take returns so many words.
func (s *slabs) take(words int) []uint32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, slab := range s.idle {
		if cap(slab) >= words {
			s.idle = slices.Delete(s.idle, i, i+1)
			return slab[:words]
		}
	}
	return make([]uint32, words)
}

// maxIdleSlabs bounds the slabs that are kept.
const maxIdleSlabs = 8

// give gives back words.
func (s *slabs) give(slab []uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) < maxIdleSlabs && cap(slab) > 0 {
		s.idle = append(s.idle, slab)
	}
}
