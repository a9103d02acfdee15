package binding

import (
	"errors"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// prose applies what comments above a kernel state, where no annotation says
// it already.
func (k *kernelBuilder) prose(list []claim) {
	for _, s := range list {
		switch s.kind {
		case saysBuffer:
			k.bufferProse(s)
		case saysShared:
			k.sharedProse(s)
		case saysThreads:
			k.tupleProse(s, &k.threads)
		case saysThreadgroups:
			k.tupleProse(s, &k.threadgroups)
		case saysGrid:
			groups, threads := k.reads("threadgroup_position_in_grid"), k.reads("thread_position_in_grid")
			switch {
			case groups && !threads && unitWord(s.value.Rest) != "threads":
				k.tupleProse(s, &k.threadgroups)
			case threads && !groups:
				k.tupleProse(s, &k.size)
			default:
				k.b.errs.Warn(s.pos, "%s of kernel %s is left out: it may count threads or threadgroups; "+
					"metalgen:grid and metalgen:threadgroups tell them apart", s.word, k.source.Name)
			}
		}
	}
}

// leftOut warns about prose that was understood but names what is not there.
func (k *kernelBuilder) leftOut(s claim, err error) {
	var unknown *unknownName
	if errors.As(err, &unknown) {
		k.b.errs.Warn(s.pos, "%s of kernel %s is left out: %s", s.word, k.source.Name, err)
	}
}

func (k *kernelBuilder) tupleProse(s claim, target *tuple) {
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

func (k *kernelBuilder) bufferProse(s claim) {
	arg := k.args[s.name]
	if !k.holds(s) {
		return // warned about already, see agreeing
	}
	if arg.Doc == "" {
		arg.Doc = s.doc
	}
	k.shapeProse(s, arg, s.shape)
}

// shapeProse takes a shape from prose for an argument that has none yet.
func (k *kernelBuilder) shapeProse(s claim, arg *Arg, shape *parser.Formula) {
	if shape == nil || arg.Shape != nil || !arg.Kind.rules().brackets || !arg.Pointer {
		return
	}
	e, err := k.product(shape.Items, formula{prose: true})
	if err != nil {
		s.word = "shape of " + arg.Name
		k.leftOut(s, err)
		return
	}
	arg.setShape(e, strings.Join(shape.Text, ", "), s.pos)
}
