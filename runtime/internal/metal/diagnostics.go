package metal

import (
	"errors"
	"regexp"
	"strings"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// The error of a source that does not compile. Apple: MTLLibraryErrorDomain and
// MTLLibraryErrorCompileFailure in MTLLibrary.h.
const (
	libraryDomain  = "MTLLibraryErrorDomain"
	compileFailure = 3
)

// compileError makes a CompileError of what Metal says of a source, and leaves
// alone what is the system's fault.
func compileError(file string, err error) error {
	var e *objc.Error
	if errors.As(err, &e) && e.Domain == libraryDomain && e.Code == compileFailure {
		return &driver.CompileError{File: file, Diagnostics: diagnostics(file, e.Description)}
	}
	return err
}

// sourceName is what Metal's compiler calls a source without #line markers.
const sourceName = "program_source"

// diagnosticLine is a line of clang's that is not one of the source:
// "norm.metal:12:3: error: unknown type", "error: too many errors".
var diagnosticLine = regexp.MustCompile(
	`^(?:(\S.*?):(\d+):(?:(\d+):)? )?(fatal error|error|warning|note|remark): (.*)$`)

// diagnostics takes the text of a compiler apart. Lines of the source and carets
// below them are left out, as their numbers are there; a note becomes part of what
// it is about. A text in which no error is found is one, whole.
func diagnostics(file, text string) []driver.Diagnostic {
	var list []driver.Diagnostic
	failed := false
	for line := range strings.Lines(text) {
		m := diagnosticLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		d := driver.Diagnostic{Pos: position(file, m[1], m[2], m[3]), Msg: m[5]}
		switch m[4] {
		case "note":
			if len(list) > 0 {
				last := &list[len(list)-1]
				d.Msg = "note: " + d.Msg
				last.Msg += "\n\t" + d.String()
				continue
			}
		case "warning", "remark":
			d.Warning = true
		default:
			failed = true
		}
		list = append(list, d)
	}
	if !failed {
		list = append(list, driver.Diagnostic{Msg: strings.TrimSpace(text)})
	}
	return list
}

// position returns, say, "norm.metal:12:3", and "" where the compiler names no place.
func position(file, name, line, column string) string {
	if line == "" || name == "<unknown>" {
		return ""
	}
	if name == sourceName {
		name = file
	}
	if column != "" {
		column = ":" + column
	}
	return name + ":" + line + column
}
