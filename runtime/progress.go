package runtime

// RunOption is an option of [Batch.Run] and [Batch.Submit], such as [WithProgress].
type RunOption struct {
	progress func(done, total int)
}

// WithProgress has f called while the batch runs: done says how many of its calls and copies are done, and total how
// many there are. The calls of f come one after the other, with rising numbers, and those of a batch that succeeds end
// with f(total, total), before Run or Wait returns. A batch that dispatches nothing never calls f, and one that fails
// or is stopped calls it for what was done before.
//
// The CPU device calls f after each call of the batch. Metal does so after pieces of at most 128 calls, and after each
// call with [Options.Times].
//
// f runs on another goroutine, or within Submit of a batch that was started, and the device may wait for it. It must
// not block, wait for a batch, or use the device, its batches, buffers or textures. A panic in it ends the program. If
// Run or Wait gives up on a GPU because the context ends, f is still called until the batch is done. The last of
// several such options counts, and a nil f has no effect.
func WithProgress(f func(done, total int)) RunOption { return RunOption{progress: f} }

// progressOf returns what the options ask for, or nil.
func progressOf(options []RunOption) (f func(done, total int)) {
	for _, o := range options {
		f = o.progress
	}
	return f
}
