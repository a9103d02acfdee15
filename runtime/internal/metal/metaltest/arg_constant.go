//go:build linux && (amd64 || arm64)

package metaltest

import (
	"strings"
	"unsafe"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var constantKind = argKind{
	number: 100,
	read: func(d *Dispatch, r *argRecord) {
		d.Constants = append(d.Constants, Constant{int(r.index), int(r.number), unsafe.Slice(r.address, r.length)})
	},
	bind: func(to *driver.Dispatch, from *Dispatch) {
		for _, c := range from.Constants {
			to.Constants = append(to.Constants, driver.Value{Arg: &driver.Arg{Index: c.Index}, Bytes: c.Bytes})
		}
	},
}

// Constant is the value of a function constant.
type Constant struct {
	Index int
	Type  int // MTLDataType
	Bytes []byte
}

// describeConstants describes the constants that a kernel uses to the library.
func (s *source) describeConstants(kernel uintptr, k *tree.Kernel) {
	for _, c := range s.program.Constants {
		if s.program.UsesName(k, c.Name) {
			fake.constant(kernel, c.Name, uint64(c.Index), dataType(c.Type), s.required(c))
		}
	}
}

// required returns 0 for constants that the source asks for before it uses them.
func (s *source) required(c *tree.FunctionConstant) uint64 {
	if strings.Contains(s.text, "is_function_constant_defined("+c.Name+")") {
		return 0
	}
	return 1
}
