package msl

import (
	"errors"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// instantiate makes the instance of a class, alias or variable template, or finds
// the one that was made before.
func (in env) instantiate(t *template, written *parser.TemplateArgs, pos parser.Pos) (*instance, error) {
	args, own, err := in.arguments(t, written, nil)
	if err == errNotDeduced {
		return nil, posError(pos, "%s needs more template arguments", t.name)
	}
	if err != nil {
		return nil, err
	}
	return makeInstance(in.at(nil), t, args, own, pos)
}

func makeInstance(in env, t *template, args []templateArg, own []string, pos parser.Pos) (*instance, error) {
	key := in.r.facts.keyOf(args)
	if x := t.instances[key]; x != nil {
		return x, nil
	}
	if !in.r.work.spend(instanceSteps, pos) {
		return nil, errReported
	}
	x := &instance{template: t, chosen: t, args: args, namespace: own}
	if s, bound, err := specialised(in, t, args); err != nil {
		return nil, err
	} else if s == nil && t.library {
		return nil, errOfLibrary
	} else if s != nil {
		x.chosen = s
		for i, param := range s.head.Params {
			in.r.bindParam(own, param, bound[i])
		}
	} else {
		for i, param := range t.head.Params {
			in.r.bindParam(own, param, args[i])
		}
	}
	d, err := x.chosen.declaration(in.r)
	if err != nil {
		return nil, err
	}
	t.instances[key] = x
	declareInstance(in, t, x, d)
	if x.symbol == nil {
		delete(t.instances, key)
		return nil, posError(pos, "%s%s is declared but not defined", t.name, key)
	}
	return x, nil
}

// declareInstance enters what an instance declares.
func declareInstance(in env, t *template, x *instance, d *parser.Decl) {
	name := x.namespace[len(x.namespace)-1]
	outer := x.namespace[:len(x.namespace)-1]
	switch {
	case d.Struct != nil:
		inner := *d
		inner.Namespace = outer
		declarer{in, in.r.symbols}.declareStruct(&inner, d.Struct, name)
		x.symbol = in.r.symbols[qualify(outer, name)]
		x.symbol.instance = x
		// within itself the class goes by its plain name
		plain := t.name[strings.LastIndexByte(t.name, ':')+1:]
		in.r.symbols[qualify(x.namespace, plain)] = x.symbol
	case d.Using != nil && d.Using.Type != nil:
		u := d.Using
		x.symbol = &symbol{name: qualify(outer, name), namespace: x.namespace, decl: d, pos: u.Pos,
			aliased: aliasedBy(u)}
	case d.Variable != nil && len(d.Variable.Vars) == 1:
		v := d.Variable
		x.symbol = &symbol{name: qualify(outer, name), namespace: x.namespace, decl: d, pos: v.Pos, variable: v.Vars[0],
			varType: v.Type}
	}
}

// classType is the type that a template-id names, X<float, 4>, where the template
// is one of the source; nil where there is no such template. Where open is set, a
// struct that is being laid out will do.
func (in env) classType(path parser.Path, args *parser.TemplateArgs, pos parser.Pos, open bool) (*tree.Type, error) {
	t := in.classNamed(path)
	if t == nil || t.head.Kind == parser.VariableTemplate {
		return nil, nil
	}
	// one more than elsewhere, so that an error names the instance, not its template
	if err := in.r.work.waitWithin(maxChain+1, t.name, pos); err != nil {
		return nil, err
	}
	x, err := in.instantiate(t, args, pos)
	in.r.work.resumes()
	if err == errOfLibrary {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if open && x.symbol.isOpen() {
		return x.symbol.typ, nil
	}
	return instanceType(in.at(nil), x)
}

// errOfLibrary says that the library, not the source, knows the instance.
var errOfLibrary = errors.New("an instance of a template of the library")

// instanceType is the type that an instance of a class or alias template is.
// The errors of an alias are those of whoever uses it: they may only mean that
// a template does not take such arguments.
func instanceType(in env, x *instance) (*tree.Type, error) {
	s := x.symbol
	if !s.isType() {
		return nil, posError(s.pos, "%s is no type", s.name)
	}
	if s.aliased == nil {
		return in.symbolType(s)
	}
	if s.state == resolved {
		return s.typ, nil
	}
	if err := in.r.work.wait(x.template.name, s.pos); err != nil {
		return nil, err
	}
	t, err := aliasType(in.from(s.namespace), s.aliased)
	in.r.work.resumes()
	if err == nil {
		s.typ, s.state = t, resolved
	}
	return t, err
}

// memberOf finds a member of a type: a type or constant that a struct or one of
// its bases declares, or a type that one of the library has.
func (in env) memberOf(t *tree.Type, path []string) *symbol {
	for i, name := range path {
		if t.Kind != tree.StructType {
			return typeSymbol(library.Member(t, path[i:]))
		}
		s := in.r.memberIn(t.Struct, name)
		if s == nil || i == len(path)-1 {
			return s
		}
		if s.structure == nil && s.aliased == nil && s.enum == nil {
			return nil
		}
		var err error
		if t, err = in.symbolType(s); err != nil {
			return nil
		}
		if t.Kind == tree.EnumType && i == len(path)-2 {
			return in.r.symbols[t.Enum.Name+"::"+path[i+1]]
		}
	}
	return nil
}

func (r *resolver) memberIn(st *tree.Struct, name string) *symbol {
	if s := r.symbols[st.Name+"::"+name]; s != nil {
		return s
	}
	for _, base := range st.Bases() {
		if s := r.memberIn(base, name); s != nil {
			return s
		}
	}
	return nil
}

// memberType resolves the names behind a template-id: X<float>::type.
func (in env) memberType(t *tree.Type, path []string, pos parser.Pos) (*tree.Type, error) {
	if len(path) == 0 {
		return t, nil
	}
	s := in.memberOf(t, path)
	if s == nil || s.variable != nil || s.member != nil {
		return nil, posError(pos, "%s has no type %s", t.Spelled(), strings.Join(path, "::"))
	}
	return in.symbolType(s)
}

// restType resolves further template-ids of a type's name: X<T>::Y<U>::type.
func restType(in env, t *tree.Type, member []string, rest []*parser.TypeRest, pos parser.Pos) (*tree.Type, error) {
	if len(rest) == 0 {
		return in.memberType(t, member, pos)
	}
	if len(member) == 0 {
		return nil, posError(pos, "expected the name of a member of %s", t.Spelled())
	}
	outer, err := in.memberType(t, member[:len(member)-1], pos)
	if err != nil {
		return nil, err
	}
	inner, err := memberTemplate(in, outer, member[len(member)-1], rest[0].Args, pos)
	if err != nil {
		return nil, err
	}
	return restType(in, inner, rest[0].Member, rest[1:], pos)
}

// memberTemplate is the instance of a class or alias template within a struct.
func memberTemplate(in env, t *tree.Type, name string, args *parser.TemplateArgs, pos parser.Pos) (*tree.Type, error) {
	if t.Kind == tree.StructType {
		for st := range basesFirst(t.Struct) {
			if list := in.r.templates.named[st.Name+"::"+name]; len(list) > 0 &&
				list[0].head.Kind != parser.FunctionTemplate {
				x, err := in.instantiate(list[0], args, pos)
				if err != nil {
					return nil, err
				}
				return instanceType(in.at(nil), x)
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
func variableValue(in env, e *parser.Name) (v tree.Value, ok bool, err error) {
	t := in.classNamed(e.Path)
	if t == nil || t.head.Kind != parser.VariableTemplate || e.Member != nil {
		return tree.Value{}, false, nil
	}
	x, err := in.instantiate(t, e.Args, e.Pos)
	if err == errOfLibrary {
		return tree.Value{}, false, nil
	}
	if err != nil {
		return tree.Value{}, true, err
	}
	v, err = in.at(nil).symbolValue(x.symbol, e)
	return v, true, err
}

// templateMember finds the constant that X<T>::name names.
func (in env) templateMember(e *parser.Name) (*symbol, error) {
	typ := &parser.Type{Pos: e.Pos, At: parser.Here{Pos: e.Pos}, Path: e.Path, Args: e.Args}
	t, err := in.typeOf(typ)
	if err != nil {
		return nil, err
	}
	for m := e.Member; m != nil; m = m.Member {
		if m.Args == nil {
			if s := in.memberOf(t, m.Path); s != nil && m.Member == nil {
				return s, nil
			}
			break
		}
		if t, err = in.memberType(t, m.Path[:len(m.Path)-1], e.Pos); err != nil {
			return nil, err
		}
		if t, err = memberTemplate(in, t, m.Path[len(m.Path)-1], m.Args, e.Pos); err != nil {
			return nil, err
		}
	}
	return nil, posError(e.Pos, "%s has no such member", nameText(e))
}

// clip appends without touching what others see of a slice.
func clip[E any](list []E, more ...E) []E { return append(slices.Clip(list), more...) }
