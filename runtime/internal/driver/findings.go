package driver

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/quote"
)

// Finding is a mistake of a kernel that does not end it.
type Finding struct {
	Kind   Checks // one of them
	Kernel string // as in the source
	Msg    string // "race on shared[0]: thread (0, 0, 0) writes it, and ..."
	Places []Place
	Group  [3]int // threadgroup_position_in_grid of the first place's thread
	Count  int    // how often the same places made it
	Call   int    // which Record it was of, from 1; 0 where it is not known
	At     string // what its message ends with, or ""
}

// Place is a place in the source that takes part in a finding.
type Place struct {
	Pos    string // "norm.metal:31:17"
	Line   string // of the source, "" where it is not known
	Column int    // in bytes, from 1
	Thread [3]int // thread_position_in_grid
	Group  [3]int // threadgroup_position_in_grid
}

// String returns the finding with the lines of the source.
func (f *Finding) String() string {
	var b strings.Builder
	b.WriteString(f.Kernel)
	for i, p := range f.Places {
		if i == 0 {
			fmt.Fprintf(&b, ": %s: %s", p.Pos, f.Msg)
			if !f.ofCall() {
				b.WriteString("; threadgroup " + position(f.Group))
			}
			switch {
			case f.Count == 2:
				b.WriteString(", and once more")
			case f.Count > 2:
				fmt.Fprintf(&b, ", and %d times more", f.Count-1)
			}
			b.WriteString(f.At)
		} else {
			fmt.Fprintf(&b, "\n%s:", p.Pos)
		}
		if p.Line != "" {
			b.WriteString("\n" + quote.Line(p.Line, p.Column))
		}
	}
	return b.String()
}

// ofCall reports whether the mistake is that of a call, and of no thread.
func (f *Finding) ofCall() bool { return f.Kind&(CheckGrid|CheckIdle) != 0 }

// Findings is the error of a job in which something was found.
type Findings struct {
	List []Finding
	More int // that are not in List
}

// Error returns the findings one after the other.
func (e *Findings) Error() string {
	var lines []string
	for i := range e.List {
		lines = append(lines, e.List[i].String())
	}
	if e.More > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", e.More))
	}
	return strings.Join(lines, "\n")
}
