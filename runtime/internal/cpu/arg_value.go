package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindValue finds the value that is bound to an index.
func bindValue(d *recorded, o *object, from *driver.Dispatch) {
	bindBuffer(d, o, from) // a params struct may be bound as a buffer too
	for i := range from.Values {
		if v := &from.Values[i]; v.Arg.Index == o.info.source.index {
			o.missing = false
			o.hold(d.keep(v.Bytes))
			return
		}
	}
}
