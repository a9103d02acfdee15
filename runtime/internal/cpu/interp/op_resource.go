package interp

import (
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
)

// A pointer in device or constant memory is an address of the device, and a texture or a sampler
// its ID: the host writes them, and they mean the same in every dispatch. In registers, and in the
// memory of threads and threadgroups, each is an object and an offset. Loads and stores turn one
// into the other.
//
// What has no address, because it is not memory of the device, is marked and kept as it is:
// a load of it in the same dispatch may use it.
const noAddress = uint64(1) << 63

// fromNumber returns an operation that finds what each lane has the number of.
func fromNumber(find func(s *Resources, number uint64) (uint64, bool)) Operation {
	return func(f *Frame, in *program.Instruction) {
		a, d := At[uint64](f, in.A), At[uint64](f, in.D)
		s := &f.Group.Dispatch.Resources
		if a.uniform() {
			d.Set(s.found(a.Base, find))
			return
		}
		x := *a.Lanes() // which may be those of d
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
func (s *Resources) found(number uint64, find func(s *Resources, number uint64) (uint64, bool)) uint64 {
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
	return program.PointerTo(int(s.Nowhere)) + number
}

// pointer returns the pointer to what is at an address. The one after the last byte of a
// resource is the end of it.
func (s *Resources) pointer(address uint64) (uint64, bool) {
	i := behind(s.Memory, address) - 1
	if i < 0 || address > s.Memory[i].End {
		return 0, false
	}
	return program.PointerTo(s.First+i) + (address - s.Memory[i].Address), true
}

// texture returns the texture with an ID.
func (s *Resources) texture(id uint64) (uint64, bool) {
	i := behind(s.Textures, id) - 1
	if i < 0 || s.Textures[i].Address != id {
		return 0, false
	}
	return program.PointerTo(s.First + len(s.Memory) + i), true
}

// sampler returns the sampler with an ID.
func (s *Resources) sampler(id uint64) (uint64, bool) {
	if id > uint64(s.Samplers) {
		return 0, false
	}
	return program.PointerTo(s.Nowhere + int(id)), true
}

// behind returns the index of the first resource after an address.
func behind(list []Resource, address uint64) int {
	i, _ := slices.BinarySearchFunc(list, address, func(r Resource, at uint64) int {
		if r.Address <= at {
			return -1
		}
		return 1
	})
	return i
}

// toMemory makes of objects a what memory holds, d.
func toMemory(f *Frame, in *program.Instruction) {
	a, d := At[uint64](f, in.A), At[uint64](f, in.D)
	if a.uniform() {
		d.Set(f.addressOf(a.Base))
		return
	}
	x := *a.Lanes()
	z := d.vector()
	for i := range z {
		z[i] = f.addressOf(x[i])
	}
}

// addressOf returns the address of what a pointer points to, or the ID of a texture or a sampler.
func (f *Frame) addressOf(p uint64) uint64 {
	o := f.Object(p)
	switch {
	case o.Virtual != 0:
		return o.Virtual + uint64(program.Displacement(p))
	case o.Info.Source.Kind == program.FromNothing || o.Info == &Nowhere:
		return uint64(program.Displacement(p))
	}
	return p | noAddress
}
