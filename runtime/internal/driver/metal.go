package driver

// Metal is what a device of Metal has for code that sends messages of its own. Objects are passed as their addresses,
// which are those of the device: getting one takes no reference to it.
type Metal interface {
	// Device returns the MTLDevice, and Queue the MTLCommandQueue that batches go through.
	Device() uintptr
	Queue() uintptr

	// Buffer returns the MTLBuffer of memory of the device.
	Buffer(m Memory) uintptr

	// Offset returns where in that MTLBuffer the memory begins, in bytes.
	Offset(m Memory) int

	// WrapBuffer makes memory of an MTLBuffer of the device, to which it keeps a reference until Free, and returns how
	// many bytes it has.
	WrapBuffer(buffer uintptr, readOnly bool) (m Memory, size int, err error)

	// Event returns the MTLSharedEvent of an event of the device.
	Event(e Event) uintptr

	// WrapEvent makes an event of an MTLSharedEvent, to which it keeps a reference until Free.
	WrapEvent(event uintptr) (Event, error)
}

// MetalRecorder is what a recorder of such a device has besides. Objects must live until the job is done.
type MetalRecorder interface {
	// Encode adds what encode sends to an MTLComputeCommandEncoder, which has been told nothing. It is called once for
	// each Submit, within an autorelease pool, when the job is submitted or soon afterwards, or once it is started, on
	// any goroutine. The encoder is ended after it.
	Encode(encode func(encoder uintptr))
}
