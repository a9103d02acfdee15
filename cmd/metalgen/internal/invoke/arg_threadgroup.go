package invoke

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// threadgroupArg is threadgroup memory. The call says its length.
type threadgroupArg struct {
	*common
	length int // in elements
}

func newThreadgroupArg(a *binding.Arg) (argument, error) {
	return &threadgroupArg{common: &common{Arg: a}}, nil
}

func (a *threadgroupArg) read(_ *preparation, _, path, text string) (err error) {
	if path != "" || !a.Pointer {
		err = errors.New("it has no length to set")
	} else {
		a.length, err = parseCount(text)
	}
	a.bad = a.bad || err != nil
	return err
}

func parseCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("need a number of elements, have %q", text)
	}
	return n, nil
}

func (a *threadgroupArg) share(p *preparation, n *numbers) {
	switch {
	case a.length > 0 || a.bad:
	case a.HasLength():
		a.length, _ = n.eval(a.Shape) // what is missing for it is reported
	case !a.Pointer:
		a.length = 1
	case a.mayLack:
	default:
		p.fail(a.name(), "nothing in %s states its length: give -shared %s=N, in elements of %s",
			p.source.File, a.name(), a.Type)
	}
}

func (a *threadgroupArg) pass(c *bind.Call[runtime.Grid]) { c.Threadgroup(a.Index, a.length) }

func (a *threadgroupArg) text() string {
	return fmt.Sprintf("%s[%d] of threadgroup memory", a.Type, a.length)
}
