package skim

import (
	"slices"
	"strings"
	"sync"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/parser"
)

// Mentions knows which names the declarations of a program mention, directly or not. Its methods may be called
// concurrently.
type Mentions struct {
	source *parser.Tree
	names  map[string][]*parser.Decl // what declares an unqualified name

	mu sync.Mutex
	by map[*parser.Decl]map[string]*parser.Token

	constants  map[*parser.Decl][]int // as indexes
	simdgroups simdgroupNames
}

// NewMentions returns the mentions of a program that declares names.
func NewMentions(source *parser.Tree, names map[string][]*parser.Decl) *Mentions {
	return &Mentions{
		source: source, names: names,
		by: map[*parser.Decl]map[string]*parser.Token{}, constants: map[*parser.Decl][]int{},
	}
}

// Of finds one of some names among those that a kernel mentions, or nil. Where the kernel is an instance of a template,
// instantiation is the declaration that makes it. Nothing needs to mention an operator that stands by itself, so all of
// them count.
func (m *Mentions) Of(kernel, instantiation *parser.Decl, names ...string) *parser.Token {
	if t := m.oneOf(kernel, names); t != nil {
		return t
	}
	if d := instantiation; d != nil {
		for i := d.From; i < d.To; i++ {
			t := &m.source.Tokens[i]
			if t.Kind != parser.Ident {
				continue
			}
			if slices.Contains(names, t.Text) {
				return t
			}
			for _, other := range m.names[t.Text] {
				if found := m.oneOf(other, names); found != nil {
					return found
				}
			}
		}
	}
	for _, d := range m.names[anyOperator] {
		if t := m.oneOf(d, names); t != nil {
			return t
		}
	}
	return nil
}

// oneOf finds one of some names among those that a declaration mentions, or nil.
func (m *Mentions) oneOf(d *parser.Decl, names []string) *parser.Token {
	mentioned := m.In(d)
	for _, name := range names {
		if t := mentioned[name]; t != nil {
			return t
		}
	}
	return nil
}

// In returns the names in a declaration and in all that it mentions, each
// with one of its tokens. All kernels of a template have it in common.
func (m *Mentions) In(root *parser.Decl) map[string]*parser.Token {
	m.mu.Lock()
	defer m.mu.Unlock()
	if found, ok := m.by[root]; ok {
		return found
	}
	found := map[string]*parser.Token{}
	seen := map[*parser.Decl]bool{root: true}
	for todo := []*parser.Decl{root}; len(todo) > 0; {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := d.From; i < d.To; i++ {
			t := &m.source.Tokens[i]
			if t.Kind != parser.Ident || found[t.Text] != nil {
				continue
			}
			found[t.Text] = t
			for _, other := range m.names[t.Text] {
				if !seen[other] {
					seen[other] = true
					todo = append(todo, other)
				}
			}
		}
	}
	m.by[root] = found
	return found
}

// anyOperator is the name under which all operators are listed that are no methods.
const anyOperator = "operator"

// NamesOf returns the unqualified names that a declaration other than a kernel
// introduces for others to use.
func NamesOf(d *parser.Decl) []string {
	var names []string
	vars := func(list []*parser.Init) {
		for _, v := range list {
			names = append(names, resolve.DeclaredName(v.Declarator))
		}
	}
	structure := func(s *parser.Struct) {
		names = append(names, s.Name)
		vars(s.Vars)
	}
	enum := func(e *parser.Enum) {
		names = append(names, e.Name)
		for _, v := range e.Values {
			names = append(names, v.Name)
		}
		vars(e.Vars)
	}
	switch {
	case d.Template != nil:
		names = append(names, outsideName(d.Template.Name, d.Template.Scope))
	case d.Function != nil:
	case d.Helper != "":
		names = append(names, outsideName(d.Helper, d.Scope))
	case d.Struct != nil:
		structure(d.Struct)
	case d.Enum != nil:
		enum(d.Enum)
	case d.Typedef != nil:
		if d.Typedef.Struct != nil {
			structure(d.Typedef.Struct)
		}
		if d.Typedef.Enum != nil {
			enum(d.Typedef.Enum)
		}
		vars(d.Typedef.Vars)
	case d.Using != nil:
		names = append(names, d.Using.Name)
	case d.Variable != nil:
		vars(d.Variable.Vars)
	}
	return names
}

// outsideName is the name that leads to a function: of a method that is defined
// outside of its struct that of the struct, since `x(y)` and `x + y` may mean it.
func outsideName(name string, scope *parser.Tokens) string {
	if scope != nil {
		for _, t := range scope.List {
			if t.Kind == parser.Ident {
				name = t.Text
			}
			if t.Is("<") {
				break
			}
		}
		return name
	}
	if strings.HasPrefix(name, anyOperator) {
		return anyOperator
	}
	return name
}
