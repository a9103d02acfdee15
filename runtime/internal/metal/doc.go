// Package metal is the device that runs kernels on Metal, by Objective-C messages
// through package objc.
//
// In comes a [driver.Dispatch]; out go the messages of one compute encoder, recorded
// on a tape while a batch is made and replayed in one call when it is submitted.
// Dispatches of a batch may overlap, with barriers where their bytes meet
// (hazard.go). Scalars wait in buffers of the recorder (arena.go), what a call leaves
// out has a stand-in (placeholder.go), copies are kernels of the driver's own (copy.go),
// and a batch that is on its way is a job (job.go), which ends with the GPU's times or
// its error (gpuerror.go). Memory is shared with the host (memory.go), private
// (private.go) or the caller's (wrap.go).
//
// Before that, a kernel is made once: its library from source or metallib
// (library.go, metallib.go), its function with constants set (constants.go), its
// pipeline (pipeline.go), which is used only when Metal's own description of the
// arguments agrees with that of the generated code (reflection.go, drift.go).
// Compilers speak in texts, which become typed errors (diagnostics.go).
//
// Its tests run on Linux, against the fake in metaltest; those of fixture_test.go,
// execution_fixture_test.go and methods_test.go run on a Mac too, and tell whether the fake is right.
package metal
