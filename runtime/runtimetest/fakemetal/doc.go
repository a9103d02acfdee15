// Package fakemetal opens the Metal driver where there is no Metal: on Linux, over a fake Objective-C runtime and Metal
// that executes dispatches on the CPU device. An engine's tests exercise the whole driver that way, on any CI machine:
//
//	func openDevice(t testing.TB) *runtime.Device {
//		dev, _ := fakemetal.Open(t, fakemetal.Options{})
//		return dev
//	}
//
// The fake checks each message against the types, lifetimes and order that Apple documents. A test fails if the driver
// sends a wrong message, if a barrier is missing between two dispatches that depend on each other, and if something is
// still alive at its end. [Log] has what was encoded, for tests about barriers and numbers of messages.
//
// Options.Machine and Options.System make it a real Mac, without what its GPU and its system lack: an M1, an M3, an
// Intel Mac, or GitHub's virtual ones. There, a mistake in a descriptor ends the process, as on a Mac.
//
// Tests that pass here have met neither Apple's compiler nor a GPU: fast math, the memory model and the speed of real
// hardware are not faked.
//
// It is separate from runtimetest because it links purego, which makes a test binary dynamically linked, and because it
// needs a C compiler when the test runs. Tests are skipped if there is none, and on systems other than Linux (amd64 and
// arm64).
package fakemetal
