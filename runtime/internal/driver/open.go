package driver

// How packages of tests get at what the runtime does not show, because its types are internal: runtimetest and
// fakemetal open devices of their own. Package runtime sets these; what they return is a *runtime.Device.
var (
	// NewDevice returns a device of a driver.
	NewDevice func(d Device) any

	// OpenDevice returns a device of the driver that open opens with options, of type runtime.Options, but
	// ignores Device.
	OpenDevice func(options any, open func(Options) (Device, error)) (device any, err error)
)
