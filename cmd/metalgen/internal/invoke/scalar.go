package invoke

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/x448/float16"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/npy"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// scalar is a number as kernels see it: the bytes that a text stands for, and
// the elements of files that it takes.
//
// All platforms that the runtime supports have the byte order of Metal, which is
// also that of what package npy reads.
type scalar struct {
	name  string // of MSL
	size  int
	want  string // what texts there are
	parse func(text string) (bits uint64, err error)
	forms []form // the first is what files of it are by themselves
}

// form is one type of elements that a file may hold for a scalar. The functions
// copy one element; nil means that its bytes are the scalar's.
type form struct {
	dtype      npy.DType
	load, save func(to, from []byte)
}

// scalars are those of the model.
var scalars = map[*binding.Basic]*scalar{
	binding.Bool:   {name: "bool", size: 1, want: "true or false", parse: parseBool, forms: plain(npy.Bool)},
	binding.Byte:   unsigned("uchar", 1, npy.Uint8), // what void* points to, too
	binding.Int8:   signed("char", 1, npy.Int8),
	binding.Uint8:  unsigned("uchar", 1, npy.Uint8),
	binding.Int16:  signed("short", 2, npy.Int16),
	binding.Uint16: unsigned("ushort", 2, npy.Uint16),
	binding.Int32:  signed("int", 4, npy.Int32),
	binding.Uint32: unsigned("uint", 4, npy.Uint32),
	binding.Int64:  signed("long", 8, npy.Int64),
	binding.Uint64: unsigned("ulong", 8, npy.Uint64),
	binding.Float32: {name: "float", size: 4, want: "a number that a float can hold", forms: plain(npy.Float32),
		parse: func(text string) (uint64, error) {
			f, err := strconv.ParseFloat(text, 32)
			return uint64(math.Float32bits(float32(f))), err
		}},
	binding.Float16: {name: "half", size: 2, want: "a number that a half can hold", parse: parseHalf,
		forms: []form{{dtype: npy.Float16}, {npy.Float32, loadHalf, saveHalf}, {dtype: npy.Uint16}}},
	// NumPy has no bfloat16, and float32 holds each of them.
	binding.BFloat16: {name: "bfloat", size: 2, want: "a number that a bfloat can hold", parse: parseBFloat,
		forms: []form{{npy.Float32, loadBFloat, saveBFloat}, {dtype: npy.Uint16}}},
}

func plain(d npy.DType) []form { return []form{{dtype: d}} }

func signed(name string, size int, d npy.DType) *scalar {
	least := int64(math.MinInt64) >> (64 - 8*size)
	return &scalar{name: name, size: size, forms: plain(d),
		want: fmt.Sprintf("a whole number from %d to %d", least, ^least),
		parse: func(text string) (uint64, error) {
			n, err := strconv.ParseInt(digits(text), base(text), 8*size)
			return uint64(n), err
		}}
}

func unsigned(name string, size int, d npy.DType) *scalar {
	return &scalar{name: name, size: size, forms: plain(d),
		want: fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-8*size)),
		parse: func(text string) (uint64, error) {
			return strconv.ParseUint(digits(text), base(text), 8*size)
		}}
}

// base returns 16 for what begins as Go and MSL write it. Anything else is decimal:
// people who write 010 seldom mean 8.
func base(text string) int {
	if digits(text) != text {
		return 16
	}
	return 10
}

func digits(text string) string {
	if rest, ok := strings.CutPrefix(text, "0x"); ok && rest != "" && !strings.ContainsAny(rest[:1], "+-") {
		return rest
	}
	return text
}

func parseBool(text string) (uint64, error) {
	b, err := strconv.ParseBool(text)
	if b {
		return 1, err
	}
	return 0, err
}

func parseHalf(text string) (uint64, error) {
	f, err := strconv.ParseFloat(text, 32)
	h := float16.Fromfloat32(float32(f))
	if h.IsInf(0) && !math.IsInf(f, 0) {
		err = strconv.ErrRange
	}
	return uint64(h), err
}

func parseBFloat(text string) (uint64, error) {
	f, err := strconv.ParseFloat(text, 32)
	b := runtime.NewBFloat16(float32(f))
	if math.IsInf(float64(b.Float32()), 0) && !math.IsInf(f, 0) {
		err = strconv.ErrRange
	}
	return uint64(b), err
}

func loadHalf(to, from []byte) {
	f := math.Float32frombits(binary.LittleEndian.Uint32(from))
	binary.LittleEndian.PutUint16(to, float16.Fromfloat32(f).Bits())
}

func saveHalf(to, from []byte) {
	f := float16.Frombits(binary.LittleEndian.Uint16(from)).Float32()
	binary.LittleEndian.PutUint32(to, math.Float32bits(f))
}

func loadBFloat(to, from []byte) {
	f := math.Float32frombits(binary.LittleEndian.Uint32(from))
	binary.LittleEndian.PutUint16(to, uint16(runtime.NewBFloat16(f)))
}

func saveBFloat(to, from []byte) {
	f := runtime.BFloat16(binary.LittleEndian.Uint16(from)).Float32()
	binary.LittleEndian.PutUint32(to, math.Float32bits(f))
}

// put writes the low bytes of bits.
func put(to []byte, bits uint64) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	copy(to, b[:])
}

// integer reads an integer of a Go type, clamped as the runtime does.
func integer(t binding.GoType, b []byte) (int, bool) {
	basic, ok := t.(*binding.Basic)
	if !ok || !basic.Integer {
		return 0, false
	}
	n := word(b[:basic.Size])
	if basic.Signed {
		unused := 64 - 8*basic.Size
		return int(int64(n<<unused) >> unused), true
	}
	return bind.Int(n), true
}

// text returns a number for people.
func (s *scalar) text(b []byte) string {
	var bits [8]byte
	copy(bits[:], b)
	n := binary.LittleEndian.Uint64(bits[:])
	switch s.name {
	case "bool":
		return strconv.FormatBool(n != 0)
	case "half":
		return float16.Frombits(uint16(n)).String()
	case "bfloat":
		return runtime.BFloat16(n).String()
	case "float":
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(n))), 'g', -1, 32)
	}
	if s.signed() {
		unused := 64 - 8*s.size
		return strconv.FormatInt(int64(n)<<unused>>unused, 10)
	}
	return strconv.FormatUint(n, 10)
}

// signed reports whether there are negative integers of the type.
func (s *scalar) signed() bool {
	switch s.name {
	case "char", "short", "int", "long":
		return true
	}
	return false
}

// dtypes returns the types of elements that files of it may have.
func (s *scalar) dtypes() string {
	names := make([]string, len(s.forms))
	for i, f := range s.forms {
		names[i] = f.dtype.String()
	}
	return strings.Join(names, " or ")
}
