package cpu

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu/interp"
	"github.com/metalgen/metalgen/runtime/internal/cpu/program"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// binders find the memory of objects for a dispatch that is recorded, by where it comes from.
var binders = [program.SourceKinds]func(d *recorded, o *interp.Object, from *driver.Dispatch){
	program.FromBuffer: bindBuffer, program.FromValue: bindValue, program.FromTexture: bindTexture,
	program.FromSampler:  bindSampler,
	program.FromConstant: bindConstant, program.FromThreadgroup: bindThreadgroup, program.OfSampler: showSampler,
	program.OfTable:  func(_ *recorded, o *interp.Object, _ *driver.Dispatch) { o.Hold(o.Info.Source.Bytes) },
	program.OfGroup:  func(d *recorded, o *interp.Object, _ *driver.Dispatch) { d.share(o, o.Info.Source.Size) },
	program.OfThread: func(_ *recorded, o *interp.Object, _ *driver.Dispatch) { o.Size = int64(o.Info.Source.Size) },
}
