package invoke

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// valueArg is an argument that a kernel takes by value: a number, or a params struct.
type valueArg struct {
	*common
	value *value // nil for one that is left out
}

func newValueArg(a *binding.Arg) (argument, error) {
	l, err := elementLayout(a)
	if err != nil {
		return nil, err
	}
	return &valueArg{&common{Arg: a}, newValue(l)}, nil
}

func (a *valueArg) read(_ *preparation, _, path, text string) error {
	err := a.value.assign(path, text)
	a.bad = a.bad || err != nil
	return err
}

// settle reports the parts that were not given.
func (a *valueArg) settle(p *preparation, n *numbers) {
	missing := a.value.missing()
	if len(missing) == 0 {
		if !a.bad {
			n.values[a.Arg] = a.value.bytes
		}
		return
	}
	switch {
	case a.bad: // and reported
	case a.mayLack && missing[0] == "":
	case a.value.fields == nil && missing[0] == "":
		p.fail(a.name(), "it is not set: give -arg %s=%s", a.name(), a.value.example())
	default:
		p.fail(a.name(), "not set: %s; -arg %s=%s sets what is not given to zero",
			strings.Join(described(a.name(), missing), ", "), a.name(), zeros)
	}
	if a.mayLack && !a.bad {
		// As in the Args of generated code, what is left out is zero.
		n.values[a.Arg] = make([]byte, a.Size)
	}
	a.value = nil
}

func (a *valueArg) pass(c *bind.Call[runtime.Grid]) {
	if a.value != nil {
		c.ValueBytes(a.Index, a.value.bytes)
	}
}

func (a *valueArg) text() string {
	if a.value == nil {
		return "left out"
	}
	return a.Type + " " + a.value.text(a.value.bytes)
}

// described returns paths after a name.
func described(name string, paths []string) []string {
	const few = 12
	var out []string
	for i, path := range paths {
		if i == few {
			return append(out, fmt.Sprintf("and %d more", len(paths)-few))
		}
		out = append(out, name+path)
	}
	return out
}

// example returns what a value looks like on the command line.
func (v *value) example() string {
	s, offsets := v.offsets()
	if s == nil {
		return zeros
	}
	words := slices.Repeat([]string{strings.ToUpper(s.name)}, min(len(offsets), 4))
	if len(offsets) > 4 {
		words = append(words[:3], "...")
	}
	return strings.Join(words, ",")
}
