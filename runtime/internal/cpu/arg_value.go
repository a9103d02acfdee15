package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindValue finds the value that is bound to an index.
func bindValue(d *recorded, o *interp.Object, from *driver.Dispatch) {
	bindBuffer(d, o, from) // a params struct may be bound as a buffer too
	for i := range from.Values {
		if v := &from.Values[i]; v.Arg.Index == o.Info.Source.Index {
			o.Missing = false
			o.Hold(d.keep(v.Bytes))
			return
		}
	}
}
