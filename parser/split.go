package parser

// splitter cuts the tokens of a unit into its declarations, so that the
// grammar sees one at a time: an error in one leaves the others whole, and
// what metalgen passes over is never parsed.
type splitter struct {
	delimiter
	spans []declSpan
	errs  *ErrorList
	// aliases are the further names of namespaces.
	aliases map[string]Path
}

// split returns a splitter that has found the declarations of tokens.
func split(tokens []Token, errs *ErrorList) *splitter {
	s := &splitter{aliases: map[string]Path{}, errs: errs}
	s.tokens = tokens
	*errs = append(*errs, s.matchAll()...)
	if s.match != nil {
		s.scope(len(tokens), nil)
	}
	return s
}

// scope splits the declarations before token end: the body of a namespace or the
// whole unit.
func (s *splitter) scope(end int, namespace []string) {
	for s.next < end {
		switch {
		case s.is(";"), s.is("}"):
			s.next++
		case s.is("namespace"), s.is("inline") && s.at(s.next+1).Is("namespace"):
			s.namespace(end, namespace)
		case s.is("extern") && s.at(s.next+1).Kind == String:
			if s.next += 2; s.is("{") {
				s.block(end, namespace)
			}
		default:
			s.declaration(end, namespace)
		}
	}
}

// namespace splits `namespace a::b { ... }` and unnamed ones, and passes aliases.
func (s *splitter) namespace(end int, outer []string) {
	start := s.next
	names := outer[:len(outer):len(outer)]
	for ; s.next < end && !s.is("{") && !s.is(";") && !s.is("="); s.next++ {
		t := s.peek()
		if last := s.closer(s.next); last > s.next {
			s.next = last // an attribute
		} else if t.Kind == Ident && t.Text != "namespace" && t.Text != "inline" {
			names = append(names, t.Text)
		}
	}
	if s.next < end && s.is("{") {
		if len(names) > maxDepth {
			s.errs.Add(s.pos(), "namespaces nest deeper than %d", maxDepth)
			s.next = end
			return
		}
		s.block(end, names)
		return
	}
	equals := s.next
	for s.next < end && !s.is(";") {
		s.next++
	}
	if name := len(names) - 1; equals < s.next && s.at(equals).Is("=") && name >= 0 {
		s.aliases[names[name]] = PathOf(s.tokens[equals+1 : s.next])
	}
	if s.next == end {
		s.errs.Add(s.tokens[start].Pos, "this namespace is not followed by a body or a semicolon")
		return
	}
	s.next++
}

// block splits what is in the braces that are next.
func (s *splitter) block(end int, namespace []string) {
	last := s.closer(s.next)
	if last < 0 {
		last = end
	}
	s.next++
	s.scope(last, namespace)
	s.next = min(last+1, end)
}

// declaration cuts off the declaration that is next.
func (s *splitter) declaration(end int, namespace []string) {
	d, how := s.span(end, false)
	switch how {
	case endMissing:
		*s.errs = append(*s.errs, endless(&s.tokens[d.From]))
		return
	case endUnmatched:
		s.resync(end)
		return
	case endStray:
		return
	case endNoSemicolon:
		s.errs.Add(tokenEnd(&s.tokens[s.next-1]), "missing ; after this declaration")
	}
	d.Namespace = namespace
	s.spans = append(s.spans, d)
}

// endless returns the error about the declaration that begins with first.
func endless(first *Token) *Error {
	return &Error{Pos: first.Pos, Msg: "this declaration does not end: missing ; or body"}
}

// tokenEnd returns the position right after a token.
func tokenEnd(t *Token) Pos {
	pos := t.Pos
	if !t.Macro { // where the position is that of the macro's name
		pos.Offset += len(t.Text)
		pos.Column += len(t.Text)
	}
	return pos
}

// resync looks for the next kernel after a declaration that cannot be
// delimited, so that later mistakes are reported in the same run.
func (s *splitter) resync(end int) {
	for s.next < end && !(s.peek().Line && s.is("kernel")) {
		s.next++
	}
}
