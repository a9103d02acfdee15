package cpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// useResources makes objects of the resources of a dispatch. Buffers that are arguments are among them,
// because the kernel may store pointers into them.
func (d *recorded) useResources(from *driver.Dispatch) {
	s := &d.Resources
	s.Reset()
	for i := range from.Resources {
		r := &from.Resources[i]
		if r.Memory != nil {
			addMemory(s, r.Memory, r.Writes, r.Name())
			continue
		}
		s.Textures = append(s.Textures,
			interp.Resource{Texture: r.Texture.(*storage.Texture), Address: r.Texture.ID(), Writes: r.Writes,
				Name: r.Name()})
	}
	for i := range from.Buffers {
		b := &from.Buffers[i]
		addMemory(s, b.Memory, b.Arg.Writes, b.Arg.Name)
	}
	s.Memory, s.Textures = merged(s.Memory), merged(s.Textures)
	s.Infos = slices.Grow(s.Infos, len(s.Memory)+len(s.Textures)) // objects have pointers to them
	s.First = len(d.Objects)
	d.useAll("the memory of ", s.Memory, func(o *interp.Object, r *interp.Resource) {
		o.Constant = storage.IsReadOnly(r.Memory)
		o.Hold(r.Part.Of(storage.BytesIn(r.Memory)))
		o.Skew = int64(uintptr(o.Base) & 7)
	})
	d.useAll("the texture of ", s.Textures, func(o *interp.Object, r *interp.Resource) {
		o.Show(r.Texture)
	})
	s.Nowhere = len(d.Objects)
	d.Objects = append(d.Objects, interp.Object{Info: &interp.Nowhere})
	s.Samplers = 0
	d.useSamplers()
}

// useSamplers makes objects of the samplers that the device has by now: a batch that is kept may meet later ones.
func (d *recorded) useSamplers() {
	samplers := d.kernel.device.samplers.All()
	for i := d.Resources.Samplers; i < len(samplers); i++ {
		d.Objects = append(d.Objects, interp.Object{Info: &interp.AnyOfItsDevice, Sampler: &samplers[i],
			Virtual: uint64(i + 1)})
	}
	d.Resources.Samplers = len(samplers)
}

// useAll makes objects of resources of one kind.
func (d *recorded) useAll(what string, list []interp.Resource, hold func(o *interp.Object, r *interp.Resource)) {
	s := &d.Resources
	first := len(s.Infos)
	for i := range list {
		r := &list[i]
		s.Infos = append(s.Infos, program.Object{Name: what + r.Name, ReadOnly: !r.Writes,
			Source: program.Source{Kind: program.FromResource}})
	}
	for i := range list {
		o := interp.Object{Info: &s.Infos[first+i], Virtual: list[i].Address}
		hold(&o, &list[i])
		d.Objects = append(d.Objects, o)
	}
}

// addMemory adds memory that has an address.
func addMemory(s *interp.Resources, m driver.Memory, writes bool, name string) {
	if at := m.Address(); at != 0 {
		end := at + uint64(len(storage.BytesIn(m)))
		s.Memory = append(s.Memory, interp.Resource{Memory: m, Address: at, End: end, Writes: writes, Name: name})
	}
	if own, ok := m.(*storage.Memory); ok {
		addParts(s, own, writes, name)
	}
}

// merged sorts resources and makes one of those that are the same.
func merged(list []interp.Resource) []interp.Resource {
	slices.SortStableFunc(list, func(a, b interp.Resource) int { return cmp.Compare(a.Address, b.Address) })
	kept := list[:0]
	for _, r := range list {
		if last := len(kept) - 1; last >= 0 && kept[last].Address == r.Address {
			kept[last].Writes = kept[last].Writes || r.Writes
			continue
		}
		kept = append(kept, r)
	}
	clear(list[len(kept):])
	return kept
}

// addParts adds the parts of memory that have addresses.
func addParts(s *interp.Resources, m *storage.Memory, writes bool, name string) {
	for _, p := range m.PartsOf() {
		s.Memory = append(s.Memory, interp.Resource{
			Memory: m, Address: p.Address, End: p.Address + uint64(p.Size), Writes: writes, Part: &p,
			Name: fmt.Sprintf("%s, a slice of bytes %d to %d", name, p.Offset, p.Offset+p.Size),
		})
	}
}
