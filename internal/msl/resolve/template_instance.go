package resolve

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
func (in Env) instantiate(t *Template, written *parser.TemplateArgs, pos parser.Pos) (*instance, error) {
	args, own, err := in.Arguments(t, written, nil)
	if err == ErrNotDeduced {
		return nil, Errorf(pos, "%s needs more template arguments", t.Name)
	}
	if err != nil {
		return nil, err
	}
	return makeInstance(in.At(nil), t, args, own, pos)
}

func makeInstance(in Env, t *Template, args []TemplateArg, own []string, pos parser.Pos) (*instance, error) {
	key := in.R.Facts.KeyOf(args)
	if x := t.instances[key]; x != nil {
		return x, nil
	}
	if !in.R.Work.Spend(InstanceSteps, pos) {
		return nil, ErrReported
	}
	x := &instance{Template: t, chosen: t, Args: args, namespace: own}
	if s, bound, err := specialised(in, t, args); err != nil {
		return nil, err
	} else if s == nil && t.library {
		return nil, errOfLibrary
	} else if s != nil {
		x.chosen = s
		for i, param := range s.Head.Params {
			in.R.bindParam(own, param, bound[i])
		}
	} else {
		for i, param := range t.Head.Params {
			in.R.bindParam(own, param, args[i])
		}
	}
	d, err := x.chosen.Declaration(in.R)
	if err != nil {
		return nil, err
	}
	t.instances[key] = x
	declareInstance(in, t, x, d)
	if x.symbol == nil {
		delete(t.instances, key)
		return nil, Errorf(pos, "%s%s is declared but not defined", t.Name, key)
	}
	return x, nil
}

// declareInstance enters what an instance declares.
func declareInstance(in Env, t *Template, x *instance, d *parser.Decl) {
	name := x.namespace[len(x.namespace)-1]
	outer := x.namespace[:len(x.namespace)-1]
	switch {
	case d.Struct != nil:
		inner := *d
		inner.Namespace = outer
		Declarer{in, in.R.Symbols}.DeclareStruct(&inner, d.Struct, name)
		x.symbol = in.R.Symbols[Qualify(outer, name)]
		x.symbol.Instance = x
		// within itself the class goes by its plain name
		plain := t.Name[strings.LastIndexByte(t.Name, ':')+1:]
		in.R.Symbols[Qualify(x.namespace, plain)] = x.symbol
	case d.Using != nil && d.Using.Type != nil:
		u := d.Using
		x.symbol = &Symbol{Name: Qualify(outer, name), Namespace: x.namespace, Decl: d, Pos: u.Pos,
			Aliased: aliasedBy(u)}
	case d.Variable != nil && len(d.Variable.Vars) == 1:
		v := d.Variable
		x.symbol = &Symbol{Name: Qualify(outer, name), Namespace: x.namespace, Decl: d, Pos: v.Pos, Variable: v.Vars[0],
			VarType: v.Type}
	}
}

// classType is the type that a template-id names, X<float, 4>, where the template
// is one of the source; nil where there is no such template. Where open is set, a
// struct that is being laid out will do.
func (in Env) classType(path parser.Path, args *parser.TemplateArgs, pos parser.Pos, open bool) (*tree.Type, error) {
	t := in.ClassNamed(path)
	if t == nil || t.Head.Kind == parser.VariableTemplate {
		return nil, nil
	}
	// one more than elsewhere, so that an error names the instance, not its template
	if err := in.R.Work.waitWithin(maxChain+1, t.Name, pos); err != nil {
		return nil, err
	}
	x, err := in.instantiate(t, args, pos)
	in.R.Work.Resumes()
	if err == errOfLibrary {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if open && x.symbol.isOpen() {
		return x.symbol.typ, nil
	}
	return instanceType(in.At(nil), x)
}

// errOfLibrary says that the library, not the source, knows the instance.
var errOfLibrary = errors.New("an instance of a template of the library")

// instanceType is the type that an instance of a class or alias template is.
// The errors of an alias are those of its uses: they may only mean that
// a template does not take such arguments.
func instanceType(in Env, x *instance) (*tree.Type, error) {
	s := x.symbol
	if !s.IsType() {
		return nil, Errorf(s.Pos, "%s is no type", s.Name)
	}
	if s.Aliased == nil {
		return in.SymbolType(s)
	}
	if s.State == Resolved {
		return s.typ, nil
	}
	if err := in.R.Work.Wait(x.Template.Name, s.Pos); err != nil {
		return nil, err
	}
	t, err := aliasType(in.From(s.Namespace), s.Aliased)
	in.R.Work.Resumes()
	if err == nil {
		s.typ, s.State = t, Resolved
	}
	return t, err
}

// MemberOf finds a member of a type: a type or constant that a struct or one of
// its bases declares, or a type that one of the library has.
func (in Env) MemberOf(t *tree.Type, path []string) *Symbol {
	for i, name := range path {
		if t.Kind != tree.StructType {
			return typeSymbol(library.Member(t, path[i:]))
		}
		s := in.R.MemberIn(t.Struct, name)
		if s == nil || i == len(path)-1 {
			return s
		}
		if s.Structure == nil && s.Aliased == nil && s.Enum == nil {
			return nil
		}
		var err error
		if t, err = in.SymbolType(s); err != nil {
			return nil
		}
		if t.Kind == tree.EnumType && i == len(path)-2 {
			return in.R.Symbols[t.Enum.Name+"::"+path[i+1]]
		}
	}
	return nil
}

// MemberIn finds what a struct or one of its bases declares, or returns nil.
func (r *Resolver) MemberIn(st *tree.Struct, name string) *Symbol {
	if s := r.Symbols[st.Name+"::"+name]; s != nil {
		return s
	}
	for _, base := range st.Bases() {
		if s := r.MemberIn(base, name); s != nil {
			return s
		}
	}
	return nil
}

// MemberType resolves the names after a template-id: X<float>::type.
func (in Env) MemberType(t *tree.Type, path []string, pos parser.Pos) (*tree.Type, error) {
	if len(path) == 0 {
		return t, nil
	}
	s := in.MemberOf(t, path)
	if s == nil || s.Variable != nil || s.Member != nil {
		return nil, Errorf(pos, "%s has no type %s", t.Spelled(), strings.Join(path, "::"))
	}
	return in.SymbolType(s)
}

// restType resolves further template-ids of a type's name: X<T>::Y<U>::type.
func restType(in Env, t *tree.Type, member []string, rest []*parser.TypeRest, pos parser.Pos) (*tree.Type, error) {
	if len(rest) == 0 {
		return in.MemberType(t, member, pos)
	}
	if len(member) == 0 {
		return nil, Errorf(pos, "expected the name of a member of %s", t.Spelled())
	}
	outer, err := in.MemberType(t, member[:len(member)-1], pos)
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
func memberTemplate(in Env, t *tree.Type, name string, args *parser.TemplateArgs, pos parser.Pos) (*tree.Type, error) {
	if t.Kind == tree.StructType {
		for st := range BasesFirst(t.Struct) {
			if list := in.R.Templates.Named[st.Name+"::"+name]; len(list) > 0 &&
				list[0].Head.Kind != parser.FunctionTemplate {
				x, err := in.instantiate(list[0], args, pos)
				if err != nil {
					return nil, err
				}
				return instanceType(in.At(nil), x)
			}
		}
	}
	return nil, Errorf(pos, "%s has no template %s", t.Spelled(), name)
}

// BasesFirst walks a struct and its bases, itself first.
func BasesFirst(st *tree.Struct) func(yield func(*tree.Struct) bool) {
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
func variableValue(in Env, e *parser.Name) (v tree.Value, ok bool, err error) {
	t := in.ClassNamed(e.Path)
	if t == nil || t.Head.Kind != parser.VariableTemplate || e.Member != nil {
		return tree.Value{}, false, nil
	}
	x, err := in.instantiate(t, e.Args, e.Pos)
	if err == errOfLibrary {
		return tree.Value{}, false, nil
	}
	if err != nil {
		return tree.Value{}, true, err
	}
	v, err = in.At(nil).symbolValue(x.symbol, e)
	return v, true, err
}

// TemplateMember finds the constant that X<T>::name names.
func (in Env) TemplateMember(e *parser.Name) (*Symbol, error) {
	typ := &parser.Type{Pos: e.Pos, At: parser.Here{Pos: e.Pos}, Path: e.Path, Args: e.Args}
	t, err := in.TypeOf(typ)
	if err != nil {
		return nil, err
	}
	for m := e.Member; m != nil; m = m.Member {
		if m.Args == nil {
			if s := in.MemberOf(t, m.Path); s != nil && m.Member == nil {
				return s, nil
			}
			break
		}
		if t, err = in.MemberType(t, m.Path[:len(m.Path)-1], e.Pos); err != nil {
			return nil, err
		}
		if t, err = memberTemplate(in, t, m.Path[len(m.Path)-1], m.Args, e.Pos); err != nil {
			return nil, err
		}
	}
	return nil, Errorf(e.Pos, "%s has no such member", NameText(e))
}

// Clip appends without touching what others see of a slice.
func Clip[E any](list []E, more ...E) []E { return append(slices.Clip(list), more...) }
