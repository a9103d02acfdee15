package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// log writes a message (section 6.20) as one instruction.
func (b *builder) log(e *tree.Log) {
	call := &ir.LogCall{Level: e.Level, Format: e.Format}
	args := []ir.Value{b.value(e.X)[0]}
	for _, a := range e.Args {
		v := b.value(a)
		kind := b.out.leavesOf(a.Type(), a.Position())[0].kind
		for _, x := range v {
			if kind == tree.Bool {
				x = b.num.convert(x, tree.Bool, tree.Int)
			}
			args = append(args, x)
		}
		if kind == tree.Bool {
			kind = tree.Int
		}
		call.Args = append(call.Args, ir.LogArg{Count: len(v), Kind: kind})
	}
	b.out.write(ir.Instr{Op: ir.OpLog, Args: args, Aux: call})
}
