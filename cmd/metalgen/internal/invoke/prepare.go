package invoke

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/binding"
)

// Request is a call as somebody typed it.
type Request struct {
	Source *binding.Source
	Kernel *binding.Kernel

	Args      []Setting // NAME may go on to a field or an element, p.ne[1]
	Outputs   []Setting // files to write buffers and textures to
	Shared    []Setting // elements of threadgroup arguments
	Constants []Setting // function constants

	Threadgroups, Threads *[3]int // nil: as the source states
}

// Prepare does all that takes no device. It reports every mistake.
func Prepare(r *Request) (*Plan, []error) {
	p := newPreparation(r)

	// What was given, argument by argument.
	p.read("-arg", r.Args)
	p.read("-const", r.Constants)
	p.read("-o", r.Outputs)
	p.switches() // after the constants: they decide which arguments there are

	// The numbers that formulas find, and what follows from them. The grid may depend on the
	// length of a buffer, and that on the threads of the grid.
	n := &numbers{values: map[*binding.Arg][]byte{}, sizes: map[size]int{}}
	for _, a := range p.args {
		a.settle(p, n)
	}
	err := n.computeGrid(r)
	for _, a := range p.args {
		a.measure(p, n)
	}
	if n.grid == nil {
		err = n.computeGrid(r)
	}
	if err != nil {
		p.errs = append(p.errs, fmt.Errorf("%s: %w", r.Kernel.Name, err))
	}

	if unmet := n.unmet(r.Kernel); len(unmet) > 0 {
		return nil, append(p.errs, unmet...) // what else is wrong may follow from it
	}

	// Mistakes in what was given, now that all numbers are known that can be.
	for _, a := range p.args {
		a.check(p, n)
	}
	p.read("-shared", r.Shared) // after the buffers, whose mistakes are reported first
	for _, a := range p.args {
		a.share(p, n)
	}
	if len(p.errs) == 0 {
		p.circles(n)
	}
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return &Plan{
		kernel: r.Kernel, described: r.Describe(), args: p.args, outputs: p.outputs, numbers: n,
	}, nil
}

// preparation is a call before it is complete.
type preparation struct {
	source  *binding.Source
	kernel  *binding.Kernel
	args    []argument                // those of the kernel, then its function constants
	of      map[*binding.Arg]argument // the same
	outputs []*output
	targets map[string]string // what is written to a file, by the file's path
	errs    []error
}

// newPreparation begins a call with its arguments, before any is given.
func newPreparation(r *Request) *preparation {
	p := &preparation{
		source: r.Source, kernel: r.Kernel, of: map[*binding.Arg]argument{}, targets: map[string]string{},
	}
	for _, list := range [][]*binding.Arg{r.Kernel.Args, r.Kernel.Uses} {
		for _, model := range list {
			var a argument = &common{Arg: model}
			if begin := kinds[model.Kind].begin; begin != nil {
				made, err := begin(model)
				if err == nil {
					a = made
				} else {
					p.fail(nameOf(model), "%w", err)
				}
			}
			p.args = append(p.args, a)
			p.of[model] = a
		}
	}
	return p
}

// fail reports a mistake in what belongs to a name.
func (p *preparation) fail(name, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s: %s: %w", p.kernel.Name, name, fmt.Errorf(format, args...)))
}

// switches finds the arguments that the kernel has, as the function constants are, and
// those that may be left out.
func (p *preparation) switches() {
	for _, arg := range p.args {
		a := arg.about()
		a.exists = a.If == nil || a.If.Eval(func(c *binding.Arg) (v, defined bool) {
			constant, ok := p.of[c].(*constantArg)
			if !ok {
				return false, false
			}
			return constant.defined()
		})
		a.mayLack = a.Optional && (a.If == nil || !a.exists)
	}
}

// circles reports lengths and a grid that could not be computed although nothing is
// missing: they need one another.
func (p *preparation) circles(n *numbers) {
	for _, a := range p.args {
		a.circle(p)
	}
	if n.grid == nil && len(p.errs) == 0 {
		p.errs = append(p.errs, fmt.Errorf("%s: its grid, %s, cannot be computed: give -grid and -threads",
			p.kernel.Name, p.kernel.Geometry.Text))
	}
}
