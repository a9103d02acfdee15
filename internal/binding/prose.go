package binding

import (
	"errors"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// prose applies what comments above a kernel state, where no annotation says
// it already.
func (k *kernelBuilder) prose(list []claim) {
	for _, c := range list {
		switch c.kind {
		case saysBuffer:
			k.bufferProse(c)
		case saysShared:
			k.sharedProse(c)
		case saysThreads:
			k.tupleProse(c, &k.threads)
		case saysThreadgroups:
			k.tupleProse(c, &k.threadgroups)
		case saysGrid:
			groups, threads := k.reads("threadgroup_position_in_grid"), k.reads("thread_position_in_grid")
			switch {
			case groups && !threads && unitWord(c.value.Rest) != "threads":
				k.tupleProse(c, &k.threadgroups)
			case threads && !groups:
				k.tupleProse(c, &k.size)
			default:
				k.b.errs.Warn(c.pos, "%s of kernel %s is left out: it may count threads or threadgroups; "+
					"metalgen:grid and metalgen:threadgroups tell them apart", c.word, k.source.Name)
			}
		}
	}
}

// leftOut warns about prose that was understood but names what is not there.
func (k *kernelBuilder) leftOut(c claim, err error) {
	var unknown *unknownName
	if errors.As(err, &unknown) {
		k.b.errs.Warn(c.pos, "%s of kernel %s is left out: %s", c.word, k.source.Name, err)
	}
}

func (k *kernelBuilder) tupleProse(c claim, target *tuple) {
	if target.set() {
		return
	}
	exprs, err := k.bindTuple(c.value, formula{prose: true, threads: target == &k.threads})
	if err != nil {
		k.leftOut(c, err)
		return
	}
	*target = tuple{exprs: exprs, text: c.value.Text, pos: c.pos}
}

func (k *kernelBuilder) bufferProse(c claim) {
	arg := k.args[c.name]
	if !k.holds(c) {
		return // warned about already, see agreeing
	}
	if arg.Doc == "" {
		arg.Doc = c.doc
	}
	k.shapeProse(c, arg, c.shape)
}

// shapeProse takes a shape from prose for an argument that has none yet.
func (k *kernelBuilder) shapeProse(c claim, arg *Arg, shape *parser.Formula) {
	if shape == nil || arg.Shape != nil || !arg.Kind.rules().brackets || !arg.Pointer {
		return
	}
	e, err := k.product(shape.Items, formula{prose: true})
	if err != nil {
		c.word = "shape of " + arg.Name
		k.leftOut(c, err)
		return
	}
	arg.setShape(e, strings.Join(shape.Text, ", "), c.pos)
}
