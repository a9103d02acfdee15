package metal

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// A batch is committed in pieces, each with a command buffer of its own. So the GPU begins with the first one while
// the host encodes the others, and a long batch is no command buffer that the watchdog of the system ends.
//
// Nothing of a batch is committed while it is recorded, because nothing of a batch with a mistake may run, unless it is
// started (start.go).
//
// Metal orders what command buffers of a queue do with one buffer or texture, and where it cannot know, a fence does
// (wrap.go). So a piece begins without hazards.

// piece is a part of a batch.
type piece struct {
	tape    objc.Tape
	kernels []*driver.Kernel // in the order of their dispatches
	states  []*pipeline      // of these
	bytes   uintptr          // of their arguments
	reached residency        // by dispatches, through what their arguments hold
	logging logging

	waits   []eventValue          // for which it waits
	encodes func(encoder uintptr) // what it does instead of dispatches, or nil
	texels  []texelCopy           // what it copies into textures instead
	uploads int                   // calls that these are of
	signals []eventValue          // with which it ends

	first, last int // its calls, by their numbers

	commands commands // that do what the tape says, where the batch is kept
}

// pieceSize is what a piece has at most, before its last dispatch.
type pieceSize struct {
	dispatches int
	bytes      uintptr
}

// mostOfPiece keeps the cost of pieces low: on the fake, one costs the host 8 µs, as much as 40 dispatches
// (BenchmarkPieces). Reading 256 MB takes the fastest GPU a quarter of a millisecond. MLX commits 20 to 50 operations
// or 40 to 50 MB at a time, ggml 64 operations and then the rest; their dispatches cost the host more.
var mostOfPiece = pieceSize{dispatches: 128, bytes: 256 << 20}

// isFull reports whether the next dispatch goes into another piece.
func (p *piece) isFull(most pieceSize) bool {
	return len(p.kernels) >= most.dispatches || len(p.kernels) > 0 && p.bytes >= most.bytes || p.encodes != nil ||
		p.uploads > 0 || len(p.signals) > 0
}

// isEmpty reports whether the piece does nothing yet but to wait.
func (p *piece) isEmpty() bool { return p.dispatches() == 0 && len(p.signals) == 0 }

// add adds a dispatch whose messages are on the tape.
func (p *piece) add(k *driver.Kernel, state *pipeline, call int) {
	if len(p.kernels) == 0 {
		p.first = call
	}
	p.last = call
	p.kernels, p.states = append(p.kernels, k), append(p.states, state)
	if state.logs {
		p.logging.add(k)
	}
}

// dispatches returns how many calls and copies the piece has, where what code beside the driver does is one.
func (p *piece) dispatches() int {
	if p.encodes != nil {
		return 1
	}
	return len(p.kernels) + p.uploads
}

// name returns the name of the first dispatch, "Encode" of what code beside the driver does, or "" where there is
// neither.
func (p *piece) name() string {
	switch {
	case p.encodes != nil:
		return "Encode"
	case p.uploads > 0:
		return "CopyTexels"
	case len(p.kernels) == 0:
		return ""
	case p.kernels[0].Library == &copyLibrary:
		return "Copy"
	default:
		return p.kernels[0].Name
	}
}

// reset forgets the piece and keeps its storage.
func (p *piece) reset() {
	p.tape.Reset()
	p.reached.reset()
	p.commands.reset()
	clear(p.kernels)
	clear(p.states)
	p.states = p.states[:0]
	p.kernels, p.bytes, p.logging = p.kernels[:0], 0, logging{}
	p.first, p.last = 0, 0
	clear(p.texels)
	p.texels, p.uploads = p.texels[:0], 0
	p.waits, p.encodes, p.signals = p.waits[:0], nil, p.signals[:0]
}

// next makes the next piece the one that is recorded. In a batch that was started, those before are ready.
func (r *recorder) next() {
	j := &r.job
	j.mu.Lock()
	defer j.mu.Unlock()
	if r.count == len(r.pieces) {
		r.pieces = append(r.pieces, &piece{})
	}
	r.piece = r.pieces[r.count]
	if j.open {
		j.admit(r.pieces[:r.count], r.device.options.Times)
		j.more.Broadcast()
	}
	r.count++
}

// begin begins a piece, whose encoder knows nothing of what the last one was told.
func (r *recorder) begin() {
	r.next()
	r.pipeline = nil
	r.hazards.clear()
	for _, a := range r.args {
		a.restart()
	}
}
