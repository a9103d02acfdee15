package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// valueArg is the value that is bound to an index.
type valueArg struct {
	bound
	index int
}

func (a valueArg) bind(d *dispatch, o *object, from *driver.Dispatch) {
	bufferArg{index: a.index}.bind(d, o, from) // a params struct may be bound as a buffer too
	for i := range from.Values {
		if v := &from.Values[i]; v.Arg.Index == a.index {
			o.missing = false
			o.hold(d.keep(v.Bytes))
			return
		}
	}
}
