package msl

import (
	"slices"
	"strings"
	"sync"

	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// UsesName reports whether a kernel's signature, its body or anything they
// mention, directly or not, mentions a name. Names are compared without their
// namespaces, so the answer may be yes where it is no, but not the reverse.
func (p *Program) UsesName(k *tree.Kernel, name string) bool {
	return p.mention(k, resolve.Unqualified(name)) != nil
}

// UsedConstants lists the function constants of which UsesName holds.
func (p *Program) UsedConstants(k *tree.Kernel) []*tree.FunctionConstant {
	if len(p.Constants) == 0 {
		return nil
	}
	used := make([]bool, len(p.Constants))
	add := func(d *parser.Decl) {
		for _, i := range p.constantsIn(d) {
			used[i] = true
		}
	}
	add(k.Decl)
	if d := p.kernels[k].instantiation; d != nil {
		for i := d.From; i < d.To; i++ {
			if t := &p.Tree.Tokens[i]; t.Kind == parser.Ident {
				for _, other := range p.resolver.Names[t.Text] {
					add(other) // a constant's own declaration mentions it
				}
			}
		}
	}
	for _, d := range p.resolver.Names[anyOperator] {
		add(d)
	}
	var list []*tree.FunctionConstant
	for i, c := range p.Constants {
		if used[i] {
			list = append(list, c)
		}
	}
	return list
}

// constantsIn returns the function constants that a declaration and what it mentions
// mention, as indexes.
func (p *Program) constantsIn(d *parser.Decl) []int {
	names := p.mentions(d)
	p.mentioned.mu.Lock()
	defer p.mentioned.mu.Unlock()
	list, ok := p.mentioned.constants[d]
	if ok {
		return list
	}
	for i, c := range p.Constants {
		if names[resolve.Unqualified(c.Name)] != nil {
			list = append(list, i)
		}
	}
	if p.mentioned.constants == nil {
		p.mentioned.constants = map[*parser.Decl][]int{}
	}
	p.mentioned.constants[d] = list
	return list
}

// mention finds one of some names among those that a kernel mentions, or nil. Nothing needs
// to mention an operator that stands by itself, so all of them count.
func (p *Program) mention(k *tree.Kernel, names ...string) *parser.Token {
	if t := p.mentionOf(k.Decl, names); t != nil {
		return t
	}
	if d := p.kernels[k].instantiation; d != nil {
		for i := d.From; i < d.To; i++ {
			t := &p.Tree.Tokens[i]
			if t.Kind != parser.Ident {
				continue
			}
			if slices.Contains(names, t.Text) {
				return t
			}
			for _, other := range p.resolver.Names[t.Text] {
				if found := p.mentionOf(other, names); found != nil {
					return found
				}
			}
		}
	}
	for _, d := range p.resolver.Names[anyOperator] {
		if t := p.mentionOf(d, names); t != nil {
			return t
		}
	}
	return nil
}

// mentionOf finds one of some names among those that a declaration mentions, or nil.
func (p *Program) mentionOf(d *parser.Decl, names []string) *parser.Token {
	mentioned := p.mentions(d)
	for _, name := range names {
		if t := mentioned[name]; t != nil {
			return t
		}
	}
	return nil
}

// mentions returns the names in a declaration and in all that it mentions, each
// with one of its tokens. All kernels of a template have it in common.
func (p *Program) mentions(root *parser.Decl) map[string]*parser.Token {
	p.mentioned.mu.Lock()
	defer p.mentioned.mu.Unlock()
	if found, ok := p.mentioned.by[root]; ok {
		return found
	}
	found := map[string]*parser.Token{}
	seen := map[*parser.Decl]bool{root: true}
	for todo := []*parser.Decl{root}; len(todo) > 0; {
		d := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for i := d.From; i < d.To; i++ {
			t := &p.Tree.Tokens[i]
			if t.Kind != parser.Ident || found[t.Text] != nil {
				continue
			}
			found[t.Text] = t
			for _, other := range p.resolver.Names[t.Text] {
				if !seen[other] {
					seen[other] = true
					todo = append(todo, other)
				}
			}
		}
	}
	if p.mentioned.by == nil {
		p.mentioned.by = map[*parser.Decl]map[string]*parser.Token{}
	}
	p.mentioned.by[root] = found
	return found
}

// mentioned is what has been asked of declarations so far.
type mentioned struct {
	mu sync.Mutex
	by map[*parser.Decl]map[string]*parser.Token

	constants map[*parser.Decl][]int

	simdgroups simdgroupNames
}

// anyOperator is the name under which all operators are listed that are no methods.
const anyOperator = "operator"

// namesOf returns the unqualified names that a declaration other than a kernel
// introduces for others to use.
func namesOf(d *parser.Decl) []string {
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
