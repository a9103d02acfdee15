package cpu

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// resources are those of a dispatch: the memory to which pointers in its arguments may lead,
// whole, and the textures of which they have the IDs. Each is an object behind those of the
// program: memory, textures, one for numbers that lead nowhere, and all samplers of the device
// that have an ID. Programs that neither load nor store such numbers have none.
type resources struct {
	memory   []resource // by their addresses
	textures []resource // by their IDs
	samplers int
	infos    []objectInfo
	first    int // the object of the first
	nowhere  int // the object of what is no number of any
}

// resource is memory that pointers may lead to, or a texture. It is the source of its object.
type resource struct {
	bound
	memory  driver.Memory
	texture *texture
	address uint64
	end     uint64 // the address behind the last byte of memory
	writes  bool
	name    string
	part    *part // of memory, nil for all of it
}

func (*resource) bind(*dispatch, *object, *driver.Dispatch) {}

// elsewhere is the source of the object for numbers that lead nowhere, and of samplers.
type elsewhere struct{ bound }

func (elsewhere) bind(*dispatch, *object, *driver.Dispatch) {}

var (
	nowhere        = objectInfo{name: "nothing", source: elsewhere{}}
	anyOfItsDevice = objectInfo{name: "a sampler", element: tree.SamplerType, source: elsewhere{}}
)

func (s *resources) reset() {
	clear(s.memory)
	clear(s.textures)
	clear(s.infos)
	s.memory, s.textures, s.infos = s.memory[:0], s.textures[:0], s.infos[:0]
}

// useResources makes objects of the resources of a dispatch. Buffers that are arguments are among them,
// because the kernel may store pointers into them.
func (d *dispatch) useResources(from *driver.Dispatch) {
	s := &d.resources
	s.reset()
	for i := range from.Resources {
		r := &from.Resources[i]
		if r.Memory != nil {
			s.add(r.Memory, r.Writes, r.Name())
			continue
		}
		s.textures = append(s.textures,
			resource{texture: r.Texture.(*texture), address: r.Texture.ID(), writes: r.Writes, name: r.Name()})
	}
	for i := range from.Buffers {
		b := &from.Buffers[i]
		s.add(b.Memory, b.Arg.Writes, b.Arg.Name)
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
func (d *dispatch) useSamplers() {
	samplers := d.kernel.device.samplers.All()
	for i := d.resources.samplers; i < len(samplers); i++ {
		d.objects = append(d.objects, object{info: &anyOfItsDevice, sampler: &samplers[i], virtual: uint64(i + 1)})
	}
	d.resources.samplers = len(samplers)
}

// useAll makes objects of resources of one kind.
func (d *dispatch) useAll(what string, list []resource, hold func(o *object, r *resource)) {
	s := &d.resources
	first := len(s.infos)
	for i := range list {
		r := &list[i]
		s.infos = append(s.infos, objectInfo{name: what + r.name, readOnly: !r.writes, source: r})
	}
	for i := range list {
		o := object{info: &s.infos[first+i], virtual: list[i].address}
		hold(&o, &list[i])
		d.objects = append(d.objects, o)
	}
}

// add adds memory that has an address.
func (s *resources) add(m driver.Memory, writes bool, name string) {
	if at := m.Address(); at != 0 {
		end := at + uint64(len(bytesIn(m)))
		s.memory = append(s.memory, resource{memory: m, address: at, end: end, writes: writes, name: name})
	}
	if own, ok := m.(*memory); ok {
		s.addParts(own, writes, name)
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

// wrongHandle faults where lanes use a handle that leads to no texture or sampler of a type.
func (f *frame) wrongHandle(in *instruction, handle int32, t *tree.Type, o *object, lanes uint32) {
	lane := bits.TrailingZeros32(lanes)
	var msg string
	switch {
	case o.texture != nil && t.Kind == tree.Texture:
		msg = fmt.Sprintf("%s is no %s, or not made for this: it is a %v texture of %v", o.info.name, t,
			o.texture.spec.Type, o.texture.spec.Format)
	case o.info == &nowhere:
		msg = fmt.Sprintf("the ID %#x is of no %s that the arguments of the call lead to",
			displacement(at[uint64](f, handle).value(lane)), t)
	case o.isNull():
		msg = fmt.Sprintf("a null %s, or one made of a number", t)
	default:
		msg = fmt.Sprintf("%s is no %s", o.info.name, t)
	}
	f.faultLane(in, lane, errOutOfBounds, msg)
}
