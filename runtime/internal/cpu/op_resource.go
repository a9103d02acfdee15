package cpu

import "slices"

// A pointer in device or constant memory is an address of the device: the host writes it, and
// it means the same in every dispatch. In registers, and in the memory of threads and
// threadgroups, it is an object and an offset as any other pointer. Loads and stores turn one
// into the other.
//
// A pointer that has no address, because what it points to is not memory of the device, is
// marked and kept as it is: whoever loads it in the same dispatch may use it.
const noAddress = uint64(1) << 63

// fromAddress makes pointers d of addresses a.
func fromAddress(f *frame, in *instruction) {
	a, d := at[uint64](f, in.a), at[uint64](f, in.d)
	s := &f.group.dispatch.resources
	if a.uniform() {
		d.set(s.pointer(a.base))
		return
	}
	x := *a.lanes() // which may be those of d
	z := d.vector()
	last, pointer := uint64(0), uint64(0)
	for i := range z {
		if x[i] != last {
			last, pointer = x[i], s.pointer(x[i])
		}
		z[i] = pointer
	}
}

// pointer returns the pointer to what is at an address. The one behind the last byte of a
// resource is the end of it.
func (s *resources) pointer(address uint64) uint64 {
	switch {
	case address == 0:
		return 0
	case address&noAddress != 0:
		return address &^ noAddress
	}
	i, _ := slices.BinarySearchFunc(s.list, address, func(r resource, at uint64) int {
		if r.address <= at {
			return -1
		}
		return 1
	})
	if i > 0 && address <= s.list[i-1].end {
		return pointerTo(int(s.first)+i-1) + (address - s.list[i-1].address)
	}
	if far(int64(address)) {
		return 0
	}
	return pointerTo(int(s.nowhere)) + address
}

// toAddress makes addresses d of pointers a.
func toAddress(f *frame, in *instruction) {
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

// addressOf returns the address of what a pointer points to.
func (f *frame) addressOf(p uint64) uint64 {
	o := f.object(p)
	switch {
	case o.virtual != 0:
		return o.virtual + uint64(displacement(p))
	case o.info.source == nil || o.info == &nowhere:
		return uint64(displacement(p))
	}
	return p | noAddress
}
