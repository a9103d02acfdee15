package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindConstant finds the value of the function constant of an index.
func bindConstant(d *recorded, o *interp.Object, from *driver.Dispatch) {
	o.Missing = true
	for i := range from.Constants {
		if c := &from.Constants[i]; c.Arg.Index == o.Info.Source.Index {
			o.Missing = false
			o.Hold(d.keep(c.Bytes))
			return
		}
	}
}
