package invoke

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/npy"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime/bind"
)

// zeros is the word for all zeros.
const zeros = "zeros"

// unstated stands for a number of elements that the shape decides.
const unstated = -1

// elements are how the elements of a buffer argument lie in files: so many
// scalars for each, without the padding that the device wants.
type elements struct {
	*binding.Arg
	size    int // of an element on the device
	dims    []int
	scalar  *scalar
	offsets []int // of the scalars of an element
}

func newElements(arg *binding.Arg, l *layout) elements {
	e := elements{Arg: arg, size: l.size}
	if e.scalar, e.offsets = l.offsets(); e.scalar != nil {
		e.dims = l.dims()
		return e
	}
	// Structs are bytes to files.
	e.scalar, e.dims = scalars[binding.Uint8], []int{l.size}
	for i := range l.size {
		e.offsets = append(e.offsets, i)
	}
	return e
}

// buffer is what a buffer argument begins with.
type buffer struct {
	elements
	form  form
	count int       // of elements, or unstated
	shape []int     // for the file of results; nil where only the source may state it
	array npy.Array // without Data for zeros
	bytes []byte    // of a single element that was given as a number
	from  string    // for messages
}

// parseBuffer returns a buffer for what was given: a file, zeros, or a number
// for what the kernel takes by reference.
func (e elements) parseBuffer(text string) (*buffer, error) {
	if typ, ok := strings.CutPrefix(text, zeros+":"); ok {
		return e.zeros(typ)
	}
	if text == zeros {
		return e.unset(), nil
	}
	_, statErr := os.Stat(text)
	if statErr != nil && !e.Pointer && e.scalar != nil {
		number := &layout{size: e.scalar.size, scalar: e.scalar}
		v := newValue(&layout{size: e.size, elem: number, len: e.size / number.size})
		if err := v.assign("", text); err == nil {
			return &buffer{elements: e, form: e.scalar.forms[0], count: 1, shape: e.one(), bytes: v.bytes, from: text}, nil
		}
	}
	array, err := npy.ReadFile(text)
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("need %s, and there is no file %s", e.takes(), text)
	} else if err != nil {
		return nil, err
	}
	return e.ofArray(array, text)
}

// one returns the shape of a single element.
func (e elements) one() []int { return append([]int{}, e.dims...) }

// unset returns a buffer of zeros that is as long as the source states.
func (e elements) unset() *buffer {
	return &buffer{elements: e, form: e.scalar.forms[0], count: unstated, from: zeros}
}

func (e elements) ofArray(array *npy.Array, name string) (*buffer, error) {
	i := slices.IndexFunc(e.scalar.forms, func(f form) bool { return f.dtype == array.DType })
	if i < 0 {
		return nil, fmt.Errorf("need %s elements, %s has %s", e.dtypes(), name, array.DType)
	}
	b := &buffer{elements: e, form: e.scalar.forms[i], shape: array.Shape, array: *array, from: name}
	return b, b.measure(array.Len())
}

// measure finds how many elements so many scalars are.
func (b *buffer) measure(scalars int) error {
	each := len(b.offsets)
	if scalars%each != 0 {
		return fmt.Errorf("need whole elements of %s, %d of %s each, %s has %d", b.Type, each, b.form.dtype, b.from, scalars)
	}
	b.count = scalars / each
	return nil
}

// zeros parses TYPE[n] or TYPE. The type is one of files, or one of MSL.
func (e elements) zeros(text string) (*buffer, error) {
	name, dims, ok := strings.Cut(text, "[")
	b := e.unset()
	b.from = zeros + ":" + text
	whole := name == e.Type // counted in elements, not in scalars
	if dtype, known := npy.ByName(name); known {
		i := slices.IndexFunc(e.scalar.forms, func(f form) bool { return f.dtype == dtype })
		if i < 0 {
			return nil, fmt.Errorf("need %s elements, have %s", e.dtypes(), name)
		}
		b.form = e.scalar.forms[i]
	} else if !whole && name != e.scalar.name {
		return nil, fmt.Errorf("need %s elements, have %.40q", e.dtypes(), name)
	}
	if !ok {
		return b, nil
	}
	total := 1
	inner, closed := strings.CutSuffix(dims, "]")
	for word := range strings.SplitSeq(inner, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(word))
		if err != nil || n < 0 || !closed {
			return nil, fmt.Errorf("%s: need numbers in brackets, as in %s:%s[256]", b.from, zeros, name)
		}
		b.shape = append(b.shape, n)
		total = bind.Mul(total, n)
	}
	if !isCount(total) {
		return nil, fmt.Errorf("%s is larger than any memory", b.from)
	}
	if whole {
		b.count, b.shape = total, append(b.shape, e.dims...)
		return b, nil
	}
	return b, b.measure(total)
}

// isCount reports whether n is a number of elements, and no overflow.
func isCount(n int) bool { return n >= 0 && n != math.MaxInt }

// dtypes returns the types of elements that files may have.
func (e elements) dtypes() string { return e.scalar.dtypes() }

// takes returns what may be given for the argument.
func (e elements) takes() string {
	s := "a .npy file of " + e.dtypes()
	if !e.Pointer {
		s = "a number or " + s
	}
	return s
}

// fill copies what was given to the memory of the device, which is zero.
func (b *buffer) fill(to []byte) {
	if b.bytes != nil {
		copy(to, b.bytes)
		return
	}
	load := orCopy(b.form.load)
	b.pairs(to, b.array.Data, func(device, file []byte) { load(device, file) })
}

// result returns what is in the memory of the device, as an array of a shape.
func (b *buffer) result(memory []byte, shape []int) *npy.Array {
	a := &npy.Array{DType: b.form.dtype, Shape: shape}
	a.Data = make([]byte, b.count*len(b.offsets)*a.DType.Size())
	save := orCopy(b.form.save)
	b.pairs(memory, a.Data, func(device, file []byte) { save(file, device) })
	return a
}

func orCopy(convert func(to, from []byte)) func(to, from []byte) {
	if convert == nil {
		return func(to, from []byte) { copy(to, from) }
	}
	return convert
}

// pairs calls f with the bytes of each scalar on the device and in the file; once with
// all of them where both have the same bytes.
func (b *buffer) pairs(device, file []byte, f func(device, file []byte)) {
	if b.form.load == nil && len(b.offsets)*b.scalar.size == b.size {
		f(device, file)
		return
	}
	width := b.form.dtype.Size()
	for i := 0; len(file) > 0; i++ {
		at := i/len(b.offsets)*b.size + b.offsets[i%len(b.offsets)]
		f(device[at:at+b.scalar.size], file[:width])
		file = file[width:]
	}
}
