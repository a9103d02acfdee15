package invoke

import (
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// constantArg is a function constant. As in generated code, one that is not given is
// zero, or has no value where the source provides for that.
type constantArg struct {
	*common
	value *value
}

func newConstantArg(a *binding.Arg) (argument, error) {
	l, err := layoutOf(a.GoType)
	if err != nil {
		return nil, err
	}
	return &constantArg{&common{Arg: a}, newValue(l)}, nil
}

func (a *constantArg) read(_ *preparation, _, _, text string) error { return a.value.assign("", text) }

// defined reports whether the constant has a value, and whether that is true, of a bool.
func (a *constantArg) defined() (isTrue, defined bool) {
	if a.Optional && len(a.value.missing()) > 0 {
		return false, false
	}
	return a.value.bytes[0] != 0, true
}

func (a *constantArg) pass(c *bind.Call[runtime.Grid]) {
	if _, defined := a.defined(); defined {
		c.ConstantBytes(a.Index, a.value.bytes)
	}
}

func (a *constantArg) text() string {
	text := "without a value"
	if _, defined := a.defined(); defined {
		text = a.value.text(a.value.bytes)
	}
	return a.Type + " " + text + ", a function constant"
}
