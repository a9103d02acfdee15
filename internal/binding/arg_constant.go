package binding

import (
	"cmp"
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// FunctionConstant is the kind of function constants. They are no parameters of
// kernels: a source declares them for all of its kernels.
var FunctionConstant ArgKind = functionConstant{}

type functionConstant struct{ notPassed }

func (functionConstant) String() string { return "constant" }

func (functionConstant) Field(a *Arg) string {
	if a.Optional {
		return "*" + a.GoType.String()
	}
	return a.GoType.String()
}

var functionConstantRules = rules{turn: constantTurn}

func (functionConstant) rules() *rules { return &functionConstantRules }

// functionConstants makes the constants of a source.
func (b *sourceBuilder) functionConstants() {
	c := &Constants{}
	names := names{}
	for _, fc := range b.program.Constants {
		t, err := b.types.of(fc.Type)
		if err != nil {
			b.errs.Warn(fc.Pos, "function constant %s is left out: %s", fc.Name, err)
			continue
		}
		constant := &Arg{
			Name: fc.Name, Go: names.unique(cmp.Or(goName(fc.Name), "Constant"), "_"), Kind: FunctionConstant,
			Index: fc.Index, Pos: fc.Pos, Type: fc.Type.String(), GoType: t, Size: fc.Type.Size, Optional: fc.Defaulted,
		}
		if l, ok := trailing(b.program.Tree, fc.Pos); ok {
			constant.Doc = l.Text
		}
		c.Fields = append(c.Fields, constant)
	}
	if len(c.Fields) == 0 {
		return
	}
	slices.SortFunc(c.Fields, func(x, y *Arg) int { return cmp.Compare(x.Index, y.Index) })
	b.source.Constants = c
}

// usedConstants finds the function constants that the kernels use, in the order of the source's.
func (k *kernelBuilder) usedConstants(group []*tree.Kernel) {
	used := map[string]bool{}
	for _, source := range group {
		for _, c := range k.program.UsedConstants(source) {
			used[c.Name] = true
		}
	}
	declared := k.b.source.Constants
	if declared == nil {
		return
	}
	for _, c := range declared.Fields {
		if used[c.Name] {
			k.kernel.Uses = append(k.kernel.Uses, c)
		}
	}
	if k.kernel.Uses != nil {
		k.kernel.Constants = declared
	}
}
