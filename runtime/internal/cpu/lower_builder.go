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
	routines     map[*tree.Func]*routine
	waiting      []*routine // to be lowered
	inside       *routine   // that is being lowered; nil in the kernel
	unrolling    unrolling
	calls        int // that are inlined in one another
	tables       int // bytes of constants of the source
}

func newBuilder(kernel string, how building) *builder {
	asm := newAssembler(kernel)
	asm.building = how
	m := newMasks(asm)
	asm.program.alive = m.scope()
	acc := &accesses{assembler: asm, masks: m, uniforms: map[uniformLoad]int32{}}
	return &builder{
		assembler: asm,
		masks:     m,
		accesses:  acc,
		variables: &variables{
			assembler: asm,
			assigned:  &assigned{changing: map[*tree.Var]int{}, functions: map[*tree.Func]*known{}},
			accesses:  acc,
			masks:     m,
			vars:      map[*tree.Var]*storage{},
			memory:    map[*tree.Var]int32{},
			shared:    map[*tree.Var]int32{},
		},
		constantArgs: map[*tree.FunctionConstant]*constantArg{},
		routines:     map[*tree.Func]*routine{},
	}
}
