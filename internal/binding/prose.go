package binding

import (
	"errors"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// prose applies what comments above a kernel state, where no annotation says
// it already.
func (k *kernelBuilder) prose(list []statement) {
	for _, s := range list {
		switch s.kind {
		case saysBuffer:
			k.proseBuffer(s)
		case saysShared:
			k.proseShared(s)
		case saysThreads:
			k.proseTuple(s, &k.threads)
		case saysThreadgroups:
			k.proseTuple(s, &k.threadgroups)
		case saysGrid:
			groups, threads := k.reads("threadgroup_position_in_grid"), k.reads("thread_position_in_grid")
			switch {
			case groups && !threads && unitWord(s.value.Rest) != "threads":
				k.proseTuple(s, &k.threadgroups)
			case threads && !groups:
				k.proseTuple(s, &k.size)
			default:
				k.b.errs.Warn(s.pos, "%s of kernel %s is left out: it may count threads or threadgroups; metalgen:grid and metalgen:threadgroups tell them apart", s.word, k.source.Name)
			}
		}
	}
}

// leftOut warns about prose that was understood but names what is not there.
func (k *kernelBuilder) leftOut(s statement, err error) {
	var unknown *unknownName
	if errors.As(err, &unknown) {
		k.b.errs.Warn(s.pos, "%s of kernel %s is left out: %s", s.word, k.source.Name, err)
	}
}

func (k *kernelBuilder) proseTuple(s statement, target *tuple) {
	if target.set() {
		return
	}
	exprs, err := k.bindTuple(s.value, formula{prose: true, threads: target == &k.threads})
	if err != nil {
		k.leftOut(s, err)
		return
	}
	*target = tuple{exprs: exprs, text: s.value.Text, pos: s.pos}
}

func (k *kernelBuilder) proseBuffer(s statement) {
	arg := k.args[s.name]
	if !k.holds(s) {
		return // warned about already, see agreeing
	}
	if arg.Doc == "" {
		arg.Doc = s.doc
	}
	k.proseShape(s, arg, s.shape)
}

// proseShape takes a shape from prose for a buffer that has none yet.
func (k *kernelBuilder) proseShape(s statement, arg *Arg, shape *parser.Formula) {
	if shape == nil || arg.Shape != nil || arg.Kind != Buffer || !arg.Pointer {
		return
	}
	e, err := k.product(shape.Items, formula{prose: true})
	if err != nil {
		s.word = "shape of " + arg.Name
		k.leftOut(s, err)
		return
	}
	arg.Shape, arg.ShapeText, arg.ShapeFrom = e, strings.Join(shape.Text, ", "), place(s.pos)
}

// proseShared takes the length of the kernel's only threadgroup argument.
func (k *kernelBuilder) proseShared(s statement) {
	var arg *Arg
	for _, a := range k.kernel.Args {
		if a.Kind == Threadgroup {
			if arg != nil {
				return // which one is meant?
			}
			arg = a
		}
	}
	if arg == nil || arg.Shape != nil || !arg.Pointer {
		return
	}
	items := s.value.Items
	if usesSizeof(items) {
		items = []parser.Expr{withoutSizeof(items[0])}
	}
	e, err := k.product(items, formula{prose: true})
	if err != nil {
		k.leftOut(s, err)
		return
	}
	text := strings.Join(s.value.Text, " * ")
	if i := strings.Index(text, " * sizeof"); i >= 0 {
		text = text[:i]
	}
	arg.Shape, arg.ShapeText, arg.ShapeFrom = e, text, place(s.pos)
}
