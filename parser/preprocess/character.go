package preprocess

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Character returns the value of a character literal (C++14 2.14.3), and whether it
// has several characters, which make it an int.
func Character(text string) (value int32, several bool, err error) {
	value, n, problem := character(text)
	switch {
	case problem != "":
		return 0, false, fmt.Errorf("%s %s", text, problem)
	case text[0] != '\'' || n == 1 && int32(int8(value)) != value || strings.ContainsFunc(text, notASCII):
		return 0, false, fmt.Errorf("%s is no char", text)
	}
	return value, n > 1, nil
}

// StringValue returns the characters of a string literal, and whether it is one without a prefix whose
// escapes all exist (C++14 2.14.5). Numbers in escapes are bytes, but for those of \u and \U.
func StringValue(text string) (value string, ok bool) {
	if len(text) < 2 || text[0] != '"' {
		return "", false
	}
	var b strings.Builder
	for body := text[1 : len(text)-1]; body != ""; {
		c, size := unescape(body)
		switch {
		case size == 0:
			return "", false
		case body[0] != '\\': // also bytes that are no UTF-8
			b.WriteString(body[:size])
		case body[1] == 'u' || body[1] == 'U':
			b.WriteRune(c)
		case c > 0xff:
			return "", false
		default:
			b.WriteByte(byte(c))
		}
		body = body[size:]
	}
	return b.String(), true
}

func notASCII(r rune) bool { return r >= utf8.RuneSelf }

// character reads a character literal of n characters. As for clang, char is signed, and
// more than one character make an int of their bytes.
func character(text string) (value int32, n int, problem string) {
	open := strings.IndexByte(text, '\'')
	body := text[open+1 : len(text)-1]
	if body == "" {
		return 0, 0, "is empty"
	}
	for ; body != ""; n++ {
		c, size := unescape(body)
		if size == 0 {
			return 0, 0, "has an escape that does not exist"
		}
		body = body[size:]
		switch {
		case open > 0 || c > 0xff: // wide, by its prefix or its size
			value = c
		case n == 0:
			value = int32(int8(c))
		default:
			value = value<<8 | c
		}
	}
	return value, n, ""
}

const (
	escapes   = `abefnrtv\'"?`
	escaped   = "\a\b\x1b\f\n\r\t\v\\'\"?"
	octal     = "01234567"
	hexadec   = "0123456789abcdefABCDEF"
	maxDigits = 8 // of an escape
)

// unescape reads the first character of a literal's body, and returns how
// many bytes it takes: none when it is malformed.
func unescape(body string) (c rune, size int) {
	if body[0] != '\\' {
		return utf8.DecodeRuneInString(body)
	}
	if len(body) == 1 {
		return 0, 0
	}
	if i := strings.IndexByte(escapes, body[1]); i >= 0 {
		return rune(escaped[i]), 2
	}
	start, most, base, digits := 2, maxDigits, 16, hexadec
	switch body[1] {
	case 'x', 'U':
	case 'u':
		most = 4
	default:
		start, most, base, digits = 1, 3, 8, octal
	}
	n := len(body[start:]) - len(strings.TrimLeft(body[start:], digits))
	value, err := strconv.ParseUint(body[start:start+min(n, most)], base, 32)
	if err != nil {
		return 0, 0
	}
	return rune(value), start + min(n, most)
}
