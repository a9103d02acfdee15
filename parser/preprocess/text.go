package preprocess

import (
	"math"
	"strings"
	"unicode/utf8"
)

const byteOrderMark = "\uFEFF"

// splice is a backslash at the end of a line: the lines it joins are one.
type splice struct {
	at  int // offset in the joined text
	len int // bytes taken out
}

// unsplice joins spliced lines. As compilers do, it lets blanks stand between
// the backslash and the end of the line.
func unsplice(text string) (string, []splice) {
	var joined strings.Builder
	var splices []splice
	done := 0 // text up to here is in joined
	for i := 0; ; {
		next := strings.IndexByte(text[i:], '\\')
		if next < 0 {
			break
		}
		i += next
		end := i + 1
		for end < len(text) && class[text[end]] == blank {
			end++
		}
		n := newlineLen(text[end:])
		if n == 0 {
			i = end
			continue
		}
		joined.WriteString(text[done:i])
		splices = append(splices, splice{at: joined.Len(), len: end + n - i})
		i = end + n
		done = i
	}
	if splices == nil {
		return text, nil
	}
	joined.WriteString(text[done:])
	return joined.String(), splices
}

// passSplices accounts for the splices up to off.
func (s *scanner) passSplices(off int) {
	for len(s.splices) > 0 && s.splices[0].at <= off {
		s.line++
		s.shift += s.splices[0].len
		// Lines that ended since have moved the start further already.
		s.lineStart = max(s.lineStart, s.splices[0].at)
		s.splices = s.splices[1:]
	}
	s.nextSplice = math.MaxInt
	if len(s.splices) > 0 {
		s.nextSplice = s.splices[0].at
	}
}

// checkText complains about what can be in no text, comments included,
// because generated Go repeats it: invalid UTF-8, NUL, and byte order marks but
// the one at the start. One complaint a line is enough.
func checkText(r *reporter, name, text string) {
	text = strings.TrimPrefix(text, byteOrderMark)
	if utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 && !strings.Contains(text, byteOrderMark) {
		return
	}
	line, start, complained := 1, 0, 0
	complain := func(off int, format string, args ...any) {
		if complained != line {
			r.error(Pos{Filename: name, Offset: off, Line: line, Column: off - start + 1}, format, args...)
			complained = line
		}
	}
	for i := 0; i < len(text); {
		if n := newlineLen(text[i:]); n > 0 {
			i += n
			line, start = line+1, i
			continue
		}
		c, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			complain(i, "byte 0x%02x is not valid UTF-8", text[i])
		case c == 0:
			complain(i, "NUL byte in the text")
		case c == '\uFEFF':
			complain(i, "byte order mark inside the text")
		}
		i += size
	}
}
