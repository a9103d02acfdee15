package preprocess

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// integerSuffixes are those of C++, in lower case, and whether they make the
// literal unsigned and long. The two l of ll must be of one case.
var integerSuffixes = map[string]struct{ unsigned, long bool }{
	"": {}, "u": {true, false}, "l": {false, true}, "ll": {false, true},
	"ul": {true, true}, "lu": {true, true}, "ull": {true, true}, "llu": {true, true},
}

// Integer returns the value of an integer literal (C++14 2.14.2), and whether its
// suffix makes it unsigned or long.
func Integer(text string) (value uint64, unsigned, long bool, err error) {
	digits := strings.TrimRight(text, "uUlL")
	suffix := text[len(digits):]
	kind, ok := integerSuffixes[strings.ToLower(suffix)]
	if !ok || strings.Contains(suffix, "lL") || strings.Contains(suffix, "Ll") {
		return 0, false, false, fmt.Errorf("%s is not an integer literal: no such suffix as %s", text, suffix)
	}
	base, separable := 10, digits
	switch {
	case len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'x':
		base, separable = 16, digits[2:]
	case len(digits) > 1 && digits[0] == '0' && digits[1]|0x20 == 'b':
		base, separable = 2, digits[2:]
	case len(digits) > 1 && digits[0] == '0':
		base = 8
	}
	plain := strings.ReplaceAll(separable, "'", "")
	value, err = strconv.ParseUint(plain, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, false, false, fmt.Errorf("%s is not an integer literal of at most 64 bits", text)
	case err != nil, separable[0] == '\'', separable[len(separable)-1] == '\'', strings.Contains(separable, "''"):
		return 0, false, false, fmt.Errorf("%s is not an integer literal", text)
	}
	return value, kind.unsigned, kind.long, nil
}
