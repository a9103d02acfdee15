package cpu

import "github.com/metalgen/metalgen/internal/msl/tree"

// builder lowers the checked tree of a kernel, one function of the source after the
// other: calls are inlined, as Metal's compiler does. Its own methods walk the tree.
// What they write goes through its parts, each of which knows only those before it.
type builder struct {
	*assembler // the program so far: instructions, registers, constants
	*masks     // which lanes are active
	*accesses  // loads and stores
	*variables // where the variables are

	constantArgs map[*tree.FunctionConstant]*constantArg
	calls        int  // that are inlined in one another
	tables       int  // bytes of constants of the source
	hoist        bool // see compile
}

func newBuilder(kernel string, hoist bool) *builder {
	asm := newAssembler(kernel)
	m := newMasks(asm)
	asm.program.alive = m.scope()
	acc := &accesses{assembler: asm, masks: m, uniforms: map[uniformLoad]int32{}}
	return &builder{
		assembler: asm,
		masks:     m,
		accesses:  acc,
		variables: &variables{
			assembler: asm,
			assigned:  &assigned{changing: map[*tree.Var]bool{}, captures: map[*tree.Func]bool{}},
			accesses:  acc,
			masks:     m,
			vars:      map[*tree.Var]*storage{},
			objects:   map[*tree.Var]int{},
		},
		constantArgs: map[*tree.FunctionConstant]*constantArg{},
		hoist:        hoist,
	}
}
