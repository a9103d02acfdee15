// Package fakemetal opens the Metal driver where there is no Metal: on Linux, over a
// fake Objective-C runtime and Metal that executes dispatches on the CPU device. An
// engine's tests go through every line of the driver that way, on any CI machine:
//
//	func openDevice(t testing.TB) *runtime.Device {
//		dev, _ := fakemetal.Open(t, fakemetal.Options{})
//		return dev
//	}
//
// The fake checks each message against the types, lifetimes and order that Apple
// documents. A test fails when the driver sends one that is wrong, when a barrier
// is missing between two dispatches where one needs what the other wrote, and
// when something is still alive at its end. [Log] has what was encoded, for tests
// about barriers and numbers of messages.
//
// Options.Machine and Options.System have it play a Mac that there is, with what its GPU and its system lack: an M1, an
// M3, one of Intel's, or the virtual ones of GitHub's CI. There, a mistake in a descriptor ends the process, as on a
// Mac.
//
// What passes here has met neither Apple's compiler nor a GPU: fast math, the
// memory model and the speed of real hardware are not faked.
//
// It is a package of its own beside runtimetest because it links purego, which makes
// a test binary a dynamically linked one, and because it wants a C compiler when the
// test runs. Tests are skipped where there is none, and elsewhere than on Linux
// (amd64 and arm64).
package fakemetal
