package msl

import (
	"errors"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// bindParam makes an argument a name of the instance's namespace.
func (r *resolver) bindParam(own []string, param *parser.TemplateParam, a templateArg) {
	if param.Name != "" {
		s := paramSymbol(own, param, a)
		r.symbols[s.name] = s
	}
}

// paramSymbol is the symbol of a parameter that stands for an argument.
func paramSymbol(own []string, param *parser.TemplateParam, a templateArg) *symbol {
	s := &symbol{name: qualify(own, param.Name), namespace: own, pos: param.Pos, state: resolved, param: true}
	switch {
	case a.isPack:
		elements := make([]*symbol, len(a.pack))
		for i, x := range a.pack {
			elements[i] = paramSymbol(own, param, x)
		}
		s = packSymbol(param.Name, param.Pos, elements)
		s.name, s.namespace, s.param = qualify(own, param.Name), own, true
		if param.IsType() {
			s.aliased = &alias{}
		}
	case a.Type != nil:
		s.aliased, s.typ = &alias{}, a.Type
	case a.Value != nil:
		s.variable, s.varType,
			s.value = &parser.Init{Pos: param.Pos, Declarator: &parser.Declarator{Pos: param.Pos, Name: param.Name}},
			param.Value.Type, *a.Value
	case a.object != nil:
		s.state, s.object = unresolved, objectVar(s.name, a.object)
		s.variable, s.varType = &parser.Init{Pos: param.Pos,
			Declarator: &parser.Declarator{Pos: param.Pos, Name: param.Name}}, param.Value.Type
	case a.template != nil:
		s.template = a.template
	default:
		s.target = a.target
	}
	return s
}

// arguments binds the parameters of a template to what is written for them, and to
// their defaults. deduced has those that are known already, by their index; those
// written come first. It returns errNotDeduced where one is missing.
func (in env) arguments(t *template, written *parser.TemplateArgs, deduced []templateArg) ([]templateArg, []string,
	error) {
	params, pos := t.head.Params, t.decl.Pos
	var list []writtenArg
	if written != nil {
		pos = written.Pos
		var err error
		if list, err = in.writtenArgs(written.Args); err != nil {
			return nil, nil, err
		}
		if len(list) > len(params) && packIndex(params) < 0 {
			return nil, nil,
				posError(written.Pos, "%s takes %d template arguments, these are %d", t.name, len(params), len(list))
		}
	}
	// Parameters may be of types that earlier ones name, so each is bound before
	// the next is looked at, in a namespace that only the key is missing of.
	in.templates.drafts++
	draft := append(append([]string(nil), t.namespace...), t.name+"<draft "+strconv.Itoa(in.templates.drafts)+">")
	defer in.forgetDraft(draft, params)
	args := make([]templateArg, len(params))
	for i, param := range params {
		var err error
		switch {
		case param.Pack:
			var known []templateArg
			if i < len(deduced) {
				known = deduced[i].pack
			}
			args[i], err = in.packOf(param, draft, list[min(i, len(list)):], known)
			list = list[:min(i, len(list))]
		case i < len(list):
			args[i], err = list[i].paramBinder(param, draft).argument(list[i].tokens)
		case i < len(deduced) && deduced[i].known():
			args[i] = deduced[i]
			if args[i].Value != nil {
				err = in.at(nil).paramBinder(param, draft).convertArg(&args[i])
			}
		case param.Default != nil:
			args[i], err = in.at(draft).paramBinder(param, draft).argument(param.Default)
		default:
			return nil, nil, errNotDeduced
		}
		if err != nil {
			return nil, nil, err
		}
		args[i].Param = param.Name
		in.bindParam(draft, param, args[i])
	}
	own := t.own(in.facts, args)
	if !in.named(own, pos) {
		return nil, nil, errReported
	}
	if t.head.Kind == parser.FunctionTemplate || t.head.Args != nil {
		for i, param := range params {
			in.bindParam(own, param, args[i])
		}
	} // of a class, the instance may be that of a specialisation with other names
	return args, own, nil
}

// packOf is the argument for a pack: what is written, and then what is deduced.
func (in env) packOf(param *parser.TemplateParam, draft []string, written []writtenArg, deduced []templateArg) (
	templateArg, error) {
	var elements []templateArg
	for _, w := range written {
		a, err := w.paramBinder(param, draft).argument(w.tokens)
		if err != nil {
			return templateArg{}, err
		}
		elements = append(elements, a)
	}
	for _, a := range deduced[min(len(written), len(deduced)):] {
		if a.Value != nil {
			if err := in.at(nil).paramBinder(param, draft).convertArg(&a); err != nil {
				return templateArg{}, err
			}
		}
		elements = append(elements, a)
	}
	return templateArg{isPack: true, pack: elements}, nil
}

var errNotDeduced = errors.New("a template argument is neither given nor deduced")

func (r *resolver) forgetDraft(draft []string, params []*parser.TemplateParam) {
	for _, param := range params {
		delete(r.symbols, qualify(draft, param.Name))
	}
}

func (a templateArg) known() bool { return a.Type != nil || a.Value != nil || a.Name != "" }

// paramBinder binds one parameter of a template, whose own type is seen from draft.
type paramBinder struct {
	env
	param *parser.TemplateParam
	draft []string
}

func (in env) paramBinder(param *parser.TemplateParam, draft []string) paramBinder {
	return paramBinder{in, param, draft}
}

// argument reads a written argument: seen from namespace, for a parameter whose
// own type is seen from draft.
func (b paramBinder) argument(tokens *parser.Tokens) (templateArg, error) {
	if len(tokens.List) == 0 {
		return templateArg{}, posError(tokens.Pos, "expected a template argument")
	}
	switch {
	case b.param.Template != nil:
		return b.templateArg(tokens)
	case b.param.Value == nil:
		t, err := b.typeFromTokens(tokens)
		if err != nil {
			return templateArg{}, err
		}
		return typeArg(t), nil
	case b.at(b.draft).functionParam(b.param.Value).takesFunction():
		a, err := b.functionArg(tokens)
		if err == nil && a.target != nil && !b.at(b.draft).functionParam(b.param.Value).fits(a.target) {
			err = posError(tokens.Pos, "%s is no function of the type that parameter %s wants", a.Name, b.param.Name)
		}
		return a, err
	}
	if a, ok, err := b.objectArg(tokens); ok {
		return a, err
	}
	v, err := b.constant(tokens)
	if err != nil {
		return templateArg{}, err
	}
	a := valueArg(v)
	return a, b.at(nil).paramBinder(b.param, b.draft).convertArg(&a)
}

// typeFromTokens resolves a type that is written by itself.
func (in env) typeFromTokens(tokens *parser.Tokens) (*tree.Type, error) {
	tn, err := in.syntax.typ(tokens.List)
	if err != nil {
		return nil, err
	}
	if len(tn.Pointers) == 0 && len(tn.Dims) == 0 {
		return in.qualifiedType(tn.Type)
	}
	t, err := in.fullType(tn.Type, tn.Pointers, tn.Dims)
	if n := len(tn.Pointers); err == nil && n > 0 && tn.Pointers[n-1].Op != "*" && t.Kind == tree.Pointer {
		ref := *t
		ref.Kind = tree.Reference
		t = &ref
	}
	return t, err
}

// qualifiedType is a type without pointers with its address space, which an argument may be the only one to say.
func (in env) qualifiedType(t *parser.Type) (*tree.Type, error) {
	typ, err := in.namedType(t, true) // an argument needs no layout
	space := spaceOf(t)
	if err != nil || space == "" || !arithmetic(typ.Unqualified()) {
		return typ, err
	}
	return &tree.Type{Kind: tree.Qualified, Elem: typ.Unqualified(), Space: space, Const: isConst(t)}, nil
}

// convertArg converts a value to the type of its parameter.
func (b paramBinder) convertArg(a *templateArg) error {
	typ := b.param.Value.Type
	if len(typ.Path) == 1 && typ.Path[0] == "auto" {
		return nil
	}
	t, err := b.from(b.draft).typeOf(typ)
	if err != nil {
		return err
	}
	v, err := convertTo(t, *a.Value, b.param.Pos)
	if err != nil {
		return err
	}
	a.Value = &v
	if t.Kind == tree.EnumType {
		a.enum = t
	}
	return nil
}

// takesFunction reports whether a parameter is a pointer to a function.
func (f functionParam) takesFunction() bool {
	if d := f.param.Declarator; d != nil && d.Params != nil {
		return true
	}
	if len(f.param.Type.Path) == 0 {
		return false
	}
	if f.param.Type.Args != nil {
		t := f.classNamed(f.param.Type.Path)
		if t == nil || t.head.Kind != parser.AliasTemplate {
			return false
		}
		d, err := t.declaration(f.resolver)
		return err == nil && d.Using != nil && (d.Using.Params != nil || d.Using.Type != nil && d.Using.Type.Decltype != nil)
	}
	s := f.lookup(f.param.Type.Path)
	// of the types that decltype yields, only those of functions are no types of values
	return s != nil && s.aliased != nil &&
		(s.aliased.params != nil || s.aliased.typ != nil && s.aliased.typ.Decltype != nil)
}

// functionArg reads the name of a function, also behind an &.
func (in env) functionArg(tokens *parser.Tokens) (templateArg, error) {
	list := tokens.List
	if list[0].Is("&") {
		list = list[1:]
	}
	e, err := in.source.ParseExpr(list, in.isTypePath)
	if err != nil {
		return templateArg{}, err
	}
	name, ok := e.(*parser.Name)
	if !ok {
		return templateArg{}, posError(tokens.Pos, "expected the name of a function")
	}
	if s := in.lookup(name.Path); s != nil && s.target != nil && name.Args == nil {
		return templateArg{TemplateArg: tree.TemplateArg{Name: nameText(s.target.name)}, target: s.target}, nil
	}
	return templateArg{TemplateArg: tree.TemplateArg{Name: nameText(name)}, target: &nameArg{name, in.namespace}}, nil
}

// templateArg reads the name of a class template.
func (in env) templateArg(tokens *parser.Tokens) (templateArg, error) {
	path := parser.PathOf(tokens.List)
	if t := in.classNamed(path); t != nil {
		return templateArg{TemplateArg: tree.TemplateArg{Name: t.name}, template: t}, nil
	}
	return templateArg{}, posError(tokens.Pos, "unknown template %s", strings.Join(path, "::"))
}
