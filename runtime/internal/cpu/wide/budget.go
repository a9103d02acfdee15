package wide

import "errors"

// Why a program has no code. It is not the code's fault: the interpreter executes it as well.
var (
	ErrTooLarge = errors.New("the program is too large")
	ErrStopped  = errors.New("stopped")
)

// Budget is what may be spent on the code of one program. Tables are counted before they are made, and the code of an
// instruction before the next one is written. The counts leave out that slices grow to twice what is in them, and that
// the code is put together in a copy.
type Budget struct {
	// Bytes are those of the code, and of the tables that are made with it and for it.
	Bytes int
	// Stop is called now and then. It reports whether nobody waits for the code any more. It may be nil.
	Stop func() bool

	steps int
	err   error
}

// Err returns why the budget has ended, or nil.
func (b *Budget) Err() error { return b.err }

// Take notes that n bytes are about to be made. It reports false if fewer are left.
func (b *Budget) Take(n int) bool {
	if n > b.Bytes {
		b.end(ErrTooLarge)
		return false
	}
	b.Bytes -= n
	return b.err == nil
}

// Step notes n steps of work. It reports false if the budget has ended.
func (b *Budget) Step(n int) bool {
	const patience = 1 << 14
	if b.steps += n; b.steps >= patience {
		b.steps = 0
		if b.Stop != nil && b.Stop() {
			b.end(ErrStopped)
		}
	}
	return b.err == nil
}

func (b *Budget) end(err error) {
	if b.err == nil {
		b.err = err
	}
}

// What is made for each instruction, block, register and so on, in bytes.
const (
	bytesOfInstruction = 24 // beside the program itself: tables by instruction, of analysis and of Code
	BytesOfBlock       = 128
	bytesOfKind        = 8
	BytesOfHeld        = 24
)
