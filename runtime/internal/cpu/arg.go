package cpu

import "github.com/metalgen/metalgen/runtime/internal/driver"

// binders find the memory of objects for a dispatch that is recorded, by where it comes from.
var binders = [sourceKinds]func(d *recorded, o *object, from *driver.Dispatch){
	fromBuffer: bindBuffer, fromValue: bindValue, fromTexture: bindTexture, fromSampler: bindSampler,
	fromConstant: bindConstant, fromThreadgroup: bindThreadgroup, ofSampler: showSampler,
	ofTable:  func(_ *recorded, o *object, _ *driver.Dispatch) { o.hold(o.info.source.bytes) },
	ofGroup:  func(d *recorded, o *object, _ *driver.Dispatch) { d.share(o, o.info.source.size) },
	ofThread: func(_ *recorded, o *object, _ *driver.Dispatch) { o.size = int64(o.info.source.size) },
}
