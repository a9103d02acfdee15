package cpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// useResources makes objects of the resources of a dispatch. Buffers that are arguments are among them,
// because the kernel may store pointers into them.
func (d *recorded) useResources(from *driver.Dispatch) {
	s := &d.resources
	s.reset()
	for i := range from.Resources {
		r := &from.Resources[i]
		if r.Memory != nil {
			addMemory(s, r.Memory, r.Writes, r.Name())
			continue
		}
		s.textures = append(s.textures,
			resource{texture: r.Texture.(*texture), address: r.Texture.ID(), writes: r.Writes, name: r.Name()})
	}
	for i := range from.Buffers {
		b := &from.Buffers[i]
		addMemory(s, b.Memory, b.Arg.Writes, b.Arg.Name)
	}
	s.memory, s.textures = merged(s.memory), merged(s.textures)
	s.infos = slices.Grow(s.infos, len(s.memory)+len(s.textures)) // objects have pointers to them
	s.first = len(d.objects)
	d.useAll("the memory of ", s.memory, func(o *object, r *resource) {
		o.constant = isReadOnly(r.memory)
		o.hold(r.part.of(bytesIn(r.memory)))
		o.skew = int64(uintptr(o.base) & 7)
	})
	d.useAll("the texture of ", s.textures, func(o *object, r *resource) {
		o.show(r.texture)
	})
	s.nowhere = len(d.objects)
	d.objects = append(d.objects, object{info: &nowhere})
	s.samplers = 0
	d.useSamplers()
}

// useSamplers makes objects of the samplers that the device has by now: a batch that is kept may meet later ones.
func (d *recorded) useSamplers() {
	samplers := d.kernel.device.samplers.All()
	for i := d.resources.samplers; i < len(samplers); i++ {
		d.objects = append(d.objects, object{info: &anyOfItsDevice, sampler: &samplers[i], virtual: uint64(i + 1)})
	}
	d.resources.samplers = len(samplers)
}

// useAll makes objects of resources of one kind.
func (d *recorded) useAll(what string, list []resource, hold func(o *object, r *resource)) {
	s := &d.resources
	first := len(s.infos)
	for i := range list {
		r := &list[i]
		s.infos = append(s.infos, objectInfo{name: what + r.name, readOnly: !r.writes, source: source{kind: fromResource}})
	}
	for i := range list {
		o := object{info: &s.infos[first+i], virtual: list[i].address}
		hold(&o, &list[i])
		d.objects = append(d.objects, o)
	}
}

// addMemory adds memory that has an address.
func addMemory(s *resources, m driver.Memory, writes bool, name string) {
	if at := m.Address(); at != 0 {
		end := at + uint64(len(bytesIn(m)))
		s.memory = append(s.memory, resource{memory: m, address: at, end: end, writes: writes, name: name})
	}
	if own, ok := m.(*memory); ok {
		addParts(s, own, writes, name)
	}
}

// merged sorts resources and makes one of those that are the same.
func merged(list []resource) []resource {
	slices.SortStableFunc(list, func(a, b resource) int { return cmp.Compare(a.address, b.address) })
	kept := list[:0]
	for _, r := range list {
		if last := len(kept) - 1; last >= 0 && kept[last].address == r.address {
			kept[last].writes = kept[last].writes || r.writes
			continue
		}
		kept = append(kept, r)
	}
	clear(list[len(kept):])
	return kept
}

// addParts adds the parts of memory that have addresses.
func addParts(s *resources, m *memory, writes bool, name string) {
	for _, p := range m.partsOf() {
		s.memory = append(s.memory, resource{
			memory: m, address: p.address, end: p.address + uint64(p.size), writes: writes, part: &p,
			name: fmt.Sprintf("%s, bytes %d to %d, of which the pointer was made", name, p.offset, p.offset+p.size),
		})
	}
}
