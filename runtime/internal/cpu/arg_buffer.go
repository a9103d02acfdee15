package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/sanitize"
	"github.com/metalgen/metalgen/runtime/internal/cpu/storage"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// bindBuffer finds the buffer that is bound to an index.
func bindBuffer(d *recorded, o *interp.Object, from *driver.Dispatch) {
	o.Missing = true
	for i := range from.Buffers {
		if b := &from.Buffers[i]; b.Arg.Index == o.Info.Source.Index {
			o.Missing = false
			o.Hold(storage.BytesAt(b))
			o.Skew = int64(uintptr(o.Base) & 7)
			if d.kernel.device.options.Sanitize&(driver.CheckShape|driver.CheckGrid) != 0 {
				o.Extent = sanitize.ExtentOf(b)
			}
			o.Constant = o.Constant || storage.IsReadOnly(b.Memory)
			if d.Code.Addresses {
				o.Virtual = b.Memory.Address()
			}
			if o.Virtual != 0 {
				o.Virtual += uint64(b.Offset)
			}
			return
		}
	}
}
