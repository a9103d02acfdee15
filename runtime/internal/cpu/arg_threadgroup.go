package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindThreadgroup makes the threadgroup memory that the dispatch sizes for an index.
func bindThreadgroup(d *recorded, o *object, from *driver.Dispatch) {
	o.missing = true
	for i := range from.Shared {
		if s := &from.Shared[i]; s.Arg.Index == o.info.source.index {
			o.missing = false
			d.share(o, s.Length)
			return
		}
	}
}

// share makes the next bytes of threadgroup memory that of an object.
func (d *recorded) share(o *object, size int) {
	o.start, o.size = d.shared, int64(size)
	d.shared += (size + 15) &^ 15
}
