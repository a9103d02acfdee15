package cpu

import (
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindSampler finds the sampler that an element of an argument is set to.
func bindSampler(d *recorded, o *interp.Object, from *driver.Dispatch) {
	a := &o.Info.Source
	o.Missing, o.Sampler = true, &defaultSampler
	for i := range from.Samplers {
		if s := &from.Samplers[i]; s.Arg.Index == a.Index && s.Element == a.Element {
			o.Missing, o.Sampler = false, d.keepSampler(s.Sampler)
			return
		}
	}
}

// defaultSampler takes the place of one that is left out.
var defaultSampler bind.Sampler

// keepSampler is keep for a sampler. When the list grows, earlier copies stay where they are.
func (d *recorded) keepSampler(s bind.Sampler) *bind.Sampler {
	d.samplers = append(d.samplers, s)
	return &d.samplers[len(d.samplers)-1]
}

// showSampler makes the object a sampler that the source of the kernel makes.
func showSampler(_ *recorded, o *interp.Object, _ *driver.Dispatch) {
	o.Sampler = o.Info.Source.Sampler
}
