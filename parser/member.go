package parser

// members sets the Decl of each member of s that c has passed over. base is the index
// of c's first token in those of the unit.
func (t *Tree) members(s *Struct, c *collapser, base int) error {
	passed := c.passed
	return t.membersOf(s, c, &passed, base)
}

// membersOf does so for s and the structs within, which come in the same order
// as what was passed over.
func (t *Tree) membersOf(s *Struct, c *collapser, passed *[]passedMember, base int) error {
	for _, m := range s.Members {
		inner := m.Nested
		switch {
		case m.Skipped && len(*passed) > 0:
			over := &(*passed)[0]
			*passed = (*passed)[1:]
			if over.access != "" {
				m.Skipped, m.Access = false, over.access
				break
			}
			var err error
			if m.Decl, err = t.memberDecl(c, over, base); err != nil {
				return err
			}
		case m.Typedef != nil:
			inner = m.Typedef.Struct
		case m.Using != nil:
			inner = m.Using.Struct
		}
		if inner != nil {
			if err := t.membersOf(inner, c, passed, base); err != nil {
				return err
			}
		}
	}
	return nil
}

// memberDecl makes the Decl of a member that c has passed over.
func (t *Tree) memberDecl(c *collapser, m *passedMember, base int) (*Decl, error) {
	s := &m.span
	if m.how != endWhole {
		return nil, endless(&c.tokens[s.From])
	}
	d := &Decl{
		Pos: c.tokens[s.From].Pos, End: c.tokens[m.end-1].Pos,
		From: base + s.From, To: base + m.end, Open: -1, Close: -1, Member: true,
	}
	if s.Open >= 0 {
		d.Open, d.Close = base+s.Open, base+s.Close
	}
	var err error
	if s.Head > s.From && !s.Explicit {
		d.Template, err = t.templateHead(&c.cursor, s)
	} else if s.Kind == declFunction {
		d.Helper = functionName(c.tokens, s)
	}
	return d, err
}
