package randomtest

import (
	"slices"
	"strings"
)

// piece is a part of a program's text: a line, or lines around other pieces.
type piece struct {
	head string
	body []*piece
	tail string
}

func line(text string) *piece { return &piece{head: text + "\n"} }

func block(head string, body []*piece, tail string) *piece {
	return &piece{head: head + " {\n", body: body, tail: "}" + tail + "\n"}
}

func (p *piece) write(to *strings.Builder) {
	to.WriteString(p.head)
	for _, b := range p.body {
		b.write(to)
	}
	to.WriteString(p.tail)
}

// shrink tries to leave out each piece of the body, or what is around its own body, and
// keeps what works. It reports whether something has.
func (p *piece) shrink(works func() bool) bool {
	shrunk := false
	for i := len(p.body) - 1; i >= 0; i-- {
		whole, part := p.body, p.body[i]
		p.body = slices.Concat(whole[:i], whole[i+1:])
		if works() {
			shrunk = true
			continue
		}
		if len(part.body) > 0 {
			p.body = slices.Concat(whole[:i], part.body, whole[i+1:])
			if works() {
				shrunk = true
				continue
			}
		}
		p.body = whole
		shrunk = part.shrink(works) || shrunk
	}
	return shrunk
}
