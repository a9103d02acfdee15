package interp

import (
	"fmt"
	"math/bits"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Resources are those of a dispatch: the memory to which pointers in its arguments may lead,
// whole, and the textures whose IDs they have. Each is an object after those of the
// program: memory, textures, one for numbers that lead nowhere, and all samplers of the device
// that have an ID. Programs that neither load nor store such numbers have none.
type Resources struct {
	Memory   []Resource // by their addresses
	Textures []Resource // by their IDs
	Samplers int
	Infos    []program.Object
	First    int // the object of the first
	Nowhere  int // the object of what is no number of any
}

// Resource is memory that pointers may lead to, or a texture.
type Resource struct {
	Memory  driver.Memory
	Texture *storage.Texture
	Address uint64
	End     uint64 // the address after the last byte of memory
	Writes  bool
	Name    string
	Part    *storage.Part // of memory, nil for all of it
}

var (
	Nowhere        = program.Object{Name: "nothing", Source: program.Source{Kind: program.FromElsewhere}}
	AnyOfItsDevice = program.Object{Name: "a sampler", Element: tree.SamplerType,
		Source: program.Source{Kind: program.FromElsewhere}}
)

// Reset drops all references.
func (s *Resources) Reset() {
	clear(s.Memory)
	clear(s.Textures)
	clear(s.Infos)
	s.Memory, s.Textures, s.Infos = s.Memory[:0], s.Textures[:0], s.Infos[:0]
}

// reached says what an access to an object that has no elements tried to reach.
func reached(o *Object, at int64, size int) string {
	switch {
	case o.Info == &Nowhere:
		return fmt.Sprintf("the address %#x is in no buffer of the call, nor in one that its arguments point to", at)
	case o.Holds(at, size):
		return fmt.Sprintf("%s: %d bytes at byte %d are not aligned", o.Info.Name, size, at)
	}
	return fmt.Sprintf("%s: %d bytes at byte %d are out of bounds of %d bytes", o.Info.Name, size, at, o.Size)
}

// wrongHandle faults where lanes use a handle that leads to no texture or sampler of a type.
func (f *Frame) wrongHandle(in *program.Instruction, handle int32, t *tree.Type, o *Object, lanes uint32) {
	lane := bits.TrailingZeros32(lanes)
	var msg string
	switch {
	case o.Texture != nil && t.Kind == tree.Texture:
		msg = fmt.Sprintf("%s is not a %s, or not made for this: it is a %v texture of %v", o.Info.Name, t,
			o.Texture.Spec.Type, o.Texture.Spec.Format)
	case o.Info == &Nowhere:
		msg = fmt.Sprintf("the ID %#x is of no %s that the arguments of the call lead to",
			program.Displacement(At[uint64](f, handle).Value(lane)), t)
	case o.isNull():
		msg = fmt.Sprintf("a null %s, or one made of a number", t)
	default:
		msg = fmt.Sprintf("%s is not a %s", o.Info.Name, t)
	}
	f.faultLane(in, lane, errOutOfBounds, msg)
}
