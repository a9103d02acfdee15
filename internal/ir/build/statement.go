package build

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/msl/tree"
)

func (b *builder) statements(list []tree.Stmt) {
	for _, s := range list {
		b.statement(s)
	}
}

// statement writes a statement, where it can be reached.
func (b *builder) statement(s tree.Stmt) {
	if b.out.Ended() {
		return
	}
	pos := s.Position()
	b.out.At(pos)
	b.out.descend(pos)
	switch s := s.(type) {
	case *tree.Block:
		b.block(s.List)
	case *tree.DeclStmt:
		b.declare(s)
	case *tree.ExprStmt:
		b.effect(s.X)
	case *tree.If:
		b.ifStatement(s)
	case *tree.Loop:
		b.loop(s)
	case *tree.Switch:
		b.switchStatement(s)
	case *tree.Break:
		b.flow.leave(b.flow.leads.breaks, nil)
	case *tree.Continue:
		b.flow.leave(b.flow.leads.goesOn, nil)
	case *tree.Return:
		b.returnStatement(s)
	default:
		b.out.unsupported(pos, "this statement")
	}
	b.out.ascend()
}

// block writes statements and ends the lives of their variables.
func (b *builder) block(list []tree.Stmt) {
	b.statements(list)
	b.vars.forgetDeclared(list)
}

// body writes what a construct contains.
func (b *builder) body(s tree.Stmt) {
	if block, ok := s.(*tree.Block); ok {
		b.block(block.List)
		return
	}
	b.block([]tree.Stmt{s})
}

func (b *builder) ifStatement(s *tree.If) {
	cond := b.condition(s.Cond)
	then := func() value {
		b.body(s.Then)
		return nil
	}
	otherwise := func() value {
		if s.Else != nil {
			b.body(s.Else)
		}
		return nil
	}
	is, ok := b.out.decided(cond)
	switch {
	case !ok:
		b.flow.branch(cond, nil, nil, then, otherwise)
	case is:
		then()
	default:
		otherwise()
	}
}

func (b *builder) loop(s *tree.Loop) {
	label, outer := b.out.NewLabel(), b.flow.leads
	b.statements(s.Init)
	turn := &ir.Region{}
	b.out.In(turn, func() {
		if !s.PostTested {
			b.test(s, label)
		}
		b.round(s, label)
		if s.Post != nil && !b.out.Ended() {
			b.out.At(s.Post.Position())
			b.effect(s.Post)
		}
		if s.PostTested {
			b.test(s, label)
		}
		b.out.At(s.Pos)
		if !b.out.Ended() {
			b.out.write(ir.Instr{Op: ir.OpAgain, Imm: int64(label)})
		}
	})
	b.flow.leads = outer
	b.out.At(s.Pos)
	b.out.write(ir.Instr{Op: ir.OpLoop, Imm: int64(label), Regions: []*ir.Region{turn}})
	b.vars.forgetDeclared(s.Init)
}

// test leaves a loop where its condition does not hold.
func (b *builder) test(s *tree.Loop, label int) {
	if s.Cond == nil || b.out.Ended() {
		return
	}
	b.out.At(s.Cond.Position())
	cond := b.condition(s.Cond)
	is, ok := b.out.decided(cond)
	switch {
	case !ok:
		b.flow.branch(cond, nil, nil, func() value { return nil }, func() value {
			b.flow.leave(label, nil)
			return nil
		})
	case !is:
		b.flow.leave(label, nil)
	}
}

// round writes the body of a loop, in a block of its own where a continue leads to its end.
func (b *builder) round(s *tree.Loop, label int) {
	if b.out.Ended() {
		return
	}
	b.flow.leads.breaks, b.flow.leads.goesOn = label, 0
	if !goesOn([]tree.Stmt{s.Body}) {
		b.body(s.Body)
		b.out.At(s.Pos)
		return
	}
	next := b.out.NewLabel()
	b.flow.leads.goesOn = next
	r := b.flow.region(next, func() value {
		b.body(s.Body)
		return nil
	})
	b.out.At(s.Pos)
	b.out.write(ir.Instr{Op: ir.OpBlock, Imm: int64(next), Regions: []*ir.Region{r}})
}

// goesOn reports whether statements have a continue of the loop around them.
func goesOn(list []tree.Stmt) bool {
	for _, s := range list {
		switch s := s.(type) {
		case *tree.Continue:
			return true
		case *tree.Block:
			if goesOn(s.List) {
				return true
			}
		case *tree.If:
			if goesOn([]tree.Stmt{s.Then}) || s.Else != nil && goesOn([]tree.Stmt{s.Else}) {
				return true
			}
		case *tree.Switch:
			for _, c := range s.Cases {
				if goesOn(c.List) {
					return true
				}
			}
		}
	}
	return false
}

func (b *builder) switchStatement(s *tree.Switch) {
	x, outer := b.value(s.X)[0], b.flow.leads
	if len(s.Cases) == 0 {
		return
	}
	label := b.out.NewLabel()
	b.flow.leads.breaks = label
	cases := &ir.Cases{Values: make([][]uint64, len(s.Cases)), Default: -1}
	regions := make([]*ir.Region, len(s.Cases))
	t := heldAs(s.X.Type().Scalar)
	for i, c := range s.Cases {
		for _, v := range c.Values {
			bits := v.Bits
			if t == ir.I32 {
				bits = uint64(uint32(bits))
			}
			cases.Values[i] = append(cases.Values[i], bits)
		}
		if c.Default {
			cases.Default = i
		}
		b.out.At(c.Pos)
		regions[i] = b.flow.region(label, func() value {
			b.statements(c.List)
			if i+1 < len(s.Cases) && !b.out.Ended() {
				b.out.write(ir.Instr{Op: ir.OpFall, Imm: int64(label)})
			}
			return nil
		})
	}
	for _, c := range s.Cases {
		b.vars.forgetDeclared(c.List)
	}
	if cases.Default < 0 {
		cases.Default, cases.Values = len(regions), append(cases.Values, nil)
		regions = append(regions, b.flow.region(label, func() value { return nil }))
	}
	b.flow.leads = outer
	b.out.At(s.Pos)
	in := ir.Instr{Op: ir.OpSwitch, Type: t, Imm: int64(label), Args: b.out.args(x), Regions: regions, Aux: cases}
	b.out.write(in)
}

func (b *builder) returnStatement(s *tree.Return) {
	var v value
	if s.X != nil {
		v = b.value(s.X)
	}
	if b.flow.leads.returns == 0 {
		b.out.write(ir.Instr{Op: ir.OpReturn, Args: b.out.args(v...)})
		return
	}
	b.flow.leave(b.flow.leads.returns, v)
}
