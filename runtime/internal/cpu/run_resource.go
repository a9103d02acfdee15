package cpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// resources are those of a dispatch: the memory to which pointers in its arguments may lead,
// whole. Each is an object behind those of the program, and behind them all is one for
// addresses that lead nowhere. Programs that neither load nor store such pointers have none.
type resources struct {
	list    []resource // by their addresses
	infos   []objectInfo
	first   uint64 // the object of the first
	nowhere uint64 // the object of what is no address of any
}

// resource is memory that pointers may lead to. It is the source of its object.
type resource struct {
	bound
	memory  driver.Memory
	address uint64
	end     uint64 // the address behind its last byte
	writes  bool
	name    string
}

func (*resource) bind(*dispatch, *object, *driver.Dispatch) {}

// elsewhere is the source of the object for addresses that lead nowhere.
type elsewhere struct{ bound }

func (elsewhere) bind(*dispatch, *object, *driver.Dispatch) {}

var nowhere = objectInfo{name: "nothing", source: elsewhere{}}

func (s *resources) reset() {
	clear(s.list)
	clear(s.infos)
	s.list, s.infos = s.list[:0], s.infos[:0]
}

// useResources makes objects of the resources of a dispatch. Buffers that are arguments are among them,
// because the kernel may store pointers into them.
func (d *dispatch) useResources(from *driver.Dispatch) {
	s := &d.resources
	s.reset()
	for i := range from.Resources {
		if r := &from.Resources[i]; r.Memory != nil {
			s.add(r.Memory, r.Writes, r.Name())
		}
	}
	for i := range from.Buffers {
		b := &from.Buffers[i]
		s.add(b.Memory, b.Arg.Writes, b.Arg.Name)
	}
	s.merge()
	s.first = uint64(len(d.objects))
	for i := range s.list {
		r := &s.list[i]
		s.infos = append(s.infos, objectInfo{name: "the memory of " + r.name, readOnly: !r.writes, source: r})
	}
	for i := range s.list {
		r := &s.list[i]
		o := object{info: &s.infos[i], virtual: r.address, constant: isReadOnly(r.memory)}
		o.hold(bytesIn(r.memory))
		o.skew = int64(uintptr(o.base) & 7)
		d.objects = append(d.objects, o)
	}
	s.nowhere = uint64(len(d.objects))
	d.objects = append(d.objects, object{info: &nowhere})
}

// add adds memory that has an address.
func (s *resources) add(m driver.Memory, writes bool, name string) {
	if at := m.Address(); at != 0 {
		end := at + uint64(len(bytesIn(m)))
		s.list = append(s.list, resource{memory: m, address: at, end: end, writes: writes, name: name})
	}
}

// merge sorts the resources and makes one of those that are the same memory.
func (s *resources) merge() {
	slices.SortStableFunc(s.list, func(a, b resource) int { return cmp.Compare(a.address, b.address) })
	kept := s.list[:0]
	for _, r := range s.list {
		if last := len(kept) - 1; last >= 0 && kept[last].address == r.address {
			kept[last].writes = kept[last].writes || r.writes
			continue
		}
		kept = append(kept, r)
	}
	clear(s.list[len(kept):])
	s.list = kept
}

// reached says what an access to an object that has no elements tried to reach.
func reached(o *object, at int64, size int) string {
	switch {
	case o.info == &nowhere:
		return fmt.Sprintf("the address %#x is of no buffer of the call, nor of one that its arguments point to", at)
	case o.holds(at, size):
		return fmt.Sprintf("%s: %d bytes at byte %d are not aligned", o.info.name, size, at)
	}
	return fmt.Sprintf("%s: %d bytes at byte %d are out of bounds of %d bytes", o.info.name, size, at, o.size)
}
