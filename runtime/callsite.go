package runtime

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strings"

	"github.com/metalgen/metalgen/runtime/bind"
)

// CallSite identifies the call of a batch that an error, an event or a finding is about. The zero CallSite means that
// it is unknown.
type CallSite struct {
	Number int    // of the call, copy or the like in its batch, from 1
	Label  string // that [Batch.Label] has given it
	Line   string // of the program that recorded it: "engine/model.go:57"; "" without [Options.Lines]
}

// String returns, say, "call 7 (layer 3), engine/model.go:57", or "" for the zero CallSite.
func (s CallSite) String() string {
	if s.Number == 0 {
		return ""
	}
	text := fmt.Sprintf("call %d", s.Number)
	if s.Label != "" {
		text += " (" + s.Label + ")"
	}
	if s.Line != "" {
		text += ", " + s.Line
	}
	return text
}

// suffix returns the site as messages end with it. The only call of a batch needs none.
func (s CallSite) suffix() string {
	if s.Number <= 1 && s.Label == "" && s.Line == "" {
		return ""
	}
	return "; " + s.String()
}

// Label names the calls that are recorded from now on, until the next Label or until the batch is empty: "layer 3".
// Errors, events and findings about them have the name beside their number.
func (b *Batch) Label(label string) {
	b.mustExist()
	b.label = label
}

// Lines says when batches keep the lines of the program that record their calls.
type Lines uint8

// When [Options.Lines] keeps lines.
const (
	LinesInTests Lines = iota // in programs of go test, unless they run benchmarks
	LinesAlways
	LinesNever
)

// linesVariable is the environment variable that decides about lines: on or off.
const linesVariable = "METALGEN_LINES"

// decide returns LinesAlways, LinesNever, or LinesInTests for the lines of mistakes only, which cost nothing.
func (l Lines) decide() Lines {
	if l != LinesInTests {
		return l
	}
	switch os.Getenv(linesVariable) {
	case "on":
		return LinesAlways
	case "off":
		return LinesNever
	}
	if bench := flag.Lookup("test.bench"); bench != nil && bench.Value.String() == "" {
		return LinesAlways
	}
	return LinesInTests
}

// site is what a batch keeps of a call.
type site struct {
	number int
	label  string
	kernel *bind.Kernel
}

// stack is where a call was recorded: in functions of this package, in the generated one, and then in the caller.
type stack [8]uintptr

// noteCall keeps the site of a call that the device has taken, for what happens when it runs.
func (b *Batch) noteCall() {
	*next(&b.sites) = site{b.number, b.label, b.call.kernel}
	if b.dev.lines == LinesAlways {
		goruntime.Callers(2, next(&b.stacks)[:])
	}
}

// siteOf returns the site of a call that the device knows as number i, from 1.
func (b *Batch) siteOf(i int) CallSite {
	if i < 1 || i > len(b.sites) {
		return CallSite{}
	}
	s := &b.sites[i-1]
	c := CallSite{Number: s.number, Label: s.label}
	if i <= len(b.stacks) {
		c.Line = b.stacks[i-1].line(s.kernel)
	}
	return c
}

// recording is the call that is being recorded, for what is told of it later: where lines are kept, it has the stack.
type recording struct {
	of    site
	stack stack
}

func (b *Batch) recording() *recording {
	r := &recording{of: site{b.number, b.label, b.call.kernel}}
	if b.dev.lines == LinesAlways {
		goruntime.Callers(2, r.stack[:])
	}
	return r
}

// site returns the site of the call.
func (r *recording) site() CallSite {
	return CallSite{Number: r.of.number, Label: r.of.label, Line: r.stack.line(r.of.kernel)}
}

// siteHere returns the site of the call that is being recorded.
func (b *Batch) siteHere() CallSite {
	c := CallSite{Number: b.number, Label: b.label}
	if b.dev != nil && b.dev.lines != LinesNever {
		var s stack
		goruntime.Callers(2, s[:])
		c.Line = s.line(b.call.kernel)
	}
	return c
}

// line returns the line of the first function that is neither of this package nor the generated one.
func (s *stack) line(k *bind.Kernel) string {
	generated := ""
	if k != nil && k.Library != nil {
		generated = strings.TrimSuffix(filepath.Base(k.Library.File), ".metal") + "_metal.go"
	}
	n := len(s)
	for n > 0 && s[n-1] == 0 {
		n--
	}
	frames := goruntime.CallersFrames(s[:n])
	for more := n > 0; more; {
		var f goruntime.Frame
		f, more = frames.Next()
		file := filepath.Base(f.File)
		own := strings.HasPrefix(f.Function, ownPackage+".") || strings.HasPrefix(f.Function, ownPackage+"/bind.")
		if !own && file != generated {
			return fmt.Sprintf("%s/%s:%d", filepath.Base(filepath.Dir(f.File)), file, f.Line)
		}
	}
	return ""
}

const ownPackage = "github.com/metalgen/metalgen/runtime"

// locate adds to a mistake of a call which call it is.
func (b *Batch) locate(err error) {
	switch e := err.(type) {
	case *ArgError:
		if e.Call.Number == 0 {
			e.Call = b.siteHere()
		}
	case *GridError:
		e.Call = b.siteHere()
	case *RequireError:
		e.Call = b.siteHere()
	case *CallError:
		if e.Call.Number == 0 {
			e.Call = b.siteHere()
		}
	}
}
