package preprocess

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner turns a text into raw tokens and comments. Texts of tokens are
// substrings of the text; only a text with spliced lines is copied, once.
type scanner struct {
	*reporter
	name string // of the file, for positions
	src  string // without splices
	off  int

	// The line of off and the offset at which it starts, but for the
	// splices between the last position asked for and off.
	line, lineStart int
	splices         []splice // those still ahead
	nextSplice      int      // offset of the first of them
	shift           int      // bytes spliced out so far

	fresh     bool // no token yet on this logical line
	codeLine  int  // the line of the last token
	directive bool // a line's end ends the input
	quiet     bool // malformed tokens are no errors: skipped or free text
	comments  *[]Comment
	drop      bool // comments are not kept
}

func newScanner(r *reporter, name, text string) scanner {
	src, splices := unsplice(text)
	s := scanner{
		reporter: r, name: name, src: src, line: 1,
		splices: splices, nextSplice: math.MaxInt, fresh: true, drop: true,
	}
	if strings.HasPrefix(src, byteOrderMark) {
		s.off, s.lineStart = len(byteOrderMark), len(byteOrderMark)
	}
	if len(splices) > 0 {
		s.nextSplice = splices[0].at
	}
	return s
}

// The classes of bytes. Letters and digits come first, so that one
// comparison finds what continues an identifier.
const (
	letter = iota
	digit
	blank
	newline
	dot
	slash
	punct
	quote
	stray
)

var class = func() (t [256]uint8) {
	for i := range t {
		t[i] = stray
	}
	set := func(class uint8, chars string) {
		for _, c := range []byte(chars) {
			t[c] = class
		}
	}
	set(letter, "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
	set(digit, "0123456789")
	set(blank, " \t\v\f")
	set(newline, "\n\r")
	set(dot, ".")
	set(slash, "/")
	set(punct, "()[]{}<>;:,?=+-*%&|^!~#")
	set(quote, `"'`)
	return t
}()

// longPuncts are the punctuators of more than one byte, longest first, by
// their first byte.
var longPuncts = func() (t [256][]string) {
	for _, p := range []string{
		"<<=", ">>=", "->*", "...",
		"::", "->", ".*", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
		"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##",
	} {
		t[p[0]] = append(t[p[0]], p)
	}
	return t
}()

// literalPrefixes are the identifiers that belong to a quote right after them.
var literalPrefixes = []string{"L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R"}

// pos is the position of an offset. Offsets must not decrease from call to
// call, or splices would be counted too early.
func (s *scanner) pos(off int) Pos {
	if off >= s.nextSplice {
		s.passSplices(off)
	}
	return Pos{Filename: s.name, Offset: off + s.shift, Line: s.line, Column: off - s.lineStart + 1}
}

// complain reports a malformed token where those matter.
func (s *scanner) complain(pos Pos, format string, args ...any) {
	if !s.quiet {
		s.error(pos, format, args...)
	}
}

// next reads one token. At the end of the text, and in a directive at the end
// of the line, its kind is EOF.
func (s *scanner) next(t *Token) {
	*t = Token{}
	for {
		s.white(t)
		start := s.off
		t.Line = s.fresh
		t.Pos = s.pos(start)
		if start == len(s.src) || class[s.src[start]] == newline {
			t.Kind = EOF
			return
		}
		if s.lex(t, start) {
			t.Text = s.src[start:s.off]
			s.fresh = false
			return
		}
		t.Space = true
	}
}

// lex finds the end and the kind of the token at start. It reports false
// for what is no token, having complained.
func (s *scanner) lex(t *Token, start int) bool {
	s.codeLine = t.Pos.Line
	switch class[s.src[start]] {
	case letter:
		s.identifier(t, start)
	case digit:
		t.Kind = s.number(start)
	case dot:
		if start+1 < len(s.src) && class[s.src[start+1]] == digit {
			t.Kind = s.number(start)
			break
		}
		fallthrough
	case slash, punct:
		t.Kind = Punct
		s.off = start + 1
		for _, p := range longPuncts[s.src[start]] {
			if strings.HasPrefix(s.src[start:], p) {
				s.off = start + len(p)
				break
			}
		}
	case quote:
		return s.quoted(t, start)
	default:
		return s.other(t, start)
	}
	return true
}

func (s *scanner) identifier(t *Token, start int) {
	t.Kind = Ident
	end := start
	for end < len(s.src) {
		if class[s.src[end]] <= digit {
			end++
			continue
		}
		if s.src[end] < utf8.RuneSelf {
			break
		}
		r, size := utf8.DecodeRuneInString(s.src[end:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		end += size
	}
	s.off = end
	if end < len(s.src) && class[s.src[end]] == quote && slices.Contains(literalPrefixes, s.src[start:end]) {
		if s.src[end] == '"' && s.src[end-1] == 'R' {
			s.rawString(t, end)
		} else if !s.literal(t, end) {
			// The quote is met again, and reported, as the next token.
			t.Kind, s.off = Ident, end
		}
	}
}

// number reads what the standard calls a pp-number, which is wider than what
// is a number: 1.2.3 is one token, and its value an error.
func (s *scanner) number(start int) Kind {
	src, kind := s.src, Int
	hex := strings.HasPrefix(src[start:], "0x") || strings.HasPrefix(src[start:], "0X")
	end := start
loop:
	for ; end < len(src); end++ {
		c := src[end]
		switch class[c] {
		case digit:
		case dot:
			kind = Float
		case letter:
			lower := c | 0x20
			if lower != 'e' && lower != 'p' {
				continue
			}
			if !hex || lower == 'p' {
				kind = Float
			}
			if end+1 < len(src) && (src[end+1] == '+' || src[end+1] == '-') {
				end++
			}
		case quote:
			// A digit separator.
			if c != '\'' || end+1 == len(src) || class[src[end+1]] > digit {
				break loop
			}
		default:
			break loop
		}
	}
	s.off = end
	if !hex && strings.IndexByte("fFhH", src[end-1]) >= 0 {
		return Float // 1f, 2h, 3bf
	}
	return kind
}

// quoted reads a literal without a prefix. One that its line does not end is
// dropped with the rest of the line, but for quiet scanning.
func (s *scanner) quoted(t *Token, start int) bool {
	if s.literal(t, start) || s.quiet {
		return true
	}
	s.complain(t.Pos, "the literal is not terminated: its closing %c is missing", s.src[start])
	return false
}

// literal reads the literal whose quote is at open, and reports whether it is
// closed on its line.
func (s *scanner) literal(t *Token, open int) bool {
	q := s.src[open]
	t.Kind = String
	if q == '\'' {
		t.Kind = Char
	}
	for i := open + 1; i < len(s.src); i++ {
		switch c := s.src[i]; {
		case c == q:
			s.off = i + 1
			return true
		case c == '\\':
			i++
		case class[c] == newline:
			s.off = i
			return false
		}
	}
	s.off = len(s.src)
	return false
}

// rawString reads R"delimiter( ... )delimiter" from its quote on. Splices in
// it are taken out as everywhere: a shader has no use for them.
func (s *scanner) rawString(t *Token, open int) {
	t.Kind = String
	body := s.src[open+1:]
	paren := strings.IndexByte(body[:min(len(body), 17)], '(')
	if paren < 0 {
		s.complain(t.Pos, "the raw string has no ( after its delimiter")
		s.off = open + 1
		return
	}
	length := strings.Index(body[paren:], ")"+body[:paren]+`"`)
	if length < 0 {
		s.complain(t.Pos, "the raw string is not terminated")
		s.off = len(s.src)
		return
	}
	s.off = open + 1 + paren + length + 1 + paren + 1
	s.countLines(open, s.off)
	s.codeLine = s.pos(s.off - 1).Line
}

// other reads identifiers that do not start in ASCII, and complains about
// stray characters. NUL, byte order marks and invalid UTF-8 are white space
// here: checkText has complained about them.
func (s *scanner) other(t *Token, start int) bool {
	r, size := utf8.DecodeRuneInString(s.src[start:])
	if unicode.IsLetter(r) {
		s.identifier(t, start)
		return true
	}
	s.off = start + size
	t.Kind = Punct
	if s.quiet {
		return true
	}
	if r != 0 && r != '\uFEFF' && r != utf8.RuneError {
		s.complain(t.Pos, "stray character %q", r)
	}
	return false
}

// white skips white space and comments.
func (s *scanner) white(t *Token) {
	for s.off < len(s.src) {
		switch class[s.src[s.off]] {
		case blank:
			s.off++
		case newline:
			if s.directive {
				return
			}
			start := s.off
			s.off += newlineLen(s.src[start:])
			s.line++
			s.lineStart = s.off
			s.fresh = true
		case slash:
			if !s.comment() {
				return
			}
		default:
			return
		}
		t.Space = true
	}
}

// comment reads a comment, and reports whether there is one.
func (s *scanner) comment() bool {
	start, end := s.off, len(s.src)
	rest := s.src[start:]
	if len(rest) < 2 {
		return false
	}
	c := Comment{}
	switch rest[1] {
	case '/':
		c.Pos = s.pos(start)
		for i := start; i < len(s.src); i++ {
			if class[s.src[i]] == newline {
				end = i
				break
			}
		}
	case '*':
		c.Pos = s.pos(start)
		if i := strings.Index(rest[2:], "*/"); i >= 0 {
			end = start + i + len("/**/")
		} else {
			s.error(c.Pos, "the comment is not terminated: its closing */ is missing")
		}
		s.countLines(start, end)
	default:
		return false
	}
	s.off = end
	if !s.drop {
		c.Text = s.src[start:end]
		c.Trailing = s.codeLine == c.Pos.Line
		c.End = s.pos(end - 1).Line
		*s.comments = append(*s.comments, c)
	}
	return true
}

// countLines accounts for the line ends within a token or comment.
func (s *scanner) countLines(from, to int) {
	for i := from; i < to; i++ {
		if class[s.src[i]] == newline {
			i += newlineLen(s.src[i:]) - 1
			s.line++
			s.lineStart = i + 1
		}
	}
}

// newlineLen is the length of the line end at the start of text: \n, \r\n, \r,
// or 0 when there is none.
func newlineLen(text string) int {
	switch {
	case strings.HasPrefix(text, "\r\n"):
		return 2
	case text != "" && class[text[0]] == newline:
		return 1
	}
	return 0
}
