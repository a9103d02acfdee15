package metal

import (
	"errors"
	"sync"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

var samplerKind = argKind{
	args:        func(k *driver.Kernel) []*driver.Arg { return k.Samplers },
	binding:     bindingSampler,
	drift:       func(*driver.Arg, *binding) (generated, metal string) { return "", "" },
	newRecorder: func(r *recorder) argRecorder { return &samplers{slots: slots{recorder: r, sel: selSetSamplers}} },
}

var (
	selSetSamplers    = objc.Selector("setSamplerStates:withRange:", "vr^@{_NSRange=QQ}")
	selNewSampler     = objc.Selector("newSamplerStateWithDescriptor:", "@@")
	selSetNormalized  = objc.Selector("setNormalizedCoordinates:", "vB")
	selSetLODMinClamp = objc.Selector("setLodMinClamp:", "vf")
	selSetLODMaxClamp = objc.Selector("setLodMaxClamp:", "vf")
	selSetInMemory    = objc.Selector("setSupportArgumentBuffers:", "vB")
)

// samplerWords are what an MTLSamplerDescriptor is told. Apple: MTLSampler.h.
var samplerWords = []struct {
	sel  *objc.SEL
	word func(s *bind.Sampler) int
}{
	{objc.Selector("setMinFilter:", "vQ"), func(s *bind.Sampler) int { return int(s.Min) }},
	{objc.Selector("setMagFilter:", "vQ"), func(s *bind.Sampler) int { return int(s.Mag) }},
	{objc.Selector("setMipFilter:", "vQ"), func(s *bind.Sampler) int { return int(s.Mip) }},
	{objc.Selector("setMaxAnisotropy:", "vQ"), func(s *bind.Sampler) int { return max(s.MaxAnisotropy, 1) }},
	{objc.Selector("setSAddressMode:", "vQ"), func(s *bind.Sampler) int { return int(s.Addresses()[0]) }},
	{objc.Selector("setTAddressMode:", "vQ"), func(s *bind.Sampler) int { return int(s.Addresses()[1]) }},
	{objc.Selector("setRAddressMode:", "vQ"), func(s *bind.Sampler) int { return int(s.Addresses()[2]) }},
	{objc.Selector("setBorderColor:", "vQ"), func(s *bind.Sampler) int { return int(s.Border) }},
	{objc.Selector("setCompareFunction:", "vQ"), func(s *bind.Sampler) int { return int(s.Compare) }},
}

// samplerStates are the MTLSamplerStates of a device: one for each sampler that calls have
// passed, and one for each that memory may have.
type samplerStates struct {
	mu  sync.Mutex
	all map[samplerUse]objc.ID
}

// samplerUse is a sampler and what it is for. Metal has fewer of those that memory may have.
type samplerUse struct {
	bind.Sampler
	inMemory bool
}

func (states *samplerStates) of(d *Device, s samplerUse) (objc.ID, error) {
	states.mu.Lock()
	defer states.mu.Unlock()
	if id, ok := states.all[s]; ok {
		return id, nil
	}
	id, err := d.newSampler(&s)
	if err != nil {
		return 0, err
	}
	if states.all == nil {
		states.all = map[samplerUse]objc.ID{}
	}
	states.all[s] = id
	return id, nil
}

// SamplerID returns what the GPU knows a sampler by.
func (d *Device) SamplerID(s bind.Sampler) (uint64, error) {
	if !d.limits.Addresses {
		return 0, errors.ErrUnsupported
	}
	id, err := d.samplers.of(d, samplerUse{s, true})
	if err != nil {
		return 0, err
	}
	return uint64(id.Send(selGPUResourceID)), nil
}

func (states *samplerStates) release() {
	for _, id := range states.all {
		id.Release()
	}
}

var errNoSampler = errors.New("no sampler state from Metal")

func (d *Device) newSampler(s *samplerUse) (id objc.ID, err error) {
	if err := d.checkSampler(&s.Sampler); err != nil {
		return 0, err
	}
	objc.WithPool(func() {
		var descriptor objc.ID
		if descriptor, err = objc.New("MTLSamplerDescriptor"); err != nil {
			return
		}
		defer descriptor.Release()
		for _, w := range samplerWords {
			descriptor.Send(w.sel, uintptr(w.word(&s.Sampler)))
		}
		if s.inMemory {
			descriptor.Send(selSetInMemory, 1)
		}
		if s.Pixel {
			descriptor.Send(selSetNormalized, 0)
		}
		if s.LODMin > 0 {
			descriptor.SendFloat(selSetLODMinClamp, s.LODMin)
		}
		if s.LODMax > 0 {
			descriptor.SendFloat(selSetLODMaxClamp, s.LODMax)
		}
		if id = objc.ID(d.id.Send(selNewSampler, uintptr(descriptor))); id == 0 {
			err = errNoSampler
		}
	})
	return id, err
}

// samplers records samplers. It knows those of the batch, which are found without a lock.
type samplers struct {
	idle
	slots
	known map[bind.Sampler]objc.ID
}

func (s *samplers) record(d *driver.Dispatch, _ *pipeline) error {
	ids := s.next(slotsOf(d.Kernel.Samplers))
	for i := range d.Samplers {
		from := &d.Samplers[i]
		id, ok := s.known[from.Sampler]
		if !ok {
			var err error
			if id, err = s.recorder.device.samplers.of(s.recorder.device, samplerUse{Sampler: from.Sampler}); err != nil {
				return err
			}
			if s.known == nil {
				s.known = map[bind.Sampler]objc.ID{}
			}
			s.known[from.Sampler] = id
		}
		ids[from.Arg.Index+from.Element] = uintptr(id)
	}
	s.send(ids)
	return nil
}

func (s *samplers) restart() { s.slots.restart() }
