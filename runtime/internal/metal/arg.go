package metal

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// argKind is what is particular to one kind of argument that a dispatch binds. Each has
// a file of its own. Function constants are no such kind: a pipeline is made for them
// (arg_constant.go).
type argKind struct {
	// args returns the arguments of a kernel that are of the kind.
	args func(k *driver.Kernel) []*driver.Arg

	// binding is what they are in Metal's reflection.
	binding bindingKind

	// describe reads what reflection has for bindings of the kind only. It is nil where
	// another kind with the same binding does.
	describe func(id objc.ID, b *binding)

	// drift returns what the generated code and Metal say of an argument where they differ
	// in what only the kind has. It may be nil.
	drift func(a *driver.Arg, b *binding) (generated, metal string)

	// declares is set where a kernel may declare such memory itself, which reflection
	// may list among the arguments.
	declares bool

	// newRecorder returns what records such arguments for r.
	newRecorder func(r *recorder) argRecorder
}

// argKinds is the table of kinds.
var argKinds = [...]*argKind{&bufferKind, &valueKind, &threadgroupKind, &textureKind, &samplerKind}

// argsOf returns the arguments of a kernel that are of a kind in Metal's reflection.
func argsOf(k *driver.Kernel, kind bindingKind) []*driver.Arg {
	var list []*driver.Arg
	for _, a := range argKinds {
		if a.binding == kind {
			list = append(list, a.args(k)...)
		}
	}
	return list
}

// argRecorder records the arguments of one kind.
type argRecorder interface {
	// check returns an error for what only the pipeline knows to be wrong. Metal would
	// abort the process.
	check(d *driver.Dispatch, p *pipeline) error

	// spans appends the memory that a dispatch touches.
	spans(list []span, d *driver.Dispatch) []span

	// record puts what Metal is told on the tape, or into the table of the dispatch.
	record(d *driver.Dispatch, p *pipeline) error

	// restart forgets what the encoder has been told: the next dispatch goes into another.
	restart()

	// reset forgets the batch.
	reset()
}

// idle is embedded in recorders that have nothing to do but to record.
type idle struct{}

func (idle) check(*driver.Dispatch, *pipeline) error      { return nil }
func (idle) spans(list []span, _ *driver.Dispatch) []span { return list }
func (idle) restart()                                     {}
func (idle) reset()                                       {}
