package npy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/regular"
)

// Array is an array of elements in C order: the last index varies fastest.
type Array struct {
	DType DType
	Shape []int  // empty for a single number
	Data  []byte // the elements, little-endian
}

// Len returns the number of elements.
func (a *Array) Len() int { return len(a.Data) / a.DType.Size() }

const (
	magic = "\x93NUMPY"
	// maxHeader is far more than any header that can be understood needs.
	maxHeader = 1 << 20
	// maxData is how long the elements of a file may be. They are in memory several times while a kernel runs: as
	// read, in the device's buffer, and as a result.
	maxData = 2 << 30
	// headerAlign is what NumPy aligns the data to, for files mapped to memory.
	headerAlign = 64
)

// ReadFile reads a regular file. Its errors name it.
func ReadFile(name string) (*Array, error) {
	f, _, err := regular.Open(name)
	if refused := regular.Error(""); errors.As(err, &refused) {
		return nil, fmt.Errorf("%s: %w", name, err)
	} else if err != nil {
		return nil, err
	}
	defer f.Close()
	a, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return a, nil
}

// Read reads an array and nothing else: what stands after it is an error.
func Read(r io.Reader) (*Array, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	n, size, err := h.elements()
	if err != nil {
		return nil, err
	}
	if size > maxData {
		return nil, fmt.Errorf("%d elements of %s take more than %d GB", n, h.dtype, maxData>>30)
	}
	// ReadAll grows as data comes in, however much was promised.
	data, err := io.ReadAll(io.LimitReader(r, int64(size)))
	if err != nil {
		return nil, err
	}
	if len(data) < size {
		return nil, fmt.Errorf("truncated: %d elements of %s take %d bytes, there are %d", n, h.dtype, size, len(data))
	}
	if extra, err := io.ReadFull(r, make([]byte, 1)); extra > 0 {
		return nil, errors.New("there is more in it than one array")
	} else if err != io.EOF {
		return nil, err
	}
	a := &Array{DType: h.dtype, Shape: h.shape, Data: data}
	if h.bigEndian {
		a.swapBytes()
	}
	if h.fortran {
		a.Data = transposed(a.Data, a.Shape, a.DType.Size())
	}
	if a.DType == Bool {
		for i, b := range a.Data {
			a.Data[i] = min(b, 1) // what NumPy takes for true need not be 1
		}
	}
	return a, nil
}

// readHeader reads all that precedes the data.
func readHeader(r io.Reader) (header, error) {
	start := make([]byte, len(magic)+2)
	if _, err := io.ReadFull(r, start); err != nil || string(start[:len(magic)]) != magic {
		switch {
		case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
			return header{}, err
		case bytes.HasPrefix(start, []byte("PK")):
			return header{}, errors.New("a .npz archive of several arrays; save the array alone, as .npy")
		}
		return header{}, errors.New("no .npy file")
	}
	width := 4
	switch version := start[len(magic)]; version {
	case 1:
		width = 2
	case 2, 3: // 3 allows the names of fields to be UTF-8
	default:
		return header{}, fmt.Errorf("version %d of the format, which is not known", version)
	}
	var length [4]byte
	if _, err := io.ReadFull(r, length[:width]); err != nil {
		return header{}, truncated(err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHeader {
		return header{}, fmt.Errorf("a header of %d bytes", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return header{}, truncated(err)
	}
	return parseHeader(string(text))
}

func truncated(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return errors.New("truncated within the header")
	}
	return err
}

func (a *Array) swapBytes() {
	for element := range slices.Chunk(a.Data, a.DType.Size()) {
		slices.Reverse(element)
	}
}

// transposed returns data whose first index varies fastest in C order.
func transposed(data []byte, shape []int, size int) []byte {
	if len(shape) < 2 || len(data) == 0 {
		return data
	}
	strides := make([]int, len(shape))
	stride := size
	for i, dim := range shape {
		strides[i] = stride
		stride *= dim
	}
	out := make([]byte, 0, len(data))
	index := make([]int, len(shape))
	for at := 0; len(out) < len(data); {
		out = append(out, data[at:at+size]...)
		for i := len(index) - 1; i >= 0; i-- {
			index[i]++
			at += strides[i]
			if index[i] < shape[i] {
				break
			}
			at -= index[i] * strides[i]
			index[i] = 0
		}
	}
	return out
}

// WriteTo writes the array as version 1.0 of the format.
func (a *Array) WriteTo(w io.Writer) (int64, error) {
	dims := make([]string, len(a.Shape))
	for i, dim := range a.Shape {
		dims[i] = strconv.Itoa(dim)
	}
	shape := strings.Join(dims, ", ")
	if len(dims) == 1 {
		shape += "," // or Python reads a number in parentheses
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", a.DType.descr(), shape)
	used := len(magic) + 2 + 2 + len(text) + 1
	text += strings.Repeat(" ", (headerAlign-used%headerAlign)%headerAlign) + "\n"

	start := append([]byte(magic), 1, 0)
	start = binary.LittleEndian.AppendUint16(start, uint16(len(text)))
	start = append(start, text...)
	n, err := w.Write(start)
	if err != nil {
		return int64(n), err
	}
	m, err := w.Write(a.Data)
	return int64(n + m), err
}
