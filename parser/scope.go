package parser

// localNames are the names that a body declares, those in reach. Each hides
// the one of the same name before it.
type localNames struct {
	entries []localName
	latest  map[string]int // index into entries, plus one
}

type localName struct {
	name   string
	hidden int // what latest held before
	isType bool
	// structure is the definition, where the name is that of a struct.
	structure *Struct
}

// open begins a scope; close, given what open returned, ends it.
func (l *localNames) open() int { return len(l.entries) }

func (l *localNames) close(mark int) {
	for i := len(l.entries) - 1; i >= mark; i-- {
		l.latest[l.entries[i].name] = l.entries[i].hidden
	}
	l.entries = l.entries[:mark]
}

func (l *localNames) declare(n localName) {
	if n.name == "" {
		return
	}
	n.hidden = l.latest[n.name]
	l.entries = append(l.entries, n)
	l.latest[n.name] = len(l.entries)
}

func (l *localNames) find(name string) *localName {
	if i := l.latest[name]; i > 0 {
		return &l.entries[i-1]
	}
	return nil
}

// nestedType reports whether path names a type within s.
func nestedType(s *Struct, path []string) bool {
	if s == nil {
		return false
	}
	for _, m := range s.Members {
		switch {
		case m.Nested != nil && m.Nested.Name == path[0]:
			return len(path) == 1 || nestedType(m.Nested, path[1:])
		case len(path) > 1:
		case m.Enum != nil && m.Enum.Name == path[0], m.Using != nil && m.Using.Name == path[0]:
			return true
		case m.Typedef != nil:
			for _, v := range m.Typedef.Vars {
				if v.Declarator.name() == path[0] {
					return true
				}
			}
		}
	}
	return false
}

func (d *Declarator) name() string {
	switch {
	case d == nil:
		return ""
	case d.Inner != nil:
		return d.Inner.Name
	}
	return d.Name
}

// templateNames are the last names of the unit's templates: a < after one of
// them opens arguments.
func (t *Tree) templateNames() map[string]bool {
	t.templatesOnce.Do(func() {
		t.templates = map[string]bool{}
		for _, d := range t.Decls {
			if d.Template != nil && d.Template.Name != "" {
				t.templates[d.Template.Name] = true
			}
		}
	})
	return t.templates
}

// values are the last names of the unit's variables and enumerators: a < after
// one of them compares.
func (t *Tree) values() map[string]bool {
	t.valuesOnce.Do(func() {
		t.valueNames = map[string]bool{}
		add := func(vars []*Init) {
			for _, v := range vars {
				t.valueNames[v.Declarator.name()] = true
			}
		}
		for _, d := range t.Decls {
			switch {
			case d.Variable != nil:
				add(d.Variable.Vars)
			case d.Struct != nil:
				add(d.Struct.Vars)
			case d.Enum != nil:
				add(d.Enum.Vars)
				for _, e := range d.Enum.Values {
					t.valueNames[e.Name] = true
				}
			}
		}
	})
	return t.valueNames
}
