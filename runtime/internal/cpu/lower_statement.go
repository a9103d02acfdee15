package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Statements execute as on GPUs: all lanes of a simd-group go through the code together,
// and each construct that not all of them take remembers which go on behind it.

func (b *builder) statements(list []tree.Stmt) {
	for _, s := range list {
		b.statement(s)
	}
}

func (b *builder) statement(s tree.Stmt) {
	mark := b.mark()
	b.at(s.Position())
	b.descend(b.pos)
	defer b.ascend()
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
		ends := func(c *construct) bool { return c.kind == loopConstruct || c.kind == switchConstruct }
		b.noteLeave(byBreak, ends)
		b.leave(ends, false)
	case *tree.Continue:
		ends := func(c *construct) bool { return c.kind == loopConstruct }
		b.noteLeave(byContinue, ends)
		b.leave(ends, true)
	case *tree.Return:
		b.returnStatement(s)
	default:
		unsupported(s.Position(), "this statement")
	}
	b.release(mark)
}

// block lowers statements and ends the lives of their variables.
func (b *builder) block(list []tree.Stmt) {
	b.statements(list)
	b.forgetDeclared(list)
}

// body lowers what a construct contains.
func (b *builder) body(s tree.Stmt) {
	if block, ok := s.(*tree.Block); ok {
		b.block(block.List)
		return
	}
	b.block([]tree.Stmt{s})
}

func (b *builder) ifStatement(s *tree.If) {
	cond := b.condition(s.Cond)
	b.branch(cond, func() { b.body(s.Then) }, func() {
		if s.Else != nil {
			b.body(s.Else)
		}
	}, s.Else != nil)
}

func (b *builder) loop(s *tree.Loop) {
	if b.unroll(s) {
		return
	}
	outer := b.resume()
	c := b.push(loopConstruct)
	b.jump(instruction{flow: flowEnter, d: c.entry, b: c.active}, nil)
	head, end := newLabel(), newLabel()
	b.statements(s.Init)
	b.here(head)
	test := func() {
		if s.Cond == nil {
			return
		}
		mark := b.mark()
		b.at(s.Cond.Position())
		c.resume = end
		cond := b.condition(s.Cond)
		b.decides("branches on it", cond)
		b.jump(instruction{flow: flowTest, a: cond, b: c.active}, end)
		b.release(mark)
	}
	if !s.PostTested {
		test()
	}
	next := newLabel()
	c.resume = next
	b.entered(c)
	b.body(s.Body)
	b.at(s.Pos)
	b.here(next)
	if len(next.refs) > 0 {
		b.jump(instruction{flow: flowNext, b: c.active}, end)
	}
	c.resume = end
	if s.Post != nil {
		mark := b.mark()
		b.at(s.Post.Position())
		b.effect(s.Post)
		b.release(mark)
	}
	if s.PostTested {
		test()
	}
	b.at(s.Pos)
	b.jump(instruction{flow: flowLoop}, head)
	b.here(end)
	b.forgetDeclared(s.Init)
	b.pop()
	b.jump(instruction{flow: flowEnd, d: c.entry}, outer)
}

// switchStatement tests all labels first: each case adds its lanes to those that
// fall through to it.
func (b *builder) switchStatement(s *tree.Switch) {
	outer := b.resume()
	x := b.value(s.X)[0]
	b.decides("branches on it", x)
	kind := s.X.Type().Scalar
	var known int32 = -1
	matches := make([]int32, len(s.Cases))
	for i, c := range s.Cases {
		match := int32(-1)
		for _, v := range c.Values {
			m := b.op(maskClass, compareOps[tree.Equal][operandOf(kind)], x, b.constantValue(kind, v))
			if match >= 0 {
				m = b.op(maskClass, maskOr, match, m)
			}
			match = m
		}
		matches[i] = match
		if match >= 0 {
			if known >= 0 {
				match = b.op(maskClass, maskOr, known, match)
			}
			known = match
		}
	}
	for i, c := range s.Cases {
		if !c.Default {
			continue
		}
		others := b.truth(true)
		if known >= 0 {
			others = b.op(maskClass, maskNot, known)
		}
		if matches[i] >= 0 {
			others = b.op(maskClass, maskOr, matches[i], others)
		}
		matches[i] = others
	}
	c := b.push(switchConstruct)
	b.jump(instruction{flow: flowSwitch, d: c.entry, b: c.active}, nil)
	for i, sc := range s.Cases {
		if matches[i] < 0 {
			matches[i] = b.truth(false)
		}
		b.at(sc.Pos)
		b.here(c.resume)
		c.resume = newLabel()
		b.jump(instruction{flow: flowCase, a: matches[i], d: c.entry, b: c.active}, c.resume)
		b.entered(c)
		b.statements(sc.List)
	}
	b.here(c.resume)
	for _, sc := range s.Cases {
		b.forgetDeclared(sc.List)
	}
	b.pop()
	b.jump(instruction{flow: flowEnd, d: c.entry}, outer)
}

func (b *builder) returnStatement(s *tree.Return) {
	ends := func(c *construct) bool { return c.kind == callConstruct || c.kind == kernelConstruct }
	if s.X != nil {
		v := b.value(s.X)
		for i := len(b.constructs) - 1; ; i-- {
			c := b.constructs[i]
			if !ends(c) {
				continue
			}
			b.assignAll(b.leaves(s.X.Type(), s.Pos), c.result, v, c.entry)
			break
		}
	}
	b.noteLeave(byReturn, ends)
	b.leave(ends, false)
}

// inline lowers the body of a function whose parameters have begun.
func (b *builder) inline(fn *tree.Func, pos parser.Pos) value {
	if b.calls++; b.calls > maxInline {
		unsupported(pos, "calls nested so deep")
	}
	defer func() { b.calls-- }()
	list, falls := fn.Body.List, fn.End.Line > 0
	if fn.Result.Kind != tree.Void && returns(list) == 0 {
		if falls {
			b.block(list)
			b.fallsOff(fn)
		} else { // its loops never end
			b.emitAt(pos, instruction{run: faults(fn.Name + " never returns")})
		}
		return b.zero(fn.Result, pos)
	}
	if v, ok := b.straight(list); ok {
		return v
	}
	outer := b.resume()
	c := b.push(callConstruct)
	for _, l := range b.leaves(fn.Result, pos) {
		c.result = append(c.result, b.newJoin(l.class()))
	}
	b.jump(instruction{flow: flowEnter, d: c.entry, b: c.active}, nil)
	b.block(list)
	if falls {
		b.fallsOff(fn)
	}
	b.here(c.resume)
	b.pop()
	b.jump(instruction{flow: flowEnd, d: c.entry}, outer)
	return c.result
}

// fallsOff lowers the end of a function that should have returned a result before.
func (b *builder) fallsOff(fn *tree.Func) {
	b.emitAt(fn.End, instruction{run: faults(fn.Name + " ends without a return")})
}

// straight lowers a body whose only return is its last statement, so that all lanes go
// the same way. It reports false for others.
func (b *builder) straight(list []tree.Stmt) (value, bool) {
	if returns(list) == 0 {
		b.block(list)
		return nil, true
	}
	n := len(list) - 1
	last, ok := list[n].(*tree.Return)
	if !ok || returns(list) != 1 {
		return nil, false
	}
	b.statements(list[:n])
	var v value
	if last.X != nil {
		b.at(last.Pos)
		v = b.value(last.X)
		for i, l := range b.leaves(last.X.Type(), last.Pos) {
			if !b.isTemp(v[i]) && !b.permanent[v[i]] {
				// the register may be that of a variable which ends here
				t := b.newTemp(l.class())
				b.copyTo(l.class(), t, v[i])
				v[i] = t
			}
		}
	}
	b.forgetDeclared(list[:n])
	return v, true
}

// returns counts the return statements of a body.
func returns(list []tree.Stmt) int {
	n := 0
	for _, s := range list {
		switch s := s.(type) {
		case *tree.Return:
			n++
		case *tree.Block:
			n += returns(s.List)
		case *tree.If:
			n += returns([]tree.Stmt{s.Then})
			if s.Else != nil {
				n += returns([]tree.Stmt{s.Else})
			}
		case *tree.Loop:
			n += returns([]tree.Stmt{s.Body})
		case *tree.Switch:
			for _, c := range s.Cases {
				n += returns(c.List)
			}
		}
	}
	return n
}
