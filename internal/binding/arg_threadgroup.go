package binding

import (
	"strings"

	"github.com/metalgen/metalgen/internal/binding/claim"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Threadgroup is the kind of threadgroup memory, whose length callers set.
var Threadgroup ArgKind = threadgroup{}

type threadgroup struct{}

func (threadgroup) String() string { return "threadgroup" }

func (threadgroup) Field(*Arg) string { return "int" }

func (threadgroup) takes(p *tree.Param) bool { return p.Kind == tree.ThreadgroupParam }

func (threadgroup) goType(ts *types, p *tree.Param) (GoType, error) { return ts.of(p.Type) }

func (threadgroup) complete(*kernelBuilder, *tree.Param, *Arg) {}

var threadgroupRules = rules{
	turn: threadgroupTurn, perGroup: true, annotations: argAnnotations{"shared": annotateLength},
}

func (threadgroup) rules() *rules { return &threadgroupRules }

func (threadgroup) describe(a *Arg, d *Description) { d.describeShape(a) }

// sharedProse takes the length of the kernel's only threadgroup argument.
func (k *kernelBuilder) sharedProse(c claim.Claim) {
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
	items := c.Value.Items
	if claim.UsesSizeof(items) {
		items = []parser.Expr{claim.WithoutSizeof(items[0])}
	}
	e, err := k.product(items, formula{prose: true})
	if err != nil {
		k.leftOut(c, err)
		return
	}
	text := strings.Join(c.Value.Text, " * ")
	if i := strings.Index(text, " * sizeof"); i >= 0 {
		text = text[:i]
	}
	arg.setShape(e, text, c.Pos)
}
