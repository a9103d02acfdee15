package cpu

import "slices"

// A pointer in device or constant memory is an address of the device, and a texture or a sampler
// its ID: the host writes them, and they mean the same in every dispatch. In registers, and in the
// memory of threads and threadgroups, each is an object and an offset. Loads and stores turn one
// into the other.
//
// What has no address, because it is not memory of the device, is marked and kept as it is:
// whoever loads it in the same dispatch may use it.
const noAddress = uint64(1) << 63

// fromNumber returns an operation that finds what each lane has the number of.
func fromNumber(find func(s *resources, number uint64) (uint64, bool)) operation {
	return func(f *frame, in *instruction) {
		a, d := at[uint64](f, in.a), at[uint64](f, in.d)
		s := &f.group.dispatch.resources
		if a.uniform() {
			d.set(s.found(a.base, find))
			return
		}
		x := *a.lanes() // which may be those of d
		z := d.vector()
		last, found := uint64(0), uint64(0)
		for i := range z {
			if x[i] != last {
				last, found = x[i], s.found(x[i], find)
			}
			z[i] = found
		}
	}
}

// found returns a pointer to what find finds.
func (s *resources) found(number uint64, find func(s *resources, number uint64) (uint64, bool)) uint64 {
	switch {
	case number == 0:
		return 0
	case number&noAddress != 0:
		return number &^ noAddress
	}
	if p, ok := find(s, number); ok {
		return p
	}
	if far(int64(number)) {
		return 0
	}
	return pointerTo(int(s.nowhere)) + number
}

// pointer returns the pointer to what is at an address. The one behind the last byte of a
// resource is the end of it.
func (s *resources) pointer(address uint64) (uint64, bool) {
	i := behind(s.memory, address) - 1
	if i < 0 || address > s.memory[i].end {
		return 0, false
	}
	return pointerTo(s.first+i) + (address - s.memory[i].address), true
}

// texture returns the texture with an ID.
func (s *resources) texture(id uint64) (uint64, bool) {
	i := behind(s.textures, id) - 1
	if i < 0 || s.textures[i].address != id {
		return 0, false
	}
	return pointerTo(s.first + len(s.memory) + i), true
}

// sampler returns the sampler with an ID.
func (s *resources) sampler(id uint64) (uint64, bool) {
	if id > uint64(s.samplers) {
		return 0, false
	}
	return pointerTo(s.nowhere + int(id)), true
}

// behind returns the index of the first resource behind an address.
func behind(list []resource, address uint64) int {
	i, _ := slices.BinarySearchFunc(list, address, func(r resource, at uint64) int {
		if r.address <= at {
			return -1
		}
		return 1
	})
	return i
}

// toMemory makes of objects a what memory holds, d.
func toMemory(f *frame, in *instruction) {
	a, d := at[uint64](f, in.a), at[uint64](f, in.d)
	if a.uniform() {
		d.set(f.addressOf(a.base))
		return
	}
	x := *a.lanes()
	z := d.vector()
	for i := range z {
		z[i] = f.addressOf(x[i])
	}
}

// addressOf returns the address of what a pointer points to, or the ID of a texture or a sampler.
func (f *frame) addressOf(p uint64) uint64 {
	o := f.object(p)
	switch {
	case o.virtual != 0:
		return o.virtual + uint64(displacement(p))
	case o.info.source.kind == fromNothing || o.info == &nowhere:
		return uint64(displacement(p))
	}
	return p | noAddress
}
