package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

// bindConstant finds the value of the function constant of an index.
func bindConstant(d *recorded, o *object, from *driver.Dispatch) {
	o.missing = true
	for i := range from.Constants {
		if c := &from.Constants[i]; c.Arg.Index == o.info.source.index {
			o.missing = false
			o.hold(d.keep(c.Bytes))
			return
		}
	}
}
