package invoke

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// value is the content of an argument that a kernel takes by value, while its
// parts are set one by one.
type value struct {
	*layout
	bytes []byte
	set   []bool // by byte: which are numbers that were given
}

func newValue(l *layout) *value {
	return &value{layout: l, bytes: make([]byte, l.size), set: make([]bool, l.size)}
}

// assign sets the part at a path such as ".ne[1]" to the numbers of a text. The
// path "" is all of the value.
func (v *value) assign(path, text string) error {
	l, at, err := v.part(path)
	if err != nil {
		return err
	}
	if text == zeros {
		for i := at; i < at+l.size; i++ {
			v.set[i] = true
		}
		return nil
	}
	return v.numbers(l, at, text)
}

// part follows a path of fields and indexes.
func (v *value) part(path string) (l *layout, at int, err error) {
	l = v.layout
	for walked := ""; path != ""; {
		step := 1 + strings.IndexAny(path[1:]+".", ".[")
		word := path[:step]
		path = path[step:]
		if name, ok := strings.CutPrefix(word, "."); ok {
			i := indexOf(l.fields, name)
			switch {
			case l.fields == nil:
				return nil, 0, fmt.Errorf("%sis no struct", behind(walked))
			case i < 0:
				return nil, 0, fmt.Errorf("struct %s has no field %s%s", l.isA, name, near(name, l.fieldNames()))
			}
			l, at = l.fields[i].layout, at+l.fields[i].offset
		} else {
			i, err := strconv.Atoi(word[1 : len(word)-1])
			switch {
			case l.elem == nil:
				return nil, 0, fmt.Errorf("%sis no array", behind(walked))
			case err != nil || i >= l.len:
				return nil, 0, fmt.Errorf("%shas %d elements, there is no %s", behind(walked), l.len, word)
			}
			l, at = l.elem, at+i*l.elem.size
		}
		walked += word
	}
	return l, at, nil
}

// behind names the part that a message is about, where that is not the argument.
func behind(walked string) string {
	if walked == "" {
		return "it "
	}
	return strings.TrimPrefix(walked, ".") + " "
}

func indexOf(fields []field, name string) int {
	for i, f := range fields {
		if f.name == name {
			return i
		}
	}
	return -1
}

// numbers parses a list of numbers into the part l.
func (v *value) numbers(l *layout, at int, text string) error {
	if l.fields != nil || l.isA != "" {
		return fmt.Errorf("it is a struct %s: set its fields, %s, or all to zero by %q",
			l.isA, strings.Join(l.fieldNames(), ", "), zeros)
	}
	s, offsets := l.offsets()
	if s == nil {
		return errors.New("it is an array of structs: set the fields of its elements")
	}
	words := strings.Split(text, ",")
	if len(words) != len(offsets) {
		return fmt.Errorf("need %s, have %d", count(len(offsets), s.name), len(words))
	}
	for i, word := range words {
		bits, err := l.parse(s, strings.TrimSpace(word))
		if err != nil {
			return err
		}
		from := at + offsets[i]
		if l.bits > 0 {
			if err := l.fits(s, bits, word); err != nil {
				return err
			}
			tree.SetBits(v.bytes[from:], l.shift, l.bits, bits)
			continue
		}
		put(v.bytes[from:from+s.size], bits)
		for j := range s.size {
			v.set[from+j] = true
		}
	}
	return nil
}

// fits returns an error where a bit-field cannot hold a value: where the bits above are not
// its sign alone.
func (l *layout) fits(s *scalar, value uint64, text string) error {
	mask, all := uint64(1)<<l.bits-1, uint64(1)<<(8*s.size-1)<<1-1
	value &= all
	high := mask
	if s.signed() {
		high = mask >> 1
	}
	if value > high && !(s.signed() && value|high == all) {
		return fmt.Errorf("%s does not fit %d bits", strings.TrimSpace(text), l.bits)
	}
	return nil
}

// word reads the bytes of a scalar.
func word(b []byte) uint64 {
	var all [8]byte
	copy(all[:], b)
	return binary.LittleEndian.Uint64(all[:])
}

// count returns "1 float" or "3 elements of float".
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d elements of %s", n, what)
}

// parse reads one number, or the name of one.
func (l *layout) parse(s *scalar, text string) (uint64, error) {
	leaf := l
	for leaf.elem != nil {
		leaf = leaf.elem
	}
	if leaf.enum != nil {
		for _, v := range leaf.enum.Values {
			if v.Name == text {
				text = v.Value
			}
		}
	}
	bits, err := s.parse(text)
	if err == nil {
		return bits, nil
	}
	if leaf.enum != nil {
		var names []string
		for _, v := range leaf.enum.Values {
			names = append(names, v.Name)
		}
		return 0, fmt.Errorf("need a value of enum %s, have %q%s", leaf.enum.Name, text, near(text, names))
	}
	return 0, fmt.Errorf("need %s, have %q", s.want, text)
}

// missing returns the paths of the parts that were not set, each as far up as none
// of it was.
func (v *value) missing() []string {
	var paths []string
	var walk func(l *layout, at int, path string)
	walk = func(l *layout, at int, path string) {
		given, absent := 0, 0
		v.each(l, at, func(set bool) {
			if set {
				given++
			} else {
				absent++
			}
		})
		switch {
		case absent == 0:
		case given == 0 && (l.fields == nil || path != ""):
			paths = append(paths, path)
		case l.elem != nil:
			for i := range l.len {
				walk(l.elem, at+i*l.elem.size, fmt.Sprintf("%s[%d]", path, i))
			}
		default:
			for _, f := range l.fields {
				if !f.shared {
					walk(f.layout, at+f.offset, path+"."+f.name)
				}
			}
		}
	}
	walk(v.layout, 0, "")
	return paths
}

// each calls f with each scalar of the part l.
func (v *value) each(l *layout, at int, f func(set bool)) {
	switch {
	case l.scalar != nil:
		f(v.set[at])
	case l.elem != nil:
		for i := range l.len {
			v.each(l.elem, at+i*l.elem.size, f)
		}
	default:
		for _, field := range l.fields {
			if !field.shared { // what is not given of those is zero
				v.each(field.layout, at+field.offset, f)
			}
		}
	}
}

// text returns bytes of a layout as they would be typed.
func (l *layout) text(b []byte) string {
	var words []string
	switch {
	case l.bits > 0:
		var shifted [8]byte
		unused := 64 - l.bits
		n := tree.Bits(b, l.shift, l.bits)
		if l.scalar.signed() {
			n = uint64(int64(n<<unused) >> unused)
		}
		put(shifted[:], n)
		return l.scalar.text(shifted[:])
	case l.scalar != nil:
		return l.scalar.text(b)
	case l.elem != nil:
		for i := range l.len {
			words = append(words, l.elem.text(b[i*l.elem.size:(i+1)*l.elem.size]))
		}
		return strings.Join(words, ",")
	}
	for _, f := range l.fields {
		end := f.offset + f.size
		if f.bits > 0 {
			end = len(b) // a packed one may reach beyond its integer, or there is none
		}
		words = append(words, f.name+"="+f.text(b[f.offset:end]))
	}
	return "{" + strings.Join(words, " ") + "}"
}
