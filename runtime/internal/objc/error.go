package objc

import "fmt"

var (
	selCode                 = Selector("code", "q")
	selDomain               = Selector("domain", "@")
	selLocalizedDescription = Selector("localizedDescription", "@")
)

// Error is a copy of an NSError. Apple: NSError.h.
type Error struct {
	Code        int
	Domain      string // says whose Code it is: "MTLLibraryErrorDomain"
	Description string // for people; of a compiler, all it has to say, in several lines
}

// NewError copies an NSError into an [*Error]; it returns nil for nil.
func NewError(id ID) error {
	if id == 0 {
		return nil
	}
	return &Error{
		Code:        int(id.Send(selCode)),
		Domain:      String(ID(id.Send(selDomain))),
		Description: String(ID(id.Send(selLocalizedDescription))),
	}
}

// Error returns, say, "program_source:1:1: error: unknown type (MTLLibraryErrorDomain 3)".
func (e *Error) Error() string { return fmt.Sprintf("%s (%s %d)", e.Description, e.Domain, e.Code) }

// errorOf is for results that say failure: methods may leave the reason out.
func errorOf(sel *SEL, id ID) error {
	if id == 0 {
		return &Error{Domain: "objc", Description: sel.name + " failed without a reason"}
	}
	return NewError(id)
}
