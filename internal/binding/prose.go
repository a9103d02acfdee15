package binding

import (
	"errors"
	"strings"

	"github.com/metalgen/metalgen/internal/binding/claim"
	"github.com/metalgen/metalgen/internal/msl/skim"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser/notation"
)

// prose applies what comments above a kernel state, where no annotation says
// it already.
func (k *kernelBuilder) prose(list []claim.Claim) {
	for _, c := range list {
		switch c.Kind {
		case claim.Buffer:
			k.bufferProse(c)
		case claim.Shared:
			k.sharedProse(c)
		case claim.Threads:
			k.tupleProse(c, &k.threads)
		case claim.Threadgroups:
			k.tupleProse(c, &k.threadgroups)
		case claim.Grid:
			groups, threads := k.reads("threadgroup_position_in_grid"), k.reads("thread_position_in_grid")
			switch {
			case groups && !threads && claim.UnitWord(c.Value.Rest) != "threads":
				k.tupleProse(c, &k.threadgroups)
			case threads && !groups:
				k.tupleProse(c, &k.size)
			} // else it may count either
		}
	}
}

// leftOut warns about prose that was understood but for a name which looks misspelt. Other names are words that people
// use for what the kernel calls differently, or does not know.
func (k *kernelBuilder) leftOut(c claim.Claim, err error) (warned bool) {
	var unknown *unknownName
	if !errors.As(err, &unknown) {
		return false
	}
	meant := k.meant(unknown.name)
	if meant != "" {
		k.b.errs.Warn(c.Pos, "%s of kernel %s is left out: %s%s", c.Word, k.source.Name, err, meant)
	}
	return meant != ""
}

// meant asks for the scalar argument that a word looks like: "; is it rows?"
func (k *kernelBuilder) meant(word string) string {
	for _, p := range k.source.Params {
		number := p.Kind == tree.BufferParam && !p.Pointer && p.Type.Kind == tree.Scalar
		if number && misspelt(word, p.Name) {
			return "; is it " + p.Name + "?"
		}
	}
	return ""
}

// misspelt reports whether a word is a name but for one letter that is wrong, missing or too much, or two that are
// swapped. In names of one or two letters that proves nothing.
func misspelt(word, name string) bool {
	if len(word) > len(name) {
		word, name = name, word
	}
	if len(word) < 3 || len(name)-len(word) > 1 {
		return false
	}
	i := 0
	for i < len(word) && word[i] == name[i] {
		i++
	}
	rest, behind := word[i:], name[i:]
	if len(word) < len(name) {
		return rest == behind[1:]
	}
	swapped := len(rest) > 1 && rest[0] == behind[1] && rest[1] == behind[0] && rest[2:] == behind[2:]
	return len(rest) > 0 && (swapped || rest[1:] == behind[1:] && len(word) > 3)
}

func (k *kernelBuilder) tupleProse(c claim.Claim, target *tuple) {
	if target.set() {
		return
	}
	exprs, err := k.bindTuple(c.Value, formula{prose: true, threads: target == &k.threads})
	if err != nil {
		k.leftOut(c, err)
		return
	}
	*target = tuple{exprs: exprs, text: c.Value.Text, pos: c.Pos}
}

func (k *kernelBuilder) bufferProse(c claim.Claim) {
	arg := k.args[c.Name]
	if !k.holds(c) {
		return // another kernel has it
	}
	if arg.Doc == "" {
		arg.Doc = c.Doc
	}
	k.shapeProse(c, arg, c.Shape)
}

// shapeProse takes a shape from prose for an argument that has none yet.
func (k *kernelBuilder) shapeProse(c claim.Claim, arg *Arg, shape *notation.Formula) {
	if shape == nil || arg.Shape != nil || arg.AnyLength || !arg.Kind.rules().brackets || !arg.Pointer {
		return
	}
	e, err := k.product(shape.Items, formula{prose: true})
	if err != nil {
		c.Word = "shape of " + arg.Name
		if unknown := (*unknownName)(nil); !k.leftOut(c, err) && errors.As(err, &unknown) && arg.seen == nil {
			arg.seen = &skim.SeenGuard{Pos: c.Pos, Text: "[" + strings.Join(shape.Text, ", ") + "]",
				Why: "states none: " + err.Error()}
		}
		return
	}
	arg.setShape(e, strings.Join(shape.Text, ", "), c.Pos)
}
