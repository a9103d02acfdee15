package runtime

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var threadgroupKind = argKind{
	table:     &argTable{last: 30},
	afterGrid: true,
	check:     checkSize,
	describe:  func(k *driver.Kernel, arg *driver.Arg, _ *bind.Arg) { k.Shared = append(k.Shared, arg) },
	bind:      bindThreadgroup,
}

// threadgroupAlign divides all lengths of threadgroup memory in Metal.
const threadgroupAlign = 16

func bindThreadgroup(c *call, a *formArg, s *bind.Slot) error {
	switch {
	case !s.Set:
		return c.notSet(a.Arg)
	case s.Count == 0 && (mayLack(a.Arg) || c.nothing && a.Shape != ""):
		return nil
	case s.Count == 0 && a.Shape == "":
		return c.bad(a.Arg, "a length in elements of "+a.Type+because(a.Arg)+", which nothing in "+
			c.kernel.Library.File+" states", "0: the call must set it", ErrNotSet)
	case s.Count < 0 || bind.Saturated(s.Count):
		return c.badLength(a.Arg, s.Count)
	case s.Count == 0:
		return c.bad(a.Arg, "at least 1 element of "+a.Type+comma(a.Shape), "0", nil)
	}
	bytes := bind.Mul(s.Count, a.Size)
	bytes = bind.Add(bytes, -bytes&(threadgroupAlign-1))
	total := bytes
	for _, before := range c.dispatch.Shared {
		total = bind.Add(total, before.Length)
	}
	if limit := c.batch.dev.limits.ThreadgroupMemory; total > limit {
		return c.bad(a.Arg,
			fmt.Sprintf("at most %d bytes of threadgroup memory for all arguments together%s", limit, comma(a.Shape)),
			fmt.Sprintf("%s with %d elements of %s for this one", extent(total), s.Count, a.Type), nil)
	}
	c.dispatch.Shared = append(c.dispatch.Shared, driver.Shared{Arg: a.driver, Length: bytes})
	return nil
}
