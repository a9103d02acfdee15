package msl

import (
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
)

// formatReader reads a format as printf has them, with the vectors of OpenCL C (section 6.19),
// and holds the values against it that follow it.
type formatReader struct {
	c      *checker
	format *tree.Text
	rest   string // of the format
	given  []tree.Expr
	taken  int // of given

	conversions []tree.Conversion
	args        []tree.Expr
}

// checkFormat returns the conversions of a format with the values that they print, or nil where these
// do not fit.
func checkFormat(c *checker, text *tree.Text, given []tree.Expr) ([]tree.Conversion, []tree.Expr) {
	r := &formatReader{c: c, format: text, given: given}
	r.rest, _, _ = strings.Cut(text.Value, "\x00")
	for {
		before, ok := r.plain()
		if !ok {
			r.conversions = append(r.conversions, tree.Conversion{Before: before})
			break
		}
		conversion := tree.Conversion{Before: before}
		if !r.conversion(&conversion) {
			return nil, nil
		}
		r.conversions = append(r.conversions, conversion)
	}
	if r.taken < len(given) {
		c.fail(given[r.taken].Position(), "nothing in the format prints this value: it takes %d and not %d", r.taken,
			len(given))
		return nil, nil
	}
	return r.conversions, r.args
}

// plain takes what is printed as it is. It reports false at the end of the format.
func (r *formatReader) plain() (before string, ok bool) {
	for {
		text, rest, found := strings.Cut(r.rest, "%")
		before, r.rest = before+text, rest
		if !found || !strings.HasPrefix(rest, "%") {
			return before, found
		}
		before, r.rest = before+"%", rest[1:]
	}
}

// formatFlags are the characters of flags in the order of their bits.
const formatFlags = "-+ #0"

// conversion takes what stands after a %, and its values.
func (r *formatReader) conversion(to *tree.Conversion) bool {
	whole := r.rest
	for r.rest != "" && strings.IndexByte(formatFlags, r.rest[0]) >= 0 {
		to.Flags |= 1 << strings.IndexByte(formatFlags, r.rest[0])
		r.rest = r.rest[1:]
	}
	to.Precision = tree.NoPrecision
	ok := r.number(&to.Width)
	if ok && r.takes(".") {
		to.Precision = 0
		ok = r.number(&to.Precision)
	}
	if !ok {
		return false
	}
	if r.takes("v") {
		to.Elements, r.rest = leadingNumber(r.rest)
	}
	length := ""
	for _, l := range [...]string{"hh", "hl", "h", "ll", "l", "j", "z", "t"} {
		if r.takes(l) {
			length = l
			break
		}
	}
	if r.rest != "" {
		to.Verb, r.rest = r.rest[0], r.rest[1:]
	}
	spelled := "%" + whole[:len(whole)-len(r.rest)]
	if to.Verb == 'i' {
		to.Verb = 'd'
	}
	kind := conversionKinds[to.Verb]
	switch {
	case kind == noKind:
		r.c.fail(r.format.Pos, "os_log has no conversion %s", spelled)
	case strings.Contains(spelled, "v") && (to.Elements < 2 || to.Elements > 4):
		r.c.fail(r.format.Pos, "%s: a vector has 2, 3 or 4 elements, as in %%v4hlf", spelled)
	case to.Elements > 0 && kind != integerKind && kind != floatKind:
		r.c.fail(r.format.Pos, "%s: %%%c prints no vectors", spelled, to.Verb)
	case to.Elements == 0 && length == "hl", !lengthsOf[kind][length]:
		r.c.fail(r.format.Pos, "%s: %%%c does not go with %s", spelled, to.Verb, length)
	default:
		return r.value(to, kind, length, spelled)
	}
	return false
}

// takes reports whether the rest begins with a text, and takes it.
func (r *formatReader) takes(text string) bool {
	rest, ok := strings.CutPrefix(r.rest, text)
	r.rest = rest
	return ok
}

// number takes a width or a precision. A * takes it off the values.
func (r *formatReader) number(to *int) bool {
	if !r.takes("*") {
		*to, r.rest = leadingNumber(r.rest)
		return true
	}
	*to = tree.FromArg
	x := r.next("*")
	if x == nil {
		return false
	}
	if kindOfValue(x.Type()) != integerKind || sizeOfValue(x.Type()) != 4 {
		r.c.fail(x.Position(), "* takes an int, and this is a %s", x.Type().Spelled())
		return false
	}
	r.args = append(r.args, x)
	return true
}

// mostPadding is the largest width and precision: messages are no longer.
const mostPadding = 1024

// leadingNumber returns the number that a text begins with, or 0, and the rest.
func leadingNumber(text string) (n int, rest string) {
	rest = strings.TrimLeft(text, "0123456789")
	n, _ = strconv.Atoi(text[:len(text)-len(rest)]) // of too many digits it is the largest int
	return min(n, mostPadding), rest
}

// next takes a value for a part of the format, as C promotes it.
func (r *formatReader) next(spelled string) tree.Expr {
	if r.taken == len(r.given) {
		r.c.fail(r.format.Pos, "%s has no value: the format wants more than the %d after it", spelled, len(r.given))
		return nil
	}
	x := r.c.value(r.given[r.taken])
	r.taken++
	if x == nil {
		return nil
	}
	t := x.Type()
	switch {
	case t.Kind == tree.EnumType:
		return r.c.convert(x, tree.ScalarType(tree.Promote(t.Scalar, t.Scalar)))
	case kindOfValue(t) == integerKind && t.Kind == tree.Scalar && sizeOfValue(t) < 4:
		return r.c.convert(x, tree.ScalarType(tree.Int))
	}
	return x
}

// valueKind is what a conversion prints, and what a value is.
type valueKind uint8

const (
	noKind valueKind = iota
	integerKind
	characterKind
	floatKind
	pointerKind
)

var conversionKinds = [256]valueKind{
	'd': integerKind, 'u': integerKind, 'o': integerKind, 'x': integerKind, 'X': integerKind,
	'c': characterKind, 'p': pointerKind,
	'f': floatKind, 'F': floatKind, 'e': floatKind, 'E': floatKind, 'g': floatKind, 'G': floatKind,
	'a': floatKind, 'A': floatKind,
}

// lengthsOf are the lengths that go with a kind. Those of elements are hh, h, hl and l.
var lengthsOf = [...]map[string]bool{
	integerKind: {"": true, "hh": true, "h": true, "hl": true, "l": true, "ll": true, "j": true, "z": true, "t": true},
	floatKind:   {"": true, "h": true, "hl": true, "l": true}, characterKind: {"": true}, pointerKind: {"": true},
}

// lengthBytes are the sizes of what a length says of an int, and of the elements of a vector.
var lengthBytes = map[string]int{"": 4, "hh": 1, "h": 2, "hl": 4, "l": 8, "ll": 8, "j": 8, "z": 8, "t": 8}

// value takes the value that a conversion prints.
func (r *formatReader) value(to *tree.Conversion, kind valueKind, length, spelled string) bool {
	x := r.next(spelled)
	if x == nil {
		return false
	}
	t := x.Type()
	is, size, elements := kindOfValue(t), sizeOfValue(t), 0
	if t.Kind == tree.Vector {
		elements = t.Len
	}
	want := lengthBytes[length]
	fits := is == kind && elements == to.Elements
	switch {
	case elements > 0:
		fits = fits && (length == "" || want == size)
		want = size
	case kind == integerKind:
		fits = fits && max(want, 4) == size
	case kind == characterKind:
		fits = is == integerKind && size == 4 && elements == 0
	case kind == floatKind:
		fits = fits && length != "h"
	}
	if !fits {
		r.mismatch(x, spelled)
		return false
	}
	to.Bytes = want
	r.args = append(r.args, x)
	return true
}

// mismatch complains of a value that its conversion does not print.
func (r *formatReader) mismatch(x tree.Expr, spelled string) {
	t := x.Type()
	verb, length, elements := "", "", ""
	switch kindOfValue(t) {
	case integerKind:
		verb = "d"
		if !t.Scalar.Signed() {
			verb = "u"
		}
	case floatKind:
		verb = "f"
	case pointerKind:
		verb = "p"
	default:
		r.c.fail(x.Position(), "%s does not print a %s: os_log takes numbers, vectors and pointers", spelled,
			t.Spelled())
		return
	}
	if t.Kind == tree.Vector {
		elements = "v" + strconv.Itoa(t.Len)
		length = map[int]string{1: "hh", 2: "h", 4: "hl", 8: "l"}[sizeOfValue(t)]
	} else if verb != "f" && sizeOfValue(t) == 8 {
		length = "l"
	}
	if verb == "p" {
		length = ""
	}
	r.c.fail(x.Position(), "%s does not print a %s: %%%s%s%s does", spelled, t.Spelled(), elements, length, verb)
}

// kindOfValue returns what a value of a type is to a format.
func kindOfValue(t *tree.Type) valueKind {
	switch {
	case t.Kind == tree.Pointer || t.Kind == tree.Scalar && t.Name == types.NullType.Name:
		return pointerKind
	case t.Kind != tree.Vector && t.Kind != tree.EnumType && !types.Arithmetic(t):
		return noKind
	case t.Scalar.Floating():
		return floatKind
	}
	return integerKind
}

// sizeOfValue returns the bytes of a value, or of each element of a vector.
func sizeOfValue(t *tree.Type) int {
	if t.Kind == tree.Vector {
		return t.Elem.Size
	}
	return t.Size
}
