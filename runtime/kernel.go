package runtime

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Kernel describes one kernel function: its name in the source, its arguments,
// and where the source says what. Generated code has one variable per kernel.
// It must not be copied or changed after its first call.
type Kernel struct {
	Name    string   // as in the source: "fused_norm_add_f32"
	Library *Library // the source
	Pos     string   // where the kernel is: "norm.metal:24"
	Grid    string   // the grid as the source states it, "" where nothing does
	GridPos string   // where it states it: "norm.metal:19"
	// Positions is set for kernels that read the positions of threads in the
	// grid, which are 32-bit numbers: it limits the threads of a dimension.
	Positions bool
	Args      []Arg // in the order in which calls set them, which makes finding them quick

	prepared atomic.Pointer[preparedKernel]
}

// Library is a Metal source, with its local includes flattened in. It is
// compiled on first use, once per device.
type Library struct {
	File   string  // for messages: "norm.metal"
	Source *string // MSL text; a pointer, so that libraries are static data
}

// Arg describes one argument of a kernel.
type Arg struct {
	Kind     ArgKind
	Index    int     // as Metal numbers the arguments of this kind
	Name     string  // as in the source
	Type     string  // MSL type of one element: "float", "half4", "NormParams"
	Size     int     // bytes of one element
	Fields   []Field // of a struct, which Metal's own layout is held against
	Align    int     // buffers: byte alignment of an element; 0 means any
	Access   Access  // buffers: what the kernel does with it
	Constant bool    // buffers: a pointer in the constant address space
	Optional bool    // may be left unset; the zero Buffer and threadgroup length 0 count as unset
	If       string  // optional ones that a call sets exactly where the source has them: the function constant that says so, "has_mask"; set to nothing they are a mistake then
	Shape    string  // length as the source states it, "[rows * dim]" or "tg_size"; "" where nothing does; see [Call.Buffer]
	Pos      string  // where the source says so: "norm.metal:12"
}

// Field is one member of a struct, as the Metal source lays it out.
type Field = driver.Field

// ArgKind says how an argument is set. Buffers and values share one range of
// indices, threadgroup memory and function constants have their own.
type ArgKind uint8

const (
	BufferArg      ArgKind = iota + 1 // a device or constant pointer, set by Call.Buffer
	ValueArg                          // a constant reference: scalar or struct, set by Value
	ThreadgroupArg                    // a threadgroup pointer, set by Call.Threadgroup
	ConstantArg                       // a function constant, set by Constant
)

var argKinds = [...]string{
	BufferArg:      "buffer",
	ValueArg:       "value",
	ThreadgroupArg: "threadgroup",
	ConstantArg:    "function constant",
}

// String returns "buffer", "value", "threadgroup" or "function constant".
func (k ArgKind) String() string {
	if k == 0 || int(k) >= len(argKinds) {
		return fmt.Sprintf("ArgKind(%d)", uint8(k))
	}
	return argKinds[k]
}

// Access says what a kernel does with a buffer. It is a set of bits.
type Access uint8

const (
	Read      Access = 1 << iota // the kernel may read it
	Write                        // the kernel may write it
	ReadWrite = Read | Write
)

// String returns "read", "write" or "read-write".
func (a Access) String() string {
	switch a {
	case Read:
		return "read"
	case Write:
		return "write"
	case ReadWrite:
		return "read-write"
	default:
		return fmt.Sprintf("Access(%d)", uint8(a))
	}
}

// Metal's tables of arguments; an index beyond them aborts the process there.
const (
	maxIndex         = 30
	maxConstantIndex = 65535
	maxConstantSize  = 16
)

// preparedKernel is a kernel whose description was checked, in the form that
// drivers know.
type preparedKernel struct {
	kernel driver.Kernel
	args   []*driver.Arg // parallel to Kernel.Args
}

// prepare checks the description on the first call and is a load after that.
func (k *Kernel) prepare() (*preparedKernel, error) {
	if p := k.prepared.Load(); p != nil {
		return p, nil
	}
	if err := k.check(); err != nil {
		return nil, err
	}
	p := &preparedKernel{kernel: driver.Kernel{
		Name:    k.Name,
		Library: (*driver.Library)(k.Library),
		Pos:     k.Pos,
	}}
	for i := range k.Args {
		a := &k.Args[i]
		arg := &driver.Arg{
			Index:    a.Index,
			Name:     a.Name,
			Type:     a.Type,
			Size:     a.Size,
			Fields:   a.Fields,
			Reads:    a.Access&Read != 0,
			Writes:   a.Access&Write != 0,
			Constant: a.Constant,
			Optional: a.Optional,
			Pos:      a.Pos,
		}
		p.args = append(p.args, arg)
		switch a.Kind {
		case BufferArg:
			p.kernel.Buffers = append(p.kernel.Buffers, arg)
		case ValueArg:
			p.kernel.Values = append(p.kernel.Values, arg)
		case ThreadgroupArg:
			p.kernel.Shared = append(p.kernel.Shared, arg)
		case ConstantArg:
			p.kernel.Constants = append(p.kernel.Constants, arg)
		}
	}
	// Drivers cache by address, so of several first calls one must win.
	k.prepared.CompareAndSwap(nil, p)
	return k.prepared.Load(), nil
}

// check finds descriptions that would make no sense to a device.
func (k *Kernel) check() error {
	if k.Name == "" {
		return errors.New("the kernel has no Name")
	}
	if k.Library == nil || k.Library.Source == nil {
		return errors.New("the kernel has no Library, or one without Source")
	}
	for i := range k.Args {
		if err := k.Args[i].check(); err != nil {
			return fmt.Errorf("description of %s: %w", k.Args[i].Name, err)
		}
		for j := range k.Args[:i] {
			if k.Args[i].sharesSlot(&k.Args[j]) {
				return fmt.Errorf("description of %s: index %d is that of %s as well", k.Args[i].Name, k.Args[i].Index, k.Args[j].Name)
			}
		}
	}
	return nil
}

func (a *Arg) check() error {
	limit := maxIndex
	if a.Kind == ConstantArg {
		limit = maxConstantIndex
	}
	switch {
	case a.Kind < BufferArg || a.Kind > ConstantArg:
		return errors.New("the Kind is not set")
	case a.Index < 0 || a.Index > limit:
		return fmt.Errorf("its Index %d is not within 0 to %d", a.Index, limit)
	case a.Size <= 0:
		return fmt.Errorf("its Size is %d", a.Size)
	case a.Kind == ConstantArg && a.Size > maxConstantSize:
		return fmt.Errorf("its Size is %d, a function constant has at most %d bytes", a.Size, maxConstantSize)
	case a.Align < 0:
		return fmt.Errorf("its Align is %d", a.Align)
	case a.Kind == BufferArg && (a.Access == 0 || a.Access > ReadWrite):
		return errors.New("its Access is not Read, Write or ReadWrite")
	}
	return nil
}

// sharesSlot tells whether a and b are the same place to the device.
func (a *Arg) sharesSlot(b *Arg) bool {
	return a.Index == b.Index && (a.Kind == b.Kind || a.Kind <= ValueArg && b.Kind <= ValueArg)
}
