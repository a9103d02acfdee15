package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
)

// logObject is an os_log of the program. Its number is the value that it has in registers.
type logObject struct{ subsystem, category string }

// logSite is a place in the source that logs.
type logSite struct {
	level  tree.LogLevel
	format []tree.Conversion
	log    int32 // the register of the number of the os_log
	args   []logArg
}

// logArg is what a conversion prints, by the registers of its elements.
type logArg struct {
	regs  value
	class class
	kind  tree.ScalarKind // of an element; ULong for a pointer
}

// logObject returns the register of the number of an os_log.
func (b *builder) logObject(e *tree.LogObject) int32 {
	object := logObject{e.Subsystem, e.Category}
	i := slices.Index(b.program.logs, object)
	if i < 0 {
		i = len(b.program.logs)
		b.program.logs = append(b.program.logs, object)
	}
	return b.word(uint32(i))
}

// log lowers a message to one instruction, which formats and keeps it for each active lane.
func (b *builder) log(e *tree.Log) {
	site := &logSite{level: e.Level, format: e.Format}
	operands := b.operands(append([]tree.Expr{e.X}, e.Args...)...)
	site.log = operands[0][0]
	for i, regs := range operands[1:] {
		b.decides("prints it", regs...)
		leaf := b.leaves(e.Args[i].Type(), e.Args[i].Position())[0]
		if leaf.class() == maskClass {
			regs = slices.Clone(regs)
			for j, r := range regs {
				regs[j] = b.convertLeaf(r, tree.Bool, tree.Int)
			}
			leaf.kind = tree.Int
		}
		site.args = append(site.args, logArg{regs, leaf.class(), leaf.kind})
	}
	b.emit(instruction{run: func(f *frame, in *instruction) { f.log(in, site) }})
}
