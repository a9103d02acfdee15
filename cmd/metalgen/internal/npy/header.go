package npy

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// maxDims is NumPy's own limit.
const maxDims = 64

// header is what precedes the data.
type header struct {
	dtype     DType
	bigEndian bool
	fortran   bool // the first index varies fastest
	shape     []int
}

// parseHeader reads the Python dictionary of a file: three known keys, in any
// order, with literals as values.
func parseHeader(text string) (h header, err error) {
	s := scanner{rest: text}
	seen := map[string]bool{}
	s.want('{')
	for s.err == nil && !s.have('}') {
		key := s.quoted()
		s.want(':')
		switch {
		case s.err != nil:
		case seen[key]:
			s.fail("the key " + strconv.Quote(key) + " twice")
		case key == "descr":
			if s.peek() == '[' {
				return h, errors.New("elements that are structures; save their bytes as uint8 instead")
			}
			descr := s.quoted()
			if s.err == nil {
				h.dtype, h.bigEndian, s.err = parseDescr(descr)
			}
		case key == "fortran_order":
			h.fortran = s.boolean()
		case key == "shape":
			h.shape = s.tuple()
		default:
			s.fail(fmt.Sprintf("the key %.40q", key))
		}
		seen[key] = true
		if !s.have(',') {
			s.want('}')
			break
		}
	}
	if s.err == nil && s.peek() != 0 {
		s.fail("text after the dictionary")
	}
	if s.err == nil && len(seen) != 3 {
		s.fail("no descr, fortran_order or shape")
	}
	return h, s.err
}

// elements returns the number of elements and of bytes, or an error where it is more
// than any memory holds.
func (h *header) elements() (n, size int, err error) {
	// A zero anywhere makes the array empty, so it must not hide an overflow
	// before it: the elements are counted without it.
	total, empty := uint64(h.dtype.Size()), false
	for _, dim := range h.shape {
		if dim == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(total, uint64(dim))
		if hi != 0 || lo > math.MaxInt {
			return 0, 0, fmt.Errorf("the shape %v is larger than any memory", h.shape)
		}
		total = lo
	}
	if empty {
		return 0, 0, nil
	}
	return int(total) / h.dtype.Size(), int(total), nil
}

// scanner reads the few literals of Python that headers are made of. It keeps
// the first mistake.
type scanner struct {
	rest string
	err  error
}

func (s *scanner) fail(found string) {
	if s.err == nil {
		s.err = fmt.Errorf("a header with %s", found)
	}
	s.rest = ""
}

// peek returns the next character after white space, 0 at the end.
func (s *scanner) peek() byte {
	s.rest = strings.TrimLeft(s.rest, " \t\r\n")
	if s.rest == "" {
		return 0
	}
	return s.rest[0]
}

func (s *scanner) have(c byte) bool {
	if s.err != nil || s.peek() != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scanner) want(c byte) {
	if s.err == nil && !s.have(c) {
		s.fail(fmt.Sprintf("%.20q where %q is expected", s.rest, c))
	}
}

func (s *scanner) quoted() string {
	quote := s.peek()
	if quote != '\'' && quote != '"' {
		s.fail(fmt.Sprintf("%.20q where a string is expected", s.rest))
		return ""
	}
	text, rest, ok := strings.Cut(s.rest[1:], string(quote))
	if !ok {
		s.fail("a string without end")
		return ""
	}
	s.rest = rest
	return text
}

func (s *scanner) boolean() bool {
	s.peek()
	for word, value := range map[string]bool{"True": true, "False": false} {
		if rest, ok := strings.CutPrefix(s.rest, word); ok {
			s.rest = rest
			return value
		}
	}
	s.fail(fmt.Sprintf("%.20q where True or False is expected", s.rest))
	return false
}

func (s *scanner) tuple() []int {
	dims := []int{}
	s.want('(')
	for s.err == nil && !s.have(')') {
		dims = append(dims, s.number())
		if len(dims) > maxDims {
			s.fail(fmt.Sprintf("more than %d dimensions", maxDims))
		}
		if !s.have(',') {
			s.want(')')
			break
		}
	}
	return dims
}

func (s *scanner) number() int {
	s.peek()
	end := 0
	for end < len(s.rest) && s.rest[end] >= '0' && s.rest[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(s.rest[:end])
	if err != nil {
		s.fail(fmt.Sprintf("%.40q where a dimension is expected", s.rest))
		return 0
	}
	s.rest = strings.TrimPrefix(s.rest[end:], "L") // as Python 2 wrote them
	return n
}
