// Package metal is the device that runs kernels on Metal, by Objective-C messages through package objc.
//
// It turns each [driver.Dispatch] into messages to compute encoders. They are recorded on a tape while a batch is made,
// and replayed in one call when the batch is submitted. Start reading at recorder.go, which follows a dispatch.
//
// What is particular to a kind of argument is in one file, arg_*.go. The table of kinds is in arg.go. Values lie in
// buffers of the driver (arena.go). Buffers and values share a table of the encoder (table.go), in which what a call
// leaves out has a placeholder (placeholder.go); textures and samplers have one each (slots.go). Dispatches of a batch
// may overlap, with barriers where their bytes meet (hazard.go). What they reach through pointers in memory is made
// resident (residency.go). Copies are kernels of the driver's own (copy.go), except those of texels (blit.go). What a
// batch copies from the host is staged (upload.go).
//
// What a GPU or a system may lack is asked when a device is opened (ability.go, system.go), and is an error before
// Metal would end the process.
//
// A batch has a command buffer for each of its pieces (piece.go), which are committed in order (submit.go), or while
// later ones are recorded (start.go). A submitted batch is a job (job.go), which ends with the times of the GPU or its
// error (completion.go, gpuerror.go). One that is kept becomes commands of the GPU's own (commands.go). Events are in
// event.go.
//
// Memory is shared with the host (memory.go), private (private.go) or the caller's (wrap.go), which may be seen through
// several views (view.go). Freed buffers are used again (reuse.go), and memory stays resident between batches
// (wired.go).
//
// A kernel is compiled when it is first used: its library from source or metallib (library.go, metallib.go), then its
// pipeline (pipeline.go), which is used only if Metal's own description of the arguments agrees with that of the
// generated code (reflection.go, drift.go). It is kept on disk (archive.go). The texts of compilers become typed errors
// (diagnostics.go).
//
// Code beside the driver gets its objects, and encodes into batches (native.go). What kernels write with os_log comes
// back through blocks (log.go).
//
// Tests run on Linux, against the fake in metaltest. Those of *fixture_test.go and methods_test.go run on a Mac too, as
// the programme of firstday_test.go, and check the fake against Metal.
package metal
