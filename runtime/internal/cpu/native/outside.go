package native

import "github.com/metalgen/metalgen/runtime/internal/cpu/wide"

// Outside returns that of an instruction, or nil for one that is not foreign or may change more than it says.
func (c *Code) Outside(pc int32) *wide.Outside { return c.outside[pc] }

// maxKept bounds the registers in the lists that are kept of where code has given back: about 16 MB.
const maxKept = 1 << 20

// At returns how registers hold their values before an instruction, where code gives back a
// simd-group to the interpreter: all that it may read. It returns as well how many steps that took: none where the list
// was kept from the last time.
func (c *Code) At(pc int32) (list []wide.Held, steps int) {
	if list := c.at[pc].Load(); list != nil {
		return *list, 0
	}
	list, steps = c.analysis.HeldAt(pc)
	if c.kept.Add(int64(len(list))) <= maxKept {
		kept := list // of its own: the result would be allocated at each call
		c.at[pc].Store(&kept)
	} else {
		c.kept.Add(-int64(len(list)))
	}
	return list, steps
}
