package preprocess

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Error is one mistake in a source, or with Warning set one remark about it. With
// Unsupported set it is about what Metal may allow and metalgen does not know.
type Error struct {
	Pos         Pos
	Msg         string
	Warning     bool
	Unsupported bool
	// Cause is one for all warnings that say the same of different things.
	Cause string
	// Bodiless is the function that the source only declares, if the error says that. Another source may define it.
	Bodiless string
}

func (e *Error) Error() string {
	kind := ""
	if e.Warning {
		kind = "warning: "
	}
	if e.Pos.Line == 0 {
		return fmt.Sprintf("%s: %s%s", e.Pos.Filename, kind, e.Msg)
	}
	return fmt.Sprintf("%s:%d:%d: %s%s", e.Pos.Filename, e.Pos.Line, e.Pos.Column, kind, e.Msg)
}

// ErrorList collects errors and warnings.
type ErrorList []*Error

// Add appends an error at pos.
func (l *ErrorList) Add(pos Pos, format string, args ...any) {
	*l = append(*l, &Error{Pos: pos, Msg: fmt.Sprintf(format, args...)})
}

// Warn appends a warning at pos. Its format is its cause.
func (l *ErrorList) Warn(pos Pos, format string, args ...any) { l.WarnOf(format, pos, format, args...) }

// WarnOf appends a warning at pos, whose cause the arguments say.
func (l *ErrorList) WarnOf(cause string, pos Pos, format string, args ...any) {
	*l = append(*l, &Error{Pos: pos, Msg: fmt.Sprintf(format, args...), Warning: true, Cause: cause})
}

// Sort orders the list by file and position and drops repetitions, which
// arise where a header is included by several sources.
func (l *ErrorList) Sort() {
	slices.SortStableFunc(*l, func(a, b *Error) int {
		return cmp.Or(
			cmp.Compare(a.Pos.Filename, b.Pos.Filename),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Msg, b.Msg),
		)
	})
	*l = slices.CompactFunc(*l, func(a, b *Error) bool { return *a == *b })
}

// HasErrors reports whether the list holds more than warnings.
func (l ErrorList) HasErrors() bool {
	return slices.ContainsFunc(l, func(e *Error) bool { return !e.Warning })
}

func (l ErrorList) Error() string {
	var b strings.Builder
	for i, e := range l {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(e.Error())
	}
	return b.String()
}
