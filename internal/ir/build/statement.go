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
	if b.Ended() {
		return
	}
	pos := s.Position()
	b.At(pos)
	b.descend(pos)
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
		b.leave(b.leads.breaks, nil)
	case *tree.Continue:
		b.leave(b.leads.goesOn, nil)
	case *tree.Return:
		b.returnStatement(s)
	default:
		b.unsupported(pos, "this statement")
	}
	b.ascend()
}

// block writes statements and ends the lives of their variables.
func (b *builder) block(list []tree.Stmt) {
	b.statements(list)
	b.forgetDeclared(list)
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
	is, ok := b.decided(cond)
	switch {
	case !ok:
		b.branch(cond, nil, nil, then, otherwise)
	case is:
		then()
	default:
		otherwise()
	}
}

func (b *builder) loop(s *tree.Loop) {
	label, outer := b.NewLabel(), b.leads
	b.statements(s.Init)
	turn := &ir.Region{}
	b.In(turn, func() {
		if !s.PostTested {
			b.test(s, label)
		}
		b.round(s, label)
		if s.Post != nil && !b.Ended() {
			b.At(s.Post.Position())
			b.effect(s.Post)
		}
		if s.PostTested {
			b.test(s, label)
		}
		b.At(s.Pos)
		if !b.Ended() {
			b.write(ir.Instr{Op: ir.OpAgain, Imm: int64(label)})
		}
	})
	b.leads = outer
	b.At(s.Pos)
	b.write(ir.Instr{Op: ir.OpLoop, Imm: int64(label), Regions: []*ir.Region{turn}})
	b.forgetDeclared(s.Init)
}

// test leaves a loop where its condition does not hold.
func (b *builder) test(s *tree.Loop, label int) {
	if s.Cond == nil || b.Ended() {
		return
	}
	b.At(s.Cond.Position())
	cond := b.condition(s.Cond)
	is, ok := b.decided(cond)
	switch {
	case !ok:
		b.branch(cond, nil, nil, func() value { return nil }, func() value {
			b.leave(label, nil)
			return nil
		})
	case !is:
		b.leave(label, nil)
	}
}

// round writes the body of a loop, in a block of its own where a continue leads to its end.
func (b *builder) round(s *tree.Loop, label int) {
	if b.Ended() {
		return
	}
	b.leads.breaks, b.leads.goesOn = label, 0
	if !goesOn([]tree.Stmt{s.Body}) {
		b.body(s.Body)
		b.At(s.Pos)
		return
	}
	next := b.NewLabel()
	b.leads.goesOn = next
	r := b.region(next, func() value {
		b.body(s.Body)
		return nil
	})
	b.At(s.Pos)
	b.write(ir.Instr{Op: ir.OpBlock, Imm: int64(next), Regions: []*ir.Region{r}})
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
	x, outer := b.value(s.X)[0], b.leads
	if len(s.Cases) == 0 {
		return
	}
	label := b.NewLabel()
	b.leads.breaks = label
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
		b.At(c.Pos)
		regions[i] = b.region(label, func() value {
			b.statements(c.List)
			if i+1 < len(s.Cases) && !b.Ended() {
				b.write(ir.Instr{Op: ir.OpFall, Imm: int64(label)})
			}
			return nil
		})
	}
	for _, c := range s.Cases {
		b.forgetDeclared(c.List)
	}
	if cases.Default < 0 {
		cases.Default, cases.Values = len(regions), append(cases.Values, nil)
		regions = append(regions, b.region(label, func() value { return nil }))
	}
	b.leads = outer
	b.At(s.Pos)
	b.write(ir.Instr{Op: ir.OpSwitch, Type: t, Imm: int64(label), Args: b.args(x), Regions: regions, Aux: cases})
}

func (b *builder) returnStatement(s *tree.Return) {
	var v value
	if s.X != nil {
		v = b.value(s.X)
	}
	if b.leads.returns == 0 {
		b.write(ir.Instr{Op: ir.OpReturn, Args: b.args(v...)})
		return
	}
	b.leave(b.leads.returns, v)
}
