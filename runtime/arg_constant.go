package runtime

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var constantKind = argKind{
	table:    &argTable{last: 65535},
	check:    checkConstantArg,
	describe: func(k *driver.Kernel, arg *driver.Arg, _ *bind.Arg) { k.Constants = append(k.Constants, arg) },
	bind:     func(c *call, a *formArg, s *bind.Slot) error { return c.bindBytes(a, s, &c.dispatch.Constants) },
}

// maxConstantSize is that of the largest type of a function constant, a vector of four words.
const maxConstantSize = 16

func checkConstantArg(a *bind.Arg) error {
	if a.Size > maxConstantSize {
		return fmt.Errorf("its Size is %d, a function constant has at most %d bytes", a.Size, maxConstantSize)
	}
	return checkSize(a)
}
