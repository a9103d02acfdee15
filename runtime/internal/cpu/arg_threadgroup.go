package cpu

import (
	"unsafe"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// threadgroupArg is the threadgroup memory that the dispatch sizes for an index.
type threadgroupArg struct {
	inThreadgroup
	index int
}

func (a threadgroupArg) bind(d *dispatch, o *object, from *driver.Dispatch) {
	o.missing = true
	for i := range from.Shared {
		if s := &from.Shared[i]; s.Arg.Index == a.index {
			o.missing = false
			d.share(o, s.Length)
			return
		}
	}
}

// share makes the next bytes of threadgroup memory that of an object.
func (d *dispatch) share(o *object, size int) {
	o.start, o.size = d.shared, int64(size)
	d.shared += (size + 15) &^ 15
}

// inThreadgroup is embedded in sources that share threadgroup memory.
type inThreadgroup struct{}

func (inThreadgroup) prepare(f *frame, o *object) {
	if memory := f.group.memory; len(memory) > 0 {
		o.base = unsafe.Add(unsafe.Pointer(&memory[0]), o.start)
		if f.program.tracks {
			o.unset = unsafe.Add(unsafe.Pointer(&f.group.unset[0]), o.start)
		}
	}
}
