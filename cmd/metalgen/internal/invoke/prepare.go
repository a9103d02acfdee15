package invoke

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// Setting is one NAME=VALUE.
type Setting struct{ Name, Value string }

// Request is a call as somebody typed it.
type Request struct {
	Source *binding.Source
	Kernel *binding.Kernel

	Args      []Setting // of buffers and values: NAME may go on to a field, p.ne[1]
	Outputs   []Setting // files to write buffers to
	Shared    []Setting // elements of threadgroup arguments
	Constants []Setting // function constants

	Threadgroups, Threads *[3]int // nil: as the source states
}

// Plan is a call that is ready for a device.
type Plan struct {
	source *binding.Source
	kernel *binding.Kernel

	described *bind.Kernel
	buffers   map[*binding.Arg]*buffer // without those that are left out
	needs     map[*binding.Arg]int     // of all buffers, in elements
	values    map[*binding.Arg]*value  // without optional ones that are left out
	constants map[*binding.Arg]*value
	shared    map[*binding.Arg]int // in elements
	grid      runtime.Grid
	outputs   []*output
}

// Prepare does all that takes no device. It reports every mistake.
func Prepare(r *Request) (*Plan, []error) {
	p := &preparation{
		Request: r,
		Plan: &Plan{
			source: r.Source, kernel: r.Kernel,
			buffers: map[*binding.Arg]*buffer{}, needs: map[*binding.Arg]int{}, values: map[*binding.Arg]*value{},
			constants: map[*binding.Arg]*value{}, shared: map[*binding.Arg]int{},
		},
		elements: map[*binding.Arg]elements{}, bad: map[*binding.Arg]bool{}, wanted: map[*binding.Arg]bool{},
	}
	p.described = describe(p.Source, p.Kernel)
	p.declare()
	p.arguments()
	p.functionConstants()
	p.results()
	p.complete()
	n := p.numbers()
	gridKnown := p.dispatch(n)
	p.defaults(n)
	if !gridKnown {
		p.dispatch(n) // it may depend on the length of a default
	}
	p.gridMistake()
	p.lengths(n)
	p.threadgroups(n)
	p.circles(n)
	if len(p.errs) > 0 {
		return nil, p.errs
	}
	return p.Plan, nil
}

// preparation makes a Plan.
type preparation struct {
	*Request
	*Plan
	errs []error

	elements map[*binding.Arg]elements // of buffer arguments
	wanted   map[*binding.Arg]bool     // buffers that -o names
	bad      map[*binding.Arg]bool     // what was given is wrong and reported
	gridErr  error
}

// fail reports a mistake in what belongs to a name.
func (p *preparation) fail(name, format string, args ...any) {
	p.errs = append(p.errs, fmt.Errorf("%s: %s: %w", p.Kernel.Name, name, fmt.Errorf(format, args...)))
}

// declare makes room for what may be set.
func (p *preparation) declare() {
	for _, a := range p.Kernel.Args {
		if a.Kind != binding.Buffer && a.Kind != binding.Value {
			continue
		}
		l, err := layoutOf(a.GoType)
		if err == nil && a.Size != l.size {
			err = fmt.Errorf("a %s has %d bytes, %v has %d", a.Type, a.Size, a.GoType, l.size)
		}
		if err != nil {
			p.fail(nameOf(a), "%w", err)
			p.bad[a] = true
			continue
		}
		if a.Kind == binding.Value {
			p.values[a] = newValue(l)
		} else {
			p.elements[a] = newElements(a, l)
		}
	}
}

// named finds the argument that a setting is about, and what follows its name. It
// reports what does not exist or is of none of the kinds that the flag is for.
func (p *preparation) named(flag string, s Setting, kinds ...binding.ArgKind) (arg *binding.Arg, path string) {
	name := s.Name
	if i := strings.IndexAny(name, ".["); i >= 0 {
		name, path = name[:i], name[i:]
	}
	var names []string
	for _, a := range p.Kernel.Args {
		switch {
		case !slices.Contains(kinds, a.Kind):
			if nameOf(a) == name && name != "" {
				p.fail(s.Name, "%s does not set it: it is %s", flag, ofKind[a.Kind])
				return nil, ""
			}
		case nameOf(a) == name:
			return a, path
		default:
			names = append(names, nameOf(a))
		}
	}
	p.fail(s.Name, "%s has no such argument%s", p.Kernel.Name, near(name, names))
	return nil, ""
}

var ofKind = map[binding.ArgKind]string{
	binding.Buffer:      "a buffer, which -arg sets",
	binding.Value:       "no buffer; -arg sets it",
	binding.Threadgroup: "threadgroup memory, whose length -shared sets",
	binding.Builtin:     "computed from the grid",
	binding.Absent:      "never there, whatever the function constants are",
}

// twice reports names that are set a second time.
func (p *preparation) twice(flag string, settings []Setting) []Setting {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(settings), func(s Setting) bool {
		if seen[s.Name] {
			p.fail(s.Name, "%s sets it twice", flag)
			return true
		}
		seen[s.Name] = true
		return false
	})
}

// arguments takes what -arg gives.
func (p *preparation) arguments() {
	settings := p.twice("-arg", p.Args)
	// All of a value to zero comes before its parts, wherever it stands.
	slices.SortStableFunc(settings, func(a, b Setting) int { return len(pathOf(a.Name)) - len(pathOf(b.Name)) })
	for _, s := range settings {
		a, path := p.named("-arg", s, binding.Buffer, binding.Value)
		if a == nil {
			continue
		}
		var err error
		e, isBuffer := p.elements[a]
		switch v := p.values[a]; {
		case v != nil:
			err = v.assign(path, s.Value)
		case path != "":
			err = fmt.Errorf("%s is a buffer, which is set as a whole", nameOf(a))
		case isBuffer:
			p.buffers[a], err = e.parseBuffer(s.Value)
		}
		if err != nil {
			p.fail(s.Name, "%w", err)
			p.bad[a] = true
		}
	}
}

func pathOf(name string) string {
	if i := strings.IndexAny(name, ".["); i >= 0 {
		return name[i:]
	}
	return ""
}

// functionConstants takes what -const gives. As in generated code, one that is
// not given is zero, or has no value where the source provides for that.
func (p *preparation) functionConstants() {
	var names []string
	byName := map[string]*binding.Arg{}
	if p.Kernel.Uses != nil {
		for _, c := range p.Kernel.Uses {
			l, err := layoutOf(c.GoType)
			if err != nil {
				p.fail(c.Name, "%w", err)
				continue
			}
			names, byName[c.Name] = append(names, c.Name), c
			p.constants[c] = newValue(l)
		}
	}
	for _, s := range p.twice("-const", p.Constants) {
		c := byName[s.Name]
		if c == nil {
			p.fail(s.Name, "%s uses no such function constant%s", p.Kernel.Name, near(s.Name, names))
			continue
		}
		if err := p.constants[c].assign("", s.Value); err != nil {
			p.fail(s.Name, "%w", err)
		}
	}
	for c, v := range p.constants {
		if c.Optional && len(v.missing()) > 0 {
			delete(p.constants, c)
		}
	}
}

// mayLack tells whether an argument may be left out, as the function constants are.
func (p *Plan) mayLack(a *binding.Arg) bool {
	return a.Optional && (a.If == nil || !p.exists(a))
}

// exists tells whether the kernel has an argument, as the function constants are.
func (p *Plan) exists(a *binding.Arg) bool {
	return a.If == nil || a.If.Eval(func(c *binding.Arg) (v, defined bool) {
		value := p.constants[c]
		return value != nil && value.bytes[0] != 0, value != nil
	})
}

// results takes what -o gives.
func (p *preparation) results() {
	targets := map[string]string{}
	for _, s := range p.twice("-o", p.Outputs) {
		a, path := p.named("-o", s, binding.Buffer)
		if a == nil {
			continue
		}
		p.wanted[a] = true
		o, err := newOutput(a, s.Value)
		switch {
		case path != "":
			p.fail(s.Name, "%s is a buffer, which is written as a whole", nameOf(a))
		case a.Access == binding.Read:
			p.fail(s.Name, "the kernel only reads it")
		case err != nil:
			p.fail(s.Name, "%w", err)
		case targets[o.target] != "":
			p.fail(s.Name, "%s is where %s goes, too", s.Value, targets[o.target])
		default:
			targets[o.target] = s.Name
			p.outputs = append(p.outputs, o)
		}
	}
}

// complete reports the values that were not given, and drops them.
func (p *preparation) complete() {
	for _, a := range p.Kernel.Args {
		v := p.values[a]
		if v == nil {
			continue
		}
		missing := v.missing()
		if len(missing) > 0 && !p.bad[a] && !(p.mayLack(a) && missing[0] == "") {
			switch {
			case v.fields == nil && missing[0] == "":
				p.fail(nameOf(a), "it is not set: give -arg %s=%s", nameOf(a), v.example())
			default:
				p.fail(nameOf(a), "not set: %s; -arg %s=%s sets what is not given to zero", strings.Join(v.described(nameOf(a), missing), ", "), nameOf(a), zeros)
			}
		}
		if len(missing) > 0 {
			delete(p.values, a)
		}
	}
}

// described are paths behind a name.
func (v *value) described(name string, paths []string) []string {
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

// example is what a value looks like on the command line.
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

// numbers are those that expressions may use.
func (p *preparation) numbers() *numbers {
	n := &numbers{values: map[*binding.Arg][]byte{}, lens: map[*binding.Arg]int{}}
	for a, v := range p.values {
		if !p.bad[a] {
			n.values[a] = v.bytes
		}
	}
	for _, a := range p.Kernel.Args {
		if b := p.buffers[a]; b != nil && b.count != unstated {
			n.lens[a] = b.count
		} else if p.mayLack(a) && !p.bad[a] && !p.wanted[a] {
			// As in the Args of generated code, what is left out is zero.
			n.lens[a] = 0
			if a.Kind == binding.Value && n.values[a] == nil {
				n.values[a] = make([]byte, a.Size)
			}
		}
	}
	return n
}

// dispatch computes the grid, and tells whether nothing was missing for it.
func (p *preparation) dispatch(n *numbers) bool {
	g, ok, err := dispatchGrid(p.Kernel, p.Threadgroups, p.Threads, n)
	if p.gridErr = err; err != nil || !ok {
		return false
	}
	p.grid = g
	n.grid = &p.grid
	return true
}

func (p *preparation) gridMistake() {
	if p.gridErr != nil {
		p.errs = append(p.errs, fmt.Errorf("%s: %w", p.Kernel.Name, p.gridErr))
	}
}

// defaults makes buffers whose length is left to the source: zeros, and results
// that nothing was given for.
func (p *preparation) defaults(n *numbers) {
	for _, a := range p.Kernel.Args {
		e, ok := p.elements[a]
		b := p.buffers[a]
		if !ok || p.bad[a] || b != nil && b.count != unstated {
			continue
		}
		if b == nil && p.wanted[a] && (a.HasLength() || !a.Pointer) && a.Access == binding.Write {
			b = e.unset()
			p.buffers[a] = b
		}
		if b != nil {
			p.unstatedLength(a, b, n)
		} else if need, known := n.eval(orOne(a)); known && need == 0 {
			n.lens[a] = 0 // it may be left out
		}
	}
}

// orOne is the stated shape, or one element: nothing tells that none is needed.
func orOne(a *binding.Arg) binding.Expr {
	if a.HasLength() {
		return a.Shape
	}
	return binding.Lit(1)
}

// unstatedLength computes the length of a buffer that was given without one.
func (p *preparation) unstatedLength(a *binding.Arg, b *buffer, n *numbers) {
	switch {
	case !a.Pointer:
		b.count, b.shape = 1, b.one()
	case !a.HasLength():
		p.fail(nameOf(a), "nothing in %s states its length: give -arg %s=%s:%s[n]", p.Source.File, nameOf(a), zeros, b.form.dtype)
		p.bad[a] = true
	default:
		count, ok := n.eval(a.Shape)
		if !ok {
			p.bad[a] = true // what is missing is reported
			return
		}
		if !isCount(count) {
			return // lengths reports it
		}
		b.count, b.shape = count, nil
		n.lens[a] = count
	}
}

// lengths holds buffers against what the source states, and reports those that
// are missing.
func (p *preparation) lengths(n *numbers) {
	for _, a := range p.Kernel.Args {
		if a.Kind != binding.Buffer || p.bad[a] {
			continue
		}
		need, known := 0, true
		switch {
		case a.HasLength():
			need, known = n.eval(a.Shape)
		case !a.Pointer:
			need = 1
		}
		b := p.buffers[a]
		switch {
		case known && !isCount(need):
			p.errs = append(p.errs, &runtime.ArgError{
				Kernel: p.Kernel.Name, Arg: nameOf(a), Need: "a length in elements of " + a.Type + ", " + a.ShapeText(), Pos: binding.FileLine(a.ShapeFrom),
				Have: lengthText(need), Err: runtime.ErrOverflow,
			})
		case b == nil && (p.mayLack(a) || known && a.HasLength() && need == 0):
			// nothing of it is touched
		case b == nil:
			p.absent(a)
		case known && b.count < need:
			p.errs = append(p.errs, &runtime.ArgError{
				Kernel: p.Kernel.Name, Arg: nameOf(a), Need: fmt.Sprintf("at least %s%s", count(need, a.Type), bracketed(a)), Pos: posOf(a),
				Have: fmt.Sprintf("%d from %s", b.count, b.from), Err: runtime.ErrTooShort,
			})
		}
		p.needs[a] = need
	}
}

func lengthText(n int) string {
	if n < 0 && isCount(-n-1) {
		return fmt.Sprintf("a negative one, %d", n)
	}
	return "one that overflows or divides by zero"
}

func bracketed(a *binding.Arg) string {
	if !a.HasLength() {
		return ""
	}
	return ", " + a.ShapeText()
}

func posOf(a *binding.Arg) string {
	if !a.HasLength() {
		return binding.FileLine(a.Pos)
	}
	return binding.FileLine(a.ShapeFrom)
}

// absent reports a buffer that was not given.
func (p *preparation) absent(a *binding.Arg) {
	name, e := nameOf(a), p.elements[a]
	switch {
	case a.Access == binding.Write && p.wanted[a] && a.HasLength():
		// the -o is wrong, and reported
	case a.Access == binding.Write && a.HasLength():
		p.fail(name, "it is not set: give -o %s=FILE.npy%s", name, stated(a))
	case a.Access == binding.Write:
		p.fail(name, "it is not set, and nothing in %s states its length: give -arg %s=%s:%s[n]", p.Source.File, name, zeros, e.scalar.forms[0].dtype)
	case p.wanted[a]:
		p.fail(name, "it is read as well as written: give -arg %s=FILE.npy or -arg %s=%s:%s[n]%s", name, name, zeros, e.scalar.forms[0].dtype, stated(a))
	default:
		p.fail(name, "it is not set: give -arg %s=FILE.npy of %s%s", name, e.dtypes(), stated(a))
	}
}

// threadgroups computes the lengths of threadgroup memory.
func (p *preparation) threadgroups(n *numbers) {
	for _, s := range p.twice("-shared", p.Shared) {
		a, path := p.named("-shared", s, binding.Threadgroup)
		if a == nil {
			continue
		}
		count, err := parseCount(s.Value)
		switch {
		case path != "" || !a.Pointer:
			p.fail(s.Name, "it has no length to set")
		case err != nil:
			p.fail(s.Name, "%w", err)
		default:
			p.shared[a] = count
			continue
		}
		p.bad[a] = true
	}
	for _, a := range p.Kernel.Args {
		if _, given := p.shared[a]; a.Kind != binding.Threadgroup || given || p.bad[a] {
			continue
		}
		switch count, ok := 1, true; {
		case a.HasLength():
			if count, ok = n.eval(a.Shape); ok {
				p.shared[a] = count
			}
		case !a.Pointer:
			p.shared[a] = count
		case p.mayLack(a):
			p.shared[a] = 0
		default:
			p.fail(nameOf(a), "nothing in %s states its length: give -shared %s=N, in elements of %s", p.Source.File, nameOf(a), a.Type)
		}
	}
}

// circles reports a grid and lengths that could not be computed although nothing
// is missing: they need one another.
func (p *preparation) circles(n *numbers) {
	if len(p.errs) > 0 {
		return
	}
	for _, a := range p.Kernel.Args {
		if b := p.buffers[a]; b != nil && b.count == unstated {
			p.fail(nameOf(a), "its length, %s, depends on what it determines: give -arg %s=%s:%s[n]", a.ShapeText(), nameOf(a), zeros, b.form.dtype)
		}
	}
	if n.grid == nil && len(p.errs) == 0 {
		p.errs = append(p.errs, fmt.Errorf("%s: its grid, %s, cannot be computed: give -grid and -threads", p.Kernel.Name, p.Kernel.Geometry.Text))
	}
}
