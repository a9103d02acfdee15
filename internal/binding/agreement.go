package binding

import (
	"strings"

	"github.com/metalgen/metalgen/internal/binding/claim"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// Which comments are about a kernel.

// trailingComments reads shapes and docs off the comments after parameters.
func (k *kernelBuilder) trailingComments() {
	for i, p := range k.source.Params {
		arg := k.kernel.Args[i]
		if !arg.IsPassed() || !lastOfLine(k.source, i) {
			continue
		}
		l, ok := trailing(k.program.Tree, p.Pos)
		if !ok {
			continue
		}
		if _, isAnnotation := annotationIn(l); isAnnotation {
			continue // reported as stray
		}
		shape, rest := claim.ShapeIn(l.Text, l.Pos)
		if shape == nil || !arg.Kind.rules().brackets || !arg.Pointer {
			arg.Doc = l.Text
			continue
		}
		before := arg.Shape
		k.shapeProse(claim.Claim{Pos: l.Pos}, arg, shape)
		if arg.Shape == nil && before == nil {
			rest = l.Text // not understood: it stays text
		}
		arg.Doc = strings.TrimSpace(rest)
	}
}

// segment is the part of a comment that speaks of one kernel: a list of
// buffers with the geometry and the text around it.
type segment struct {
	claims   []claim.Claim
	text     []preprocess.Line // that state nothing
	buffers  int               // claims about buffers
	agreeing int               // those that name an argument at its index
}

// agreeing returns the claims above a kernel that are about it, and the text for its doc comment. A list of buffers
// speaks of the kernel where names and indexes are the kernel's own; text and geometry around a list that speaks of
// another kernel are left out with it.
func (k *kernelBuilder) agreeing(blocks []block) ([]claim.Claim, []string) {
	var said []claim.Claim
	var doc []string
	top := min(k.source.Pos.Line, k.source.Decl.Pos.Line)
	for i, bl := range blocks {
		adjacent := bl.end == top-1
		segments := k.segments(bl)
		for _, s := range segments {
			if s.buffers > 1 && s.agreeing == 0 {
				continue
			}
			for _, c := range s.claims {
				if c.Kind != claim.Buffer && s.agreeing == s.buffers || c.Kind == claim.Buffer && k.holds(c) {
					said = append(said, c)
				}
			}
			if s.buffers > 0 && s.agreeing == 0 {
				continue
			}
			// Text above a params struct is the kernel's where it states
			// something of it; by itself it is about the struct.
			if adjacent || i == len(blocks)-1 && len(s.claims) > 0 {
				doc = docLines(s.text)
			}
		}
	}
	return said, doc
}

// holds reports whether a line `buffer(3): output` is true of the kernel.
func (k *kernelBuilder) holds(c claim.Claim) bool {
	arg := k.args[c.Name]
	return arg != nil && (arg.Index == c.Index || c.Index < 0) &&
		(arg.Kind.rules().listed || arg.Kind == Absent && arg.Space != "threadgroup")
}

// segments cuts a block where a list of buffers begins anew or a kind of geometry is stated a second time.
func (k *kernelBuilder) segments(bl block) []*segment {
	current := &segment{}
	list := []*segment{current}
	last := -1
	geometry := map[claim.Kind]bool{}
	var pending []preprocess.Line // text since the last claim
	open := 0                     // parentheses that a claim leaves open: the next line goes on with it
	for _, l := range bl.lines {
		if _, ok := annotationIn(l); ok {
			continue
		}
		found := claim.In(l)
		if len(found) == 1 && found[0].Index < 0 && current.buffers == 0 && !k.holds(found[0]) {
			found = nil // a sentence that happens to look like "name: [shape]"
		}
		if len(found) == 0 {
			if open > 0 && l.Text != "" {
				open += unclosed(l.Text)
				continue
			}
			open = 0
			pending = append(pending, l)
			continue
		}
		for _, s := range found {
			again := s.Kind == claim.Buffer && s.Index >= 0 && s.Index <= last || s.Kind != claim.Buffer && geometry[s.Kind]
			if again {
				current = &segment{}
				list = append(list, current)
				last = -1
				geometry = map[claim.Kind]bool{}
			}
			if s.Kind == claim.Buffer {
				last = max(last, s.Index)
				current.buffers++
				if k.holds(s) {
					current.agreeing++
				}
			} else {
				geometry[s.Kind] = true
			}
			current.claims = append(current.claims, s)
		}
		// a heading such as "Buffer layout:" goes with what it heads
		if n := len(pending); n > 0 && strings.HasSuffix(pending[n-1].Text, ":") {
			pending = pending[:n-1]
		}
		current.text = append(current.text, pending...)
		pending = nil
		open = unclosed(l.Text)
	}
	current.text = append(current.text, pending...)
	return list
}

// unclosed counts the parentheses that a text opens and does not close.
func unclosed(text string) int { return strings.Count(text, "(") - strings.Count(text, ")") }
