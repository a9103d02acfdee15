// Package claim reads what people write about kernels in comments, as far as it is understood: which shape a buffer
// has, and how large a grid is. Whether that is true is not known here.
package claim

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/notation"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// Kind is what a line claims.
type Kind uint8

const (
	Buffer       Kind = iota // buffer(3): output - float [rows * dim] text
	Grid                     // Grid: (rows, 1, 1)
	Threadgroups             // threadgroups = (n, 1, 1)
	Threads                  // Threads: (128, 1, 1)
	Shared                   // Shared mem: tg_size floats
)

// Claim is one thing that a comment says of a kernel, which may be true of it or not.
type Claim struct {
	Kind Kind
	Pos  parser.Pos
	Word string // the key as written

	// of a Buffer
	Index int // -1 where the line names the argument only: slots : [n, hidden]
	Name  string
	Shape *notation.Formula
	Doc   string

	// of the others
	Value *notation.Formula
}

var (
	bufferLine = regexp.MustCompile(`^(?:[Bb]uffer\s*\(?\s*(\d+)\s*\)?|(\d+))\s*:` +
		`\s*([A-Za-z_]\w*)\s*(?:[—–:-]+\s*(.*))?$`)
	shapeLine = regexp.MustCompile(`^([A-Za-z_]\w*)\s*:\s*(\[.*)$`)
	keyLine   = regexp.MustCompile(`(?i)^(grid(?: size)?|threadgroups?|threads(?: per threadgroup)?|tg|dispatch` +
		`|shared mem(?:ory)?)\s*[:=]\s*`)
)

var keyKinds = map[string]Kind{
	"grid": Grid, "grid size": Grid, "dispatch": Grid,
	"threadgroup": Threads, "tg": Threads, "threads": Threads, "threads per threadgroup": Threads,
	"threadgroups": Threadgroups,
	"shared mem":   Shared, "shared memory": Shared,
}

// In returns what a line states, nothing for prose.
func In(l preprocess.Line) []Claim {
	if m := bufferLine.FindStringSubmatch(l.Text); m != nil {
		return []Claim{bufferClaim(l, m)}
	}
	if m := shapeLine.FindStringSubmatch(l.Text); m != nil {
		s := Claim{Kind: Buffer, Pos: l.Pos, Word: "shape of " + m[1], Index: -1, Name: m[1]}
		s.Shape, s.Doc = ShapeIn(m[2], At(l, len(l.Text)-len(m[2])))
		if s.Shape != nil {
			return []Claim{s}
		}
	}
	return geometryClaims(l)
}

func bufferClaim(l preprocess.Line, m []string) Claim {
	index, _ := strconv.Atoi(m[1] + m[2]) // one of them is empty
	s := Claim{Kind: Buffer, Pos: l.Pos, Word: "buffer", Index: index, Name: m[3]}
	rest := m[4]
	s.Shape, s.Doc = ShapeIn(rest, At(l, len(l.Text)-len(rest)))
	if s.Shape == nil {
		s.Doc = rest
	}
	// what precedes the shape is the type: float, constant uint
	s.Doc = strings.TrimSpace(trimType(s.Doc))
	return s
}

// At returns the position of a byte of a line.
func At(l preprocess.Line, offset int) parser.Pos {
	p := l.Pos
	p.Offset += offset
	p.Column += offset
	return p
}

var typeWords = regexp.MustCompile(`^(?:(?:constant|device|const)\s+)*` +
	`(?:float|half|bfloat|u?int|u?short|u?char|u?long|bool|size_t|u?int\d+_t|packed_\w+|(?:float|half|u?int)[234])` +
	`(?:\s*[*&])?(?:\s+|$)`)

func trimType(s string) string { return s[len(typeWords.FindString(s)):] }

// ShapeIn finds the [formula] of a text that states a length, and returns it with the text without it. It stands at the
// beginning, or further on where it has a name in it and no word before it makes it a range or a reference: "[dim]
// scale", "row-major [out_dim, in_dim]", but not "in [0, 1]" or "see [2]".
func ShapeIn(text string, pos parser.Pos) (*notation.Formula, string) {
	var shape *notation.Formula
	without := text
	for i := 0; i < len(text); i++ {
		if text[i] != '[' || i > 0 && !strings.ContainsRune(" (\t", rune(text[i-1])) {
			continue
		}
		p := pos
		p.Offset += i
		p.Column += i
		f, err := notation.Parse(text[i:], p)
		if err != nil || !f.Tuple || slices.Contains(f.Text, "0") {
			continue
		}
		before := strings.TrimRight(text[:i], " \t(")
		if before != "" && (!namesSomething(f.Text) || aside.MatchString(before)) {
			continue
		}
		if shape != nil {
			return nil, text // which one?
		}
		after := strings.TrimLeft(f.Rest, " \t:,;.)—–-")
		if before != "" && after != "" {
			before += " "
		}
		shape, without = f, before+after
	}
	return shape, without
}

// aside are words before a bracket that holds no length.
var aside = regexp.MustCompile(`(?i)\b(?:in|to|is|of|at|or|see|note|from|within|until|where)$`)

func namesSomething(items []string) bool {
	return slices.ContainsFunc(items, func(s string) bool { return strings.ContainsFunc(s, unicode.IsLetter) })
}

// geometryClaims reads "Grid: (rows, 1, 1). Threadgroup: 256 threads."
// and the like: keys with formulas, several to a line.
func geometryClaims(l preprocess.Line) []Claim {
	var found []Claim
	text, offset := l.Text, 0
	for {
		m := keyLine.FindStringSubmatch(text)
		if m == nil {
			return found
		}
		offset += len(m[0])
		kind := keyKinds[strings.ToLower(m[1])]
		s := Claim{Kind: kind, Pos: At(l, offset), Word: strings.ToLower(m[1])}
		f, err := notation.Parse(text[len(m[0]):], s.Pos)
		if err != nil {
			return found
		}
		s.Value = f
		rest := f.Rest
		if !f.Tuple && runsOn(f.Items[0], rest) {
			return found // a sentence: "Grid: linearized over all heads"
		}
		unit := UnitWord(rest)
		if s.Word == "dispatch" {
			return append(found, dispatchClaims(s, l, unit)...)
		}
		switch {
		case unit == "threadgroups" && kind == Grid:
			s.Kind = Threadgroups
		case unit == "bytes" && kind == Shared, unit == "" && kind == Shared && !UsesSizeof(f.Items):
			return found // with a size that nothing says
		}
		found = append(found, s)
		// a further sentence may state more
		next := sentence.FindStringIndex(rest)
		if next == nil {
			return found
		}
		text = rest[next[1]:]
		offset = len(l.Text) - len(text)
	}
}

// dispatchClaims reads "Dispatch: (n, m) threadgroups x 256 threads".
func dispatchClaims(s Claim, l preprocess.Line, unit string) []Claim {
	if unit != "threadgroups" {
		return nil
	}
	s.Kind = Threadgroups
	found := []Claim{s}
	rest := unitEnd.ReplaceAllString(s.Value.Rest, "")
	rest = strings.TrimLeft(rest, " ,×x")
	pos := At(l, len(l.Text)-len(rest))
	f, err := notation.Parse(rest, pos)
	if err == nil && UnitWord(f.Rest) == "threads" {
		found = append(found, Claim{Kind: Threads, Pos: pos, Word: s.Word, Value: f})
	}
	return found
}

// sentence is what may stand between two claims of one line.
var sentence = regexp.MustCompile(`[.,;]\s+`)

var unitEnd = regexp.MustCompile(
	`(?i)^\s*(threadgroups?|tgs?|threads?|floats?|elements?|bytes?|halfs?|halves|u?ints?)\b`)

// UnitWord returns the unit that follows a number: "threadgroups", "threads", "elements", "bytes" or "".
func UnitWord(rest string) string {
	m := unitEnd.FindStringSubmatch(rest)
	if m == nil {
		return ""
	}
	switch word := strings.TrimSuffix(strings.ToLower(m[1]), "s"); word {
	case "threadgroup", "tg":
		return "threadgroups"
	case "thread":
		return "threads"
	case "byte":
		return "bytes"
	}
	return "elements"
}

// runsOn reports whether a text goes on in a way that makes a formula before it part of a sentence: with a word that is
// no unit, with "per" after a unit, or after a bare name with a parenthesis.
func runsOn(e parser.Expr, rest string) bool {
	rest = strings.TrimLeft(rest, " ")
	if unit := unitEnd.FindString(rest); unit != "" {
		return strings.HasPrefix(strings.TrimLeft(rest[len(unit):], " "), "per ")
	}
	if rest == "" {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	_, name := e.(*parser.Name)
	return unicode.IsLetter(r) || name && r == '('
}

// UsesSizeof reports whether a formula counts bytes by sizeof.
func UsesSizeof(items []parser.Expr) bool {
	for _, e := range items {
		switch e := e.(type) {
		case *parser.Sizeof:
			return true
		case *parser.Binary:
			if UsesSizeof([]parser.Expr{e.X, e.Y}) {
				return true
			}
		}
	}
	return false
}

// WithoutSizeof returns a formula with 1 for sizeof: bytes become elements.
func WithoutSizeof(e parser.Expr) parser.Expr {
	b, ok := e.(*parser.Binary)
	if !ok {
		return e
	}
	if _, ok := b.Y.(*parser.Sizeof); ok && b.Op == "*" {
		return WithoutSizeof(b.X)
	}
	if _, ok := b.X.(*parser.Sizeof); ok && b.Op == "*" {
		return WithoutSizeof(b.Y)
	}
	return &parser.Binary{Op: b.Op, X: WithoutSizeof(b.X), Y: WithoutSizeof(b.Y), Pos: b.Pos}
}
