package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindBuffer finds the buffer that is bound to an index.
func bindBuffer(d *recorded, o *object, from *driver.Dispatch) {
	o.missing = true
	for i := range from.Buffers {
		if b := &from.Buffers[i]; b.Arg.Index == o.info.source.index {
			o.missing = false
			o.hold(bytesAt(b))
			o.skew = int64(uintptr(o.base) & 7)
			if d.kernel.device.options.Sanitize&(driver.CheckShape|driver.CheckGrid) != 0 {
				o.extent = extentOf(b)
			}
			o.constant = o.constant || isReadOnly(b.Memory)
			if d.program.addresses {
				o.virtual = b.Memory.Address()
			}
			if o.virtual != 0 {
				o.virtual += uint64(b.Offset)
			}
			return
		}
	}
}
