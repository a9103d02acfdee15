package cpu

import (
	"fmt"
	"math/bits"

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

// resource is memory that pointers may lead to, or a texture.
type resource struct {
	memory  driver.Memory
	texture *texture
	address uint64
	end     uint64 // the address behind the last byte of memory
	writes  bool
	name    string
	part    *part // of memory, nil for all of it
}

var (
	nowhere        = objectInfo{name: "nothing", source: source{kind: fromElsewhere}}
	anyOfItsDevice = objectInfo{name: "a sampler", element: tree.SamplerType, source: source{kind: fromElsewhere}}
)

func (s *resources) reset() {
	clear(s.memory)
	clear(s.textures)
	clear(s.infos)
	s.memory, s.textures, s.infos = s.memory[:0], s.textures[:0], s.infos[:0]
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
