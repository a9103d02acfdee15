package parser

// members gives each member of s that was folded its Decl. The tokens of passed
// are those from base on.
func (t *Tree) members(s *Struct, passed []memberSpan, base int) error {
	_, err := t.membersOf(s, passed, base)
	return err
}

// membersOf does so for s and the structs within, which come in the same order
// as what was passed over, and gives what is left of that.
func (t *Tree) membersOf(s *Struct, passed []memberSpan, base int) ([]memberSpan, error) {
	var err error
	for _, m := range s.Members {
		inner := m.Nested
		switch {
		case m.Skipped && len(passed) > 0 && passed[0].access != "":
			m.Skipped, m.Access = false, passed[0].access
			passed = passed[1:]
		case m.Skipped && len(passed) > 0:
			if m.Decl, err = t.memberDecl(base+passed[0].from, base+passed[0].end); err != nil {
				return nil, err
			}
			passed = passed[1:]
		case m.Typedef != nil:
			inner = m.Typedef.Struct
		case m.Using != nil:
			inner = m.Using.Struct
		}
		if inner != nil {
			if passed, err = t.membersOf(inner, passed, base); err != nil {
				return nil, err
			}
		}
	}
	return passed, nil
}

// memberDecl makes the Decl of the member in tokens [from, to) of the unit.
func (t *Tree) memberDecl(from, to int) (*Decl, error) {
	d := &Decl{Pos: t.Tokens[from].Pos, End: t.Tokens[to-1].Pos, From: from, To: to, Open: -1, Close: -1, Member: true}
	tokens, match, s, err := t.delimit(d)
	if err != nil {
		return nil, err
	}
	if s.Open >= 0 {
		d.Open, d.Close = from+s.Open, from+s.Close
	}
	if s.Head > s.From && !s.Explicit {
		if d.Template, _, err = t.templateHead(tokens, match, s.From, s.To, 0); err != nil {
			return nil, err
		}
		d.Template.describe(tokens, s)
	} else if s.Kind == declFunction {
		d.Helper = functionName(tokens, s)
	}
	return d, nil
}
