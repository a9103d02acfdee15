package runtime

// RunOption is an option of [Batch.Run] and [Batch.Submit], such as [WithProgress].
type RunOption struct {
	progress func(done, total int)
}

// WithProgress has f called while the batch runs: done says how many of its calls and copies are done, and total how
// many there are. The calls of f come one after the other, with rising numbers, and those of a batch that succeeds end
// with f(total, total), before Run or Wait returns. A batch that dispatches nothing never calls f, and one that
// fails or is stopped calls it for what was done before.
//
// The CPU device calls f after each call of the batch. Metal tells the end of pieces of at most 128 calls, and of each
// with [Options.Times].
//
// f runs on another goroutine, or within Submit of a batch that was started, and the device may wait for it. It must
// not block, wait for any batch, or use the device or anything of it: batches, buffers, textures. A panic of it ends
// the program. Where Run or Wait gives up on a GPU, because the context ends, f is still called until the batch is
// done. Of several such options the last counts. A nil f is not called.
func WithProgress(f func(done, total int)) RunOption { return RunOption{progress: f} }

// progressOf returns what the options ask for, or nil.
func progressOf(options []RunOption) (f func(done, total int)) {
	for _, o := range options {
		f = o.progress
	}
	return f
}
