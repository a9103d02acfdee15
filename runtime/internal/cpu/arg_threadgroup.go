package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindThreadgroup makes the threadgroup memory that the dispatch sizes for an index.
func bindThreadgroup(d *recorded, o *interp.Object, from *driver.Dispatch) {
	o.Missing = true
	for i := range from.Shared {
		if s := &from.Shared[i]; s.Arg.Index == o.Info.Source.Index {
			o.Missing = false
			d.share(o, s.Length)
			return
		}
	}
}

// share makes the next bytes of threadgroup memory that of an object.
func (d *recorded) share(o *interp.Object, size int) {
	o.Start, o.Size = d.Shared, int64(size)
	d.Shared += (size + 15) &^ 15
}
