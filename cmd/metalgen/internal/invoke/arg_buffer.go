package invoke

import (
	"errors"
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// bufferArg is a buffer: what it begins with, and the file that it is written to.
type bufferArg struct {
	*common
	elements elements
	content  *buffer // nil for one that is left out
	wanted   bool    // -o names it
	output   *output // nil where -o does not name it
	need     int     // in elements
	memory   runtime.Buffer[byte]
}

func newBufferArg(a *binding.Arg) (argument, error) {
	l, err := elementLayout(a)
	if err != nil {
		return nil, err
	}
	return &bufferArg{common: &common{Arg: a}, elements: newElements(a, l)}, nil
}

func (a *bufferArg) read(p *preparation, flag, path, text string) (err error) {
	if flag == "-o" {
		return a.readOutput(p, path, text)
	}
	if path != "" {
		err = fmt.Errorf("%s is a buffer, which is set as a whole", a.name())
	} else {
		a.content, err = a.elements.parseBuffer(text)
	}
	a.bad = a.bad || err != nil
	return err
}

func (a *bufferArg) readOutput(p *preparation, path, file string) (err error) {
	a.wanted = true
	switch {
	case path != "":
		return fmt.Errorf("%s is a buffer, which is written as a whole", a.name())
	case a.Access == binding.Read:
		return errors.New("the kernel only reads it")
	}
	a.output, err = p.output(a.name(), file)
	return err
}

// settle adds the length, where that is known without the source.
func (a *bufferArg) settle(_ *preparation, n *numbers) {
	switch {
	case a.content != nil && a.content.count != unstated:
		n.sizes[size{a.Arg, lengthOfBuffer}] = a.content.count
	case a.mayLack && !a.bad && !a.wanted:
		n.sizes[size{a.Arg, lengthOfBuffer}] = 0
	}
}

// measure computes the length of zeros that were given without one, and of results that
// nothing was given for.
func (a *bufferArg) measure(p *preparation, n *numbers) {
	if a.bad || a.content != nil && a.content.count != unstated {
		return
	}
	if a.content == nil && a.wanted && (a.HasLength() || !a.Pointer) && a.Access == binding.Write {
		a.content = a.elements.unset()
	}
	if a.content == nil {
		if need, known := a.needs(n, 1); known && need == 0 {
			n.sizes[size{a.Arg, lengthOfBuffer}] = 0 // it may be left out
		}
		return
	}
	switch b := a.content; {
	case !a.Pointer:
		b.count, b.shape = 1, b.one()
	case !a.HasLength():
		p.fail(a.name(), "nothing in %s states its length: give -arg %s=%s:%s[n]",
			p.source.File, a.name(), zeros, b.form.dtype)
		a.bad = true
	default:
		count, known := n.eval(a.Shape)
		if !known {
			a.bad = true // what is missing is reported
		} else if isCount(count) { // else check reports it
			b.count, b.shape = count, nil
			n.sizes[size{a.Arg, lengthOfBuffer}] = count
		}
	}
}

// needs returns how many elements the source states, or what there are where it states
// nothing; false where a number is missing for that.
func (a *bufferArg) needs(n *numbers, otherwise int) (int, bool) {
	if a.HasLength() {
		return n.eval(a.Shape)
	}
	return otherwise, true
}

func (a *bufferArg) check(p *preparation, n *numbers) {
	if a.bad {
		return
	}
	least := 0
	if !a.Pointer {
		least = 1
	}
	need, known := a.needs(n, least)
	switch b := a.content; {
	case known && !isCount(need):
		p.errs = append(p.errs, &runtime.ArgError{
			Kernel: p.kernel.Name, Arg: a.name(), Need: "a length in elements of " + a.Type + ", " + a.ShapeText(),
			Pos: binding.FileLine(a.ShapeFrom), Have: lengthText(need), Err: runtime.ErrOverflow,
		})
	case b == nil && a.output == nil && (a.mayLack || known && a.HasLength() && need == 0):
		// nothing of it is touched
	case b == nil:
		a.reportAbsent(p)
	case known && b.count < need:
		shape, pos := "", a.Pos
		if a.HasLength() {
			shape, pos = ", "+a.ShapeText(), a.ShapeFrom
		}
		p.errs = append(p.errs, &runtime.ArgError{
			Kernel: p.kernel.Name, Arg: a.name(), Need: "at least " + count(need, a.Type) + shape,
			Pos: binding.FileLine(pos), Have: fmt.Sprintf("%d from %s", b.count, b.from), Err: runtime.ErrTooShort,
		})
	}
	a.need = need
}

func lengthText(n int) string {
	if n < 0 && isCount(-n-1) {
		return fmt.Sprintf("a negative one, %d", n)
	}
	return "one that overflows or divides by zero"
}

// reportAbsent reports a buffer that was not given.
func (a *bufferArg) reportAbsent(p *preparation) {
	name, dtype := a.name(), a.elements.scalar.forms[0].dtype
	switch {
	case a.Access == binding.Write && a.wanted && a.HasLength():
		// the -o is wrong, and reported
	case a.Access == binding.Write && a.HasLength():
		p.fail(name, "it is not set: give -o %s=FILE.npy%s", name, a.stated())
	case a.Access == binding.Write:
		p.fail(name, "it is not set, and nothing in %s states its length: give -arg %s=%s:%s[n]",
			p.source.File, name, zeros, dtype)
	case a.wanted:
		p.fail(name, "it is read as well as written: give -arg %s=FILE.npy or -arg %s=%s:%s[n]%s",
			name, name, zeros, dtype, a.stated())
	default:
		p.fail(name, "it is not set: give -arg %s=FILE.npy of %s%s", name, a.elements.dtypes(), a.stated())
	}
}

func (a *bufferArg) circle(p *preparation) {
	if a.content != nil && a.content.count == unstated {
		p.fail(a.name(), "its length, %s, depends on what it determines: give -arg %s=%s:%s[n]",
			a.ShapeText(), a.name(), zeros, a.content.form.dtype)
	}
}

func (a *bufferArg) allocate(dev *runtime.Device) (free func(), err error) {
	if a.content == nil {
		return func() {}, nil
	}
	a.memory, err = runtime.NewBuffer[byte](dev, bind.Mul(a.content.count, a.content.size))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.name(), err)
	}
	a.content.fill(a.memory.Data())
	return a.memory.Free, nil
}

func (a *bufferArg) pass(c *bind.Call[runtime.Grid]) {
	c.Buffer(a.Index, a.memory.View().Elements(a.Size), a.need)
}

// finish keeps the memory for the file.
func (a *bufferArg) finish(n *numbers) error {
	if a.output != nil {
		a.output.content = a.content.result(a.memory.Data(), a.shape(n))
	}
	return nil
}

// shape returns that of the file that the buffer is written to: what was given with it,
// or what the source states.
func (a *bufferArg) shape(n *numbers) []int {
	b := a.content
	if b.shape != nil {
		return b.shape
	}
	total, dims := 1, []int{}
	for _, e := range factors(a.Arg) {
		dim, ok := n.eval(e)
		if !ok || dim < 0 {
			total = -1
			break
		}
		total, dims = bind.Mul(total, dim), append(dims, dim)
	}
	if total != b.count {
		dims = []int{b.count} // no product of dimensions after all
	}
	return append(dims, b.dims...)
}

func (a *bufferArg) text() string {
	if a.content == nil {
		return "left out"
	}
	text := fmt.Sprintf("%s[%d] from %s", a.Type, a.content.count, a.content.from)
	if a.output != nil {
		text += ", to " + a.output.name
	}
	return text
}

// factors returns the dimensions of a stated shape, which the model has multiplied.
func factors(a *binding.Arg) []binding.Expr {
	depth, n := 0, 1
	for _, c := range a.Stated {
		switch {
		case strings.ContainsRune("([", c):
			depth++
		case strings.ContainsRune(")]", c):
			depth--
		case c == ',' && depth == 0:
			n++
		}
	}
	list := make([]binding.Expr, n)
	e := a.Shape
	for i := n - 1; i > 0; i-- {
		product, ok := e.(*binding.Binary)
		if !ok || product.Op != '*' {
			return []binding.Expr{a.Shape}
		}
		list[i], e = product.Y, product.X
	}
	list[0] = e
	return list
}
