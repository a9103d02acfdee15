package binding

import (
	"go/token"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// PreloadName is the function of every generated package that compiles its kernels.
const PreloadName = "Preload"

// goName returns an exported Go identifier for a name of MSL: the parts between
// underscores, and between whatever else is no letter or digit, begin in upper case.
// Between digits an underscore stays, so that a_1_2 and a_12 differ. It is "" where
// nothing is left of the name.
func goName(name string) string {
	var b strings.Builder
	upper := true
	last := rune('_')
	for _, r := range name {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			upper = true
			continue
		}
		if upper {
			if unicode.IsDigit(last) && unicode.IsDigit(r) {
				b.WriteByte('_')
			}
			r = unicode.ToUpper(r)
			upper = false
		}
		b.WriteRune(r)
		last = r
	}
	s := b.String()
	if !token.IsExported(s) && s != "" {
		s = "X" + s // a letter without upper case
	}
	return s
}

// localName returns an unexported Go identifier for a name of MSL.
func localName(name string) string {
	return lowerFirst(goName(name))
}

// Unexported returns an unexported Go identifier for an exported one, as names of
// variables that describe kernels are made.
func Unexported(name string) string { return lowerFirst(name) }

// lowerFirst lowers the first letter, or the initials: QPe becomes qPe, and ID
// becomes id.
func lowerFirst(s string) string {
	runes := []rune(s)
	for i := range runes {
		if !unicode.IsUpper(runes[i]) {
			break
		}
		if i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(runes[i])
	}
	return string(runes)
}

// fileStem returns what the generated files of a source start with.
func fileStem(file string) string {
	stem := strings.TrimSuffix(path.Base(file), path.Ext(file))
	var b strings.Builder
	for _, r := range stem {
		if r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			b.WriteRune(r)
		} else {
			b.WriteByte('_')
		}
	}
	// The go command ignores files that begin with an underscore, and an
	// identifier cannot begin with a digit.
	s := strings.TrimLeft(b.String(), "_")
	if s == "" || unicode.IsDigit(rune(s[0])) {
		s = "metal" + s
	}
	return s
}

// names hands out names that are unique among them.
type names map[string]bool

// unique returns name, with as many suffixes as make it new.
func (n names) unique(name, suffix string) string {
	name = unused(name, suffix, func(s string) bool { return n[s] })
	n[name] = true
	return name
}

// unused returns name with as many suffixes as it takes to be new, but at most a few. After those it gets a number:
// with a suffix more for each of many names that are alike, generated code would grow with the square of the source.
func unused(name, suffix string, taken func(string) bool) string {
	const most = 8
	for range most {
		if !taken(name) {
			return name
		}
		name += suffix
	}
	numbered := func(n int) string { return name + strconv.Itoa(n) }
	// Numbers are given in order, so the first that is free is soon found.
	last, free := 0, 1
	for taken(numbered(free)) {
		last, free = free, 2*free
	}
	for last+1 < free {
		if middle := (last + free) / 2; taken(numbered(middle)) {
			last = middle
		} else {
			free = middle
		}
	}
	return numbered(free)
}
