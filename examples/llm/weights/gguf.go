package weights

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
)

// A GGUF file has numbers and names of its own, then what it says of its tensors, and the tensors
// (https://github.com/ggml-org/ggml/blob/master/docs/gguf.md). Offsets count from where the tensors begin, which is a
// multiple of the alignment. Dimensions are in the order of memory: the first is that of elements next to each other.

const (
	ggufMagic        = "GGUF"
	ggufVersion      = 3
	ggufAlignment    = 32
	ggufAlignmentKey = "general.alignment"
)

// The types of values.
const (
	ggufUint8 = iota
	ggufInt8
	ggufUint16
	ggufInt16
	ggufUint32
	ggufInt32
	ggufFloat32
	ggufBool
	ggufString
	ggufArray
	ggufUint64
	ggufInt64
	ggufFloat64
)

func parseGGUF(data []byte) (*File, error) {
	r := &reader{data: data, at: len(ggufMagic)}
	if v := r.uint32(); v != 2 && v != 3 {
		return nil, fmt.Errorf("GGUF of version %d, want 2 or 3", v)
	}
	tensors, values := r.uint64(), r.uint64()
	f := &File{Data: data, Meta: make(map[string]string), Tensors: make(map[string]Tensor)}
	for i := uint64(0); i < values && r.err == nil; i++ {
		key := r.string()
		if text, ok := r.value(r.uint32(), 0); ok {
			f.Meta[key] = text
		}
	}
	var infos []info
	for i := uint64(0); i < tensors && r.err == nil; i++ {
		infos = append(infos, r.info())
	}
	if r.err != nil {
		return nil, r.err
	}
	alignment := ggufAlignment
	if text, ok := f.Meta[ggufAlignmentKey]; ok {
		var err error
		if alignment, err = strconv.Atoi(text); err != nil || alignment < 1 || alignment > 1<<20 {
			return nil, fmt.Errorf("an alignment of %s", text)
		}
	}
	begin := (r.at + alignment - 1) / alignment * alignment
	for _, t := range infos {
		format := slices.IndexFunc(formats[:], func(f formatInfo) bool { return f.ggml == t.kind })
		if format < 0 {
			return nil, fmt.Errorf("tensor %q: its type is %d, want F32, F16, Q4_0 or Q8_0", t.name, t.kind)
		}
		if t.offset > uint64(len(data)) || begin > len(data) {
			return nil, fmt.Errorf("tensor %q: it begins at %d of %d bytes", t.name, t.offset, len(data))
		}
		if err := f.add(t.name, Format(format), t.shape, begin+int(t.offset)); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// info is what a GGUF file says of a tensor.
type info struct {
	name   string
	shape  []int
	kind   uint32
	offset uint64
}

// reader reads numbers and strings. After its first error it reads zeros.
type reader struct {
	data []byte
	at   int
	err  error
}

func (r *reader) bytes(n uint64) []byte {
	if r.err == nil && n > uint64(len(r.data)-r.at) {
		r.err = errors.New("the file ends too early")
	}
	if r.err != nil {
		return nil
	}
	b := r.data[r.at:][:n]
	r.at += int(n)
	return b
}

// unsigned returns a number of up to eight bytes.
func (r *reader) unsigned(size uint64) uint64 {
	var b [8]byte
	copy(b[:], r.bytes(size))
	return binary.LittleEndian.Uint64(b[:])
}

func (r *reader) uint32() uint32 { return uint32(r.unsigned(4)) }
func (r *reader) uint64() uint64 { return r.unsigned(8) }
func (r *reader) string() string { return string(r.bytes(r.uint64())) }

// sizes are the bytes of values that are numbers.
var sizes = map[uint32]uint64{
	ggufUint8: 1, ggufInt8: 1, ggufUint16: 2, ggufInt16: 2, ggufUint32: 4, ggufInt32: 4, ggufFloat32: 4, ggufBool: 1,
	ggufUint64: 8, ggufInt64: 8, ggufFloat64: 8,
}

// value reads a value, and returns it as text. Those of arrays are passed over.
func (r *reader) value(kind uint32, depth int) (text string, ok bool) {
	switch kind {
	case ggufString:
		return r.string(), true
	case ggufArray:
		kind, n := r.uint32(), r.uint64()
		if depth > 8 {
			r.err = errors.New("arrays of arrays of arrays")
		}
		for i := uint64(0); i < n && r.err == nil; i++ {
			r.value(kind, depth+1)
		}
		return "", false
	}
	size, ok := sizes[kind]
	if !ok && r.err == nil {
		r.err = fmt.Errorf("a value of type %d", kind)
	}
	bits := r.unsigned(size)
	unused := 64 - 8*size
	switch kind {
	case ggufInt8, ggufInt16, ggufInt32, ggufInt64:
		return strconv.FormatInt(int64(bits<<unused)>>unused, 10), ok
	case ggufFloat32:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32), ok
	case ggufFloat64:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64), ok
	case ggufBool:
		return strconv.FormatBool(bits != 0), ok
	}
	return strconv.FormatUint(bits, 10), ok
}

func (r *reader) info() info {
	t := info{name: r.string()}
	n := r.uint32()
	if n > 4 && r.err == nil {
		r.err = fmt.Errorf("tensor %q has %d dimensions", t.name, n)
	}
	for i := uint32(0); i < n && r.err == nil; i++ {
		t.shape = append(t.shape, int(min(r.uint64(), math.MaxInt32)))
	}
	slices.Reverse(t.shape)
	t.kind, t.offset = r.uint32(), r.uint64()
	return t
}

// WriteGGUF writes tensors of any format. Of what the file says of itself, whole numbers become uint32, other numbers
// float32, and the rest strings.
func WriteGGUF(w io.Writer, meta map[string]string, tensors []Named) error {
	out := []byte(ggufMagic)
	u32 := func(n uint32) { out = binary.LittleEndian.AppendUint32(out, n) }
	u64 := func(n int) { out = binary.LittleEndian.AppendUint64(out, uint64(n)) }
	text := func(s string) { u64(len(s)); out = append(out, s...) }
	align := func() { out = append(out, make([]byte, -len(out)&(ggufAlignment-1))...) }

	u32(ggufVersion)
	u64(len(tensors))
	u64(len(meta))
	for _, key := range slices.Sorted(maps.Keys(meta)) {
		text(key)
		if n, err := strconv.ParseUint(meta[key], 10, 32); err == nil {
			u32(ggufUint32)
			u32(uint32(n))
		} else if x, err := strconv.ParseFloat(meta[key], 32); err == nil {
			u32(ggufFloat32)
			u32(math.Float32bits(float32(x)))
		} else {
			u32(ggufString)
			text(meta[key])
		}
	}
	at := 0
	for _, t := range tensors {
		text(t.Name)
		u32(uint32(len(t.Shape)))
		for _, s := range slices.Backward(t.Shape) {
			u64(s)
		}
		u32(formats[t.Format].ggml)
		u64(at)
		at += (len(t.Data) + ggufAlignment - 1) / ggufAlignment * ggufAlignment
	}
	align()
	for _, t := range tensors {
		out = append(out, t.Data...)
		align()
	}
	_, err := bytes.NewReader(out).WriteTo(w)
	return err
}
