package invoke

import (
	"cmp"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// argument is what a call passes for an argument of the kernel, or for a function
// constant. What is particular to a kind is in a file named after it, arg_*.go; [Prepare]
// and [Plan.Run] walk the arguments of a call step by step.
type argument interface {
	// about returns what is known of an argument of any kind.
	about() *common

	// read takes what a flag says of the argument, or of the part of it at a path.
	read(p *preparation, flag, path, text string) error
	// settle reports what is missing of the argument by itself, and adds the numbers that
	// formulas find in it.
	settle(p *preparation, n *numbers)
	// measure computes the length that the source states, where no flag says one.
	measure(p *preparation, n *numbers)
	// check reports what is missing, and what is shorter than the source states.
	check(p *preparation, n *numbers)
	// share computes the length of threadgroup memory, which may depend on all others.
	share(p *preparation, n *numbers)
	// circle reports a length that could not be computed although nothing is missing.
	circle(p *preparation)

	// allocate returns when the argument has its memory on a device, which free frees.
	allocate(dev *runtime.Device) (free func(), err error)
	// pass sets the argument of a call.
	pass(c *bind.Call[runtime.Grid])
	// finish copies what the kernel has written.
	finish(n *numbers) error
	// text says what is passed, for people.
	text() string
}

// kind is what is said of the arguments of a kind, and how one begins.
type kind struct {
	is        string   // what it is, and what sets it
	flags     []string // that may speak of it
	described bind.ArgKind
	begin     func(a *binding.Arg) (argument, error)
}

// kinds has a row for each kind. Nothing is passed for one that does not begin.
var kinds = map[binding.ArgKind]kind{
	binding.Buffer: {"a buffer, which -arg sets", []string{"-arg", "-o"}, bind.BufferArg, newBufferArg},
	binding.Value:  {"no buffer; -arg sets it", []string{"-arg"}, bind.ValueArg, newValueArg},
	binding.Threadgroup: {
		"threadgroup memory, whose length -shared sets", []string{"-shared"}, bind.ThreadgroupArg, newThreadgroupArg,
	},
	binding.FunctionConstant: {
		"a function constant, which -const sets", []string{"-const"}, bind.ConstantArg, newConstantArg,
	},
	binding.Texture: {"a texture, which -arg sets", []string{"-arg", "-o"}, bind.TextureArg, newTextureArg},
	binding.Sampler: {"a sampler, which -arg sets", []string{"-arg"}, bind.SamplerArg, newSamplerArg},
	binding.Builtin: {is: "computed from the grid"},
	binding.Absent:  {is: "never there, whatever the function constants are"},
}

// common is what is known of an argument of any kind. By itself it is an argument that is
// not passed.
type common struct {
	*binding.Arg
	exists  bool // the function constants switch it on
	mayLack bool // it may be left out
	bad     bool // what was given is wrong, and reported
}

func (a *common) about() *common { return a }

func (*common) read(*preparation, string, string, string) error   { return nil }
func (*common) settle(*preparation, *numbers)                     {}
func (*common) measure(*preparation, *numbers)                    {}
func (*common) check(*preparation, *numbers)                      {}
func (*common) share(*preparation, *numbers)                      {}
func (*common) circle(*preparation)                               {}
func (*common) allocate(*runtime.Device) (free func(), err error) { return func() {}, nil }
func (*common) pass(*bind.Call[runtime.Grid])                     {}
func (*common) finish(*numbers) error                             { return nil }
func (*common) text() string                                      { return "" }

// name returns what settings and messages call the argument.
func (a *common) name() string { return nameOf(a.Arg) }

func nameOf(a *binding.Arg) string { return cmp.Or(a.Name, a.Go) }

// stated is ", [rows * dim] (norm.metal:12)" for an argument with a stated shape.
func (a *common) stated() string {
	if !a.HasLength() {
		return ""
	}
	return ", " + a.ShapeText() + " (" + binding.FileLine(a.ShapeFrom) + ")"
}
