// Package weights reads and writes files of weights, of safetensors and of GGUF. A file is mapped into memory and stays
// as it is: tensors are parts of it.
//
// Numbers are stored with their lowest byte first, and read so by kernels. Processors with another order are out.
package weights

import (
	"bytes"
	"fmt"
	"os"
)

// File is a file of weights.
type File struct {
	Data    []byte            // all of it, from the beginning of a page of memory
	Meta    map[string]string // what it says of itself, numbers as text
	Tensors map[string]Tensor
	unmap   func() error
}

// Tensor is a tensor of a file.
type Tensor struct {
	Format     Format
	Shape      []int // the last one is that of elements next to each other
	Begin, End int   // its bytes in Data
}

// Open maps a file and reads what it says of its tensors. Use [File.Close] when nothing uses Data any more.
func Open(name string) (*File, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, unmap, err := mapped(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f, err := Parse(data)
	if err != nil {
		unmap()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	f.unmap = unmap
	return f, nil
}

// Close ends the mapping. Data must not be used after that.
func (f *File) Close() error {
	if f.unmap == nil {
		return nil
	}
	return f.unmap()
}

// Parse reads a file that is in memory.
func Parse(data []byte) (*File, error) {
	if bytes.HasPrefix(data, []byte(ggufMagic)) {
		return parseGGUF(data)
	}
	return parseSafetensors(data)
}

// Bytes returns a tensor as it is stored.
func (f *File) Bytes(t Tensor) []byte { return f.Data[t.Begin:t.End] }

// Values returns the numbers of a tensor.
func (f *File) Values(t Tensor) []float32 { return t.Format.Decode(f.Bytes(t)) }

// add enters a tensor that begins at a byte of Data. It returns an error if it does not lie in Data.
func (f *File) add(name string, format Format, shape []int, begin int) error {
	n := 1
	for _, s := range shape {
		if s < 0 || s > 0 && n > len(f.Data)*32/s { // no format has more than two elements a byte
			return fmt.Errorf("tensor %q: its shape is %v, and the file has %d bytes", name, shape, len(f.Data))
		}
		n *= s
	}
	if len(shape) > 0 && shape[len(shape)-1]%formats[format].elements != 0 {
		return fmt.Errorf("tensor %q: rows of %d elements are no whole blocks of %v", name, shape[len(shape)-1], format)
	}
	size, err := format.Size(n)
	if err != nil {
		return fmt.Errorf("tensor %q: %w", name, err)
	}
	if begin < 0 || begin > len(f.Data) || size > len(f.Data)-begin {
		return fmt.Errorf("tensor %q: its %d bytes from %d on are not all in the file, which has %d",
			name, size, begin, len(f.Data))
	}
	if _, ok := f.Tensors[name]; ok {
		return fmt.Errorf("tensor %q is there twice", name)
	}
	f.Tensors[name] = Tensor{Format: format, Shape: shape, Begin: begin, End: begin + size}
	return nil
}

// Named is a tensor that is written.
type Named struct {
	Name   string
	Format Format
	Shape  []int
	Data   []byte
}
