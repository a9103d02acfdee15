package msl

import (
	"errors"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// maxInstances bounds the instances of a program: templates can make templates
// without end.
const maxInstances = 1 << 18

// instantiate makes the instance of a class, alias or variable template, or finds
// the one that was made before.
func (p *Program) instantiate(t *template, written *parser.TemplateArgs, namespace []string, pos parser.Pos) (*instance, error) {
	args, own, err := p.arguments(t, written, namespace, nil)
	if err == errNotDeduced {
		return nil, posError(pos, "%s needs more template arguments", t.name)
	}
	if err != nil {
		return nil, err
	}
	return p.root().instanceOf(t, args, own, pos)
}

func (p *Program) instanceOf(t *template, args []templateArg, own []string, pos parser.Pos) (*instance, error) {
	key := p.facts.keyOf(args)
	if x := t.instances[key]; x != nil {
		return x, nil
	}
	if p.templates.made++; p.templates.made > maxInstances {
		return nil, posError(pos, "the source makes more than %d instances of templates", maxInstances)
	}
	x := &instance{template: t, chosen: t, args: args, namespace: own}
	if s, bound, err := p.specialised(t, args); err != nil {
		return nil, err
	} else if s == nil && t.library {
		return nil, errOfLibrary
	} else if s != nil {
		x.chosen = s
		for i, param := range s.head.Params {
			p.bindParam(own, param, bound[i])
		}
	} else {
		for i, param := range t.head.Params {
			p.bindParam(own, param, args[i])
		}
	}
	d, err := x.chosen.declaration(p)
	if err != nil {
		return nil, err
	}
	t.instances[key] = x
	p.declareInstance(t, x, d)
	if x.symbol == nil {
		delete(t.instances, key)
		return nil, posError(pos, "%s%s is declared but not defined", t.name, key)
	}
	return x, nil
}

// declareInstance enters what an instance declares.
func (p *Program) declareInstance(t *template, x *instance, d *parser.Decl) {
	name := x.namespace[len(x.namespace)-1]
	outer := x.namespace[:len(x.namespace)-1]
	switch {
	case d.Struct != nil:
		inner := *d
		inner.Namespace = outer
		p.declareStruct(&inner, d.Struct, name)
		x.symbol = p.symbols[qualify(outer, name)]
		x.symbol.instance = x
		// within itself the class goes by its plain name
		plain := t.name[strings.LastIndexByte(t.name, ':')+1:]
		p.symbols[qualify(x.namespace, plain)] = x.symbol
	case d.Using != nil && d.Using.Type != nil:
		u := d.Using
		x.symbol = &symbol{name: qualify(outer, name), namespace: x.namespace, decl: d, pos: u.Pos, aliased: &alias{typ: u.Type, pointers: u.Pointers, dims: u.Dims}}
	case d.Variable != nil && len(d.Variable.Vars) == 1:
		v := d.Variable
		x.symbol = &symbol{name: qualify(outer, name), namespace: x.namespace, decl: d, pos: v.Pos, variable: v.Vars[0], varType: v.Type}
	}
}

// classType is the type that a template-id names, X<float, 4>, where the template
// is one of the source; nil where there is no such template. Where open is set, a
// struct that is being laid out will do.
func (p *Program) classType(path []string, args *parser.TemplateArgs, namespace []string, pos parser.Pos, open bool) (*tree.Type, error) {
	t := p.classNamed(namespace, path)
	if t == nil || t.head.Kind == parser.VariableTemplate {
		return nil, nil
	}
	if p.chain >= maxChain {
		return nil, posError(pos, tooLongChain, t.name, maxChain)
	}
	p.chain++
	defer func() { p.chain-- }()
	x, err := p.instantiate(t, args, namespace, pos)
	if err == errOfLibrary {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if open && x.symbol.isOpen() {
		return x.symbol.typ, nil
	}
	return p.root().instanceType(x)
}

// errOfLibrary says that the library, not the source, knows the instance.
var errOfLibrary = errors.New("an instance of a template of the library")

// instanceType is the type that an instance of a class or alias template is.
// The errors of an alias are those of whoever uses it: they may only mean that
// a template does not take such arguments.
func (p *Program) instanceType(x *instance) (*tree.Type, error) {
	s := x.symbol
	if !s.isType() {
		return nil, posError(s.pos, "%s is no type", s.name)
	}
	if s.aliased == nil {
		return p.symbolType(s)
	}
	if s.state == resolved {
		return s.typ, nil
	}
	t, err := p.fullType(s.aliased.typ, s.aliased.pointers, s.aliased.dims, s.namespace)
	if err == nil {
		s.typ, s.state = t, resolved
	}
	return t, err
}

// memberOf finds a member of a type: a type or constant that a struct or one of
// its bases declares.
func (p *Program) memberOf(t *tree.Type, path []string) *symbol {
	for i, name := range path {
		if t.Kind != tree.StructType {
			return nil
		}
		s := p.memberIn(t.Struct, name)
		if s == nil || i == len(path)-1 {
			return s
		}
		if s.structure == nil && s.aliased == nil && s.enum == nil {
			return nil
		}
		var err error
		if t, err = p.symbolType(s); err != nil {
			return nil
		}
		if t.Kind == tree.EnumType && i == len(path)-2 {
			return p.symbols[t.Enum.Name+"::"+path[i+1]]
		}
	}
	return nil
}

func (p *Program) memberIn(st *tree.Struct, name string) *symbol {
	if s := p.symbols[st.Name+"::"+name]; s != nil {
		return s
	}
	for _, base := range st.Bases() {
		if s := p.memberIn(base, name); s != nil {
			return s
		}
	}
	return nil
}

// memberType resolves the names behind a template-id: X<float>::type.
func (p *Program) memberType(t *tree.Type, path []string, pos parser.Pos) (*tree.Type, error) {
	if len(path) == 0 {
		return t, nil
	}
	s := p.memberOf(t, path)
	if s == nil || s.variable != nil || s.member != nil {
		return nil, posError(pos, "%s has no type %s", t.Spelled(), strings.Join(path, "::"))
	}
	return p.symbolType(s)
}

// restType resolves further template-ids of a type's name: X<T>::Y<U>::type.
func (p *Program) restType(t *tree.Type, member []string, rest []*parser.TypeRest, namespace []string, pos parser.Pos) (*tree.Type, error) {
	if len(rest) == 0 {
		return p.memberType(t, member, pos)
	}
	if len(member) == 0 {
		return nil, posError(pos, "expected the name of a member of %s", t.Spelled())
	}
	outer, err := p.memberType(t, member[:len(member)-1], pos)
	if err != nil {
		return nil, err
	}
	inner, err := p.memberTemplate(outer, member[len(member)-1], rest[0].Args, namespace, pos)
	if err != nil {
		return nil, err
	}
	return p.restType(inner, rest[0].Member, rest[1:], namespace, pos)
}

// memberTemplate is the instance of a class or alias template within a struct.
func (p *Program) memberTemplate(t *tree.Type, name string, args *parser.TemplateArgs, namespace []string, pos parser.Pos) (*tree.Type, error) {
	if t.Kind == tree.StructType {
		for st := range basesFirst(t.Struct) {
			if list := p.templates.named[st.Name+"::"+name]; len(list) > 0 && list[0].head.Kind != parser.FunctionTemplate {
				x, err := p.instantiate(list[0], args, namespace, pos)
				if err != nil {
					return nil, err
				}
				return p.root().instanceType(x)
			}
		}
	}
	return nil, posError(pos, "%s has no template %s", t.Spelled(), name)
}

// basesFirst walks a struct and its bases, itself first.
func basesFirst(st *tree.Struct) func(yield func(*tree.Struct) bool) {
	return func(yield func(*tree.Struct) bool) {
		todo := []*tree.Struct{st}
		for len(todo) > 0 {
			st, todo = todo[0], todo[1:]
			if !yield(st) {
				return
			}
			todo = append(todo, st.Bases()...)
		}
	}
}

// variableValue is the value of an instance of a variable template, v<T>; ok is
// false where there is no such template.
func (p *Program) variableValue(e *parser.Name, namespace []string) (v tree.Value, ok bool, err error) {
	t := p.classNamed(namespace, e.Path)
	if t == nil || t.head.Kind != parser.VariableTemplate || e.Member != nil {
		return tree.Value{}, false, nil
	}
	x, err := p.instantiate(t, e.Args, namespace, e.Pos)
	if err == errOfLibrary {
		return tree.Value{}, false, nil
	}
	if err != nil {
		return tree.Value{}, true, err
	}
	v, err = p.root().symbolValue(x.symbol, e)
	return v, true, err
}

// templateMember finds the constant that X<T>::name names.
func (p *Program) templateMember(e *parser.Name, namespace []string) (*symbol, error) {
	typ := &parser.Type{Pos: e.Pos, At: parser.Here{Pos: e.Pos}, Path: e.Path, Args: e.Args}
	t, err := p.typeOf(typ, namespace)
	if err != nil {
		return nil, err
	}
	for m := e.Member; m != nil; m = m.Member {
		if m.Args == nil {
			if s := p.memberOf(t, m.Path); s != nil && m.Member == nil {
				return s, nil
			}
			break
		}
		if t, err = p.memberType(t, m.Path[:len(m.Path)-1], e.Pos); err != nil {
			return nil, err
		}
		if t, err = p.memberTemplate(t, m.Path[len(m.Path)-1], m.Args, namespace, e.Pos); err != nil {
			return nil, err
		}
	}
	return nil, posError(e.Pos, "%s has no such member", nameText(e))
}

// clip appends without touching what others see of a slice.
func clip(list []string, more ...string) []string { return append(slices.Clip(list), more...) }
