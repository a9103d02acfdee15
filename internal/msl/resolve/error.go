package resolve

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/parser"
)

// ErrorAt replaces the position of an error, which for what stands in an attribute
// counts from the attribute.
func ErrorAt(err error, pos parser.Pos) error {
	if e, ok := err.(*parser.Error); ok {
		return &parser.Error{Pos: pos, Msg: e.Msg}
	}
	return err
}

// ErrReported stands for an error that has been added to the list already.
var ErrReported = errors.New("reported")

// ErrDependent stands for no error: what is asked for depends on the parameters of a
// template, about which nothing is known yet (vet.go).
var ErrDependent = fmt.Errorf("dependent: %w", ErrReported)

// Unsupported is an error about what Metal allows and metalgen does not bind
// yet: kernels that need it are left out, with a warning.
type Unsupported struct{ At *parser.Error }

// Error returns the message, as error wants it.
func (e Unsupported) Error() string { return e.At.Error() }

// Unwrap returns the error with its position.
func (e Unsupported) Unwrap() error { return e.At }

// UnsupportedError is an error about what Metal may allow and metalgen does not know.
func UnsupportedError(pos parser.Pos, format string, args ...any) error {
	return Unsupported{&parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Unsupported: true}}
}

// Errorf is an error with its position.
func Errorf(pos parser.Pos, format string, args ...any) error {
	return &parser.Error{Pos: pos, Msg: fmt.Sprintf(format, args...)}
}

// Report adds err to a list, once.
func Report(list *parser.ErrorList, err error, pos parser.Pos) {
	if errors.Is(err, ErrReported) {
		return
	}
	if several := (parser.ErrorList)(nil); errors.As(err, &several) {
		*list = append(*list, several...)
		return
	}
	var e *parser.Error
	if errors.As(err, &e) {
		if e.Pos.Line == 0 {
			e.Pos = pos
		}
		*list = append(*list, e)
		return
	}
	list.Add(pos, "%s", err)
}
