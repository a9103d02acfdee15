package ir

import "errors"

// ErrStopped is what ends where it is asked to, while nobody needs its result any more: it says nothing of a kernel.
var ErrStopped = errors.New("stopped")
