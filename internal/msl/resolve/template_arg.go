package resolve

import (
	"errors"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// bindParam makes an argument a name of the instance's namespace.
func (r *Resolver) bindParam(own []string, param *parser.TemplateParam, a TemplateArg) {
	if param.Name != "" {
		s := paramSymbol(own, param, a)
		r.Symbols[s.Name] = s
	}
}

// noAlias makes a symbol one of a type that no declaration spells.
var noAlias = &Alias{}

// paramSymbol is the symbol of a parameter that stands for an argument.
func paramSymbol(own []string, param *parser.TemplateParam, a TemplateArg) *Symbol {
	s := &Symbol{Name: Qualify(own, param.Name), Namespace: own, Pos: param.Pos, State: Resolved, Param: true}
	switch {
	case a.IsPack:
		elements := make([]*Symbol, len(a.Pack))
		for i, x := range a.Pack {
			elements[i] = paramSymbol(own, param, x)
		}
		s = PackSymbol(param.Name, param.Pos, elements)
		s.Name, s.Namespace, s.Param = Qualify(own, param.Name), own, true
		if param.IsType() {
			s.Aliased = noAlias
		}
	case a.Type != nil:
		s.Aliased, s.typ = noAlias, a.Type
	case a.Value != nil:
		s.Variable, s.VarType,
			s.Value = &parser.Init{Pos: param.Pos, Declarator: &parser.Declarator{Pos: param.Pos, Name: param.Name}},
			param.Value.Type, *a.Value
	case a.object != nil:
		s.State, s.Object = Unresolved, objectVar(s.Name, a.object)
		s.Variable, s.VarType = &parser.Init{Pos: param.Pos,
			Declarator: &parser.Declarator{Pos: param.Pos, Name: param.Name}}, param.Value.Type
	case a.template != nil:
		s.template = a.template
	default:
		s.Target = a.target
	}
	return s
}

// Arguments binds the parameters of a template to what is written for them, and to
// their defaults. deduced has those that are known already, by their index; those
// written come first. It returns errNotDeduced where one is missing.
func (in Env) Arguments(t *Template, written *parser.TemplateArgs, deduced []TemplateArg) ([]TemplateArg, []string,
	error) {
	params, pos := t.Head.Params, t.Decl.Pos
	var list []writtenArg
	if written != nil {
		pos = written.Pos
		var err error
		if list, err = writtenArgs(in, written.Args); err != nil {
			return nil, nil, err
		}
		if len(list) > len(params) && packIndex(params) < 0 {
			return nil, nil,
				Errorf(written.Pos, "%s takes %d template arguments, these are %d", t.Name, len(params), len(list))
		}
	}
	// Parameters may be of types that earlier ones name, so each is bound before
	// the next is looked at, in a namespace that only the key is missing of.
	in.R.Templates.drafts++
	draft := append(append([]string(nil), t.Namespace...), t.Name+"<draft "+strconv.Itoa(in.R.Templates.drafts)+">")
	defer in.R.forgetDraft(draft, params)
	args := make([]TemplateArg, len(params))
	for i, param := range params {
		var err error
		switch {
		case param.Pack:
			var known []TemplateArg
			if i < len(deduced) {
				known = deduced[i].Pack
			}
			args[i], err = packOf(in, param, draft, list[min(i, len(list)):], known)
			list = list[:min(i, len(list))]
		case i < len(list):
			args[i], err = list[i].in.paramBinder(param, draft).argument(list[i].tokens)
		case i < len(deduced) && deduced[i].known():
			args[i] = deduced[i]
			if args[i].Value != nil {
				err = in.At(nil).paramBinder(param, draft).convertArg(&args[i])
			}
		case param.Default != nil:
			args[i], err = in.At(draft).paramBinder(param, draft).argument(param.Default)
		default:
			return nil, nil, ErrNotDeduced
		}
		if err != nil {
			return nil, nil, err
		}
		args[i].Param = param.Name
		in.R.bindParam(draft, param, args[i])
	}
	own := t.own(in.R.Facts, args)
	if !in.R.Work.named(own, pos) {
		return nil, nil, ErrReported
	}
	if t.Head.Kind == parser.FunctionTemplate || t.Head.Args != nil {
		for i, param := range params {
			in.R.bindParam(own, param, args[i])
		}
	} // of a class, the instance may be that of a specialisation with other names
	return args, own, nil
}

// packOf is the argument for a pack: what is written, and then what is deduced.
func packOf(in Env, param *parser.TemplateParam, draft []string, written []writtenArg, deduced []TemplateArg) (
	TemplateArg, error) {
	var elements []TemplateArg
	for _, w := range written {
		a, err := w.in.paramBinder(param, draft).argument(w.tokens)
		if err != nil {
			return TemplateArg{}, err
		}
		elements = append(elements, a)
	}
	for _, a := range deduced[min(len(written), len(deduced)):] {
		if a.Value != nil {
			if err := in.At(nil).paramBinder(param, draft).convertArg(&a); err != nil {
				return TemplateArg{}, err
			}
		}
		elements = append(elements, a)
	}
	return TemplateArg{IsPack: true, Pack: elements}, nil
}

// ErrNotDeduced says that an argument of a template is not known yet.
var ErrNotDeduced = errors.New("a template argument is neither given nor deduced")

func (r *Resolver) forgetDraft(draft []string, params []*parser.TemplateParam) {
	for _, param := range params {
		delete(r.Symbols, Qualify(draft, param.Name))
	}
}

func (a TemplateArg) known() bool { return a.Type != nil || a.Value != nil || a.Name != "" }

// paramBinder binds one parameter of a template, whose own type is seen from draft.
type paramBinder struct {
	in    Env
	param *parser.TemplateParam
	draft []string
}

func (in Env) paramBinder(param *parser.TemplateParam, draft []string) paramBinder {
	return paramBinder{in, param, draft}
}

// argument reads a written argument: seen from namespace, for a parameter whose
// own type is seen from draft.
func (b paramBinder) argument(tokens *parser.Tokens) (TemplateArg, error) {
	if len(tokens.List) == 0 {
		return TemplateArg{}, Errorf(tokens.Pos, "expected a template argument")
	}
	switch {
	case b.param.Template != nil:
		return readTemplateArg(b.in, tokens)
	case b.param.Value == nil:
		t, err := TypeFromTokens(b.in, tokens)
		if err != nil {
			return TemplateArg{}, err
		}
		return TypeArg(t), nil
	case b.in.At(b.draft).functionParam(b.param.Value).takesFunction():
		a, err := functionArg(b.in, tokens)
		if err == nil && a.target != nil && !b.in.R.checker.Fits(b.in.At(b.draft).functionParam(b.param.Value),
			a.target) {
			err = Errorf(tokens.Pos, "%s is no function of the type that parameter %s wants", a.Name, b.param.Name)
		}
		return a, err
	}
	if a, ok, err := b.objectArg(tokens); ok {
		return a, err
	}
	v, err := b.in.Constant(tokens)
	if err != nil {
		return TemplateArg{}, err
	}
	a := valueArg(v)
	return a, b.in.At(nil).paramBinder(b.param, b.draft).convertArg(&a)
}

// TypeFromTokens resolves a type that is written by itself.
func TypeFromTokens(in Env, tokens *parser.Tokens) (*tree.Type, error) {
	tn, err := in.R.Syntax.Type(tokens.List)
	if err != nil {
		return nil, err
	}
	if len(tn.Pointers) == 0 && len(tn.Dims) == 0 {
		return qualifiedArg(in, tn.Type)
	}
	t, err := in.FullType(tn.Type, tn.Pointers, tn.Dims)
	if n := len(tn.Pointers); err == nil && n > 0 && tn.Pointers[n-1].Op != "*" && t.Kind == tree.Pointer {
		ref := *t
		ref.Kind = tree.Reference
		t = &ref
	}
	return t, err
}

// qualifiedArg is a type without pointers with its address space, which an argument may be the only one to say.
func qualifiedArg(in Env, t *parser.Type) (*tree.Type, error) {
	typ, err := in.namedType(t, true) // an argument needs no layout
	space := SpaceOf(t)
	if err != nil || space == "" || !types.Arithmetic(typ.Unqualified()) {
		return typ, err
	}
	return &tree.Type{Kind: tree.Qualified, Elem: typ.Unqualified(), Space: space, Const: IsConst(t)}, nil
}

// convertArg converts a value to the type of its parameter.
func (b paramBinder) convertArg(a *TemplateArg) error {
	typ := b.param.Value.Type
	if len(typ.Path) == 1 && typ.Path[0] == "auto" {
		return nil
	}
	t, err := b.in.From(b.draft).TypeOf(typ)
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
func (f FunctionParam) takesFunction() bool {
	if d := f.param.Declarator; d != nil && d.Params != nil {
		return true
	}
	if len(f.param.Type.Path) == 0 {
		return false
	}
	if f.param.Type.Args != nil {
		t := f.In.ClassNamed(f.param.Type.Path)
		if t == nil || t.Head.Kind != parser.AliasTemplate {
			return false
		}
		d, err := t.Declaration(f.In.R)
		return err == nil && d.Using != nil && (d.Using.Params != nil || d.Using.Type != nil && d.Using.Type.Decltype != nil)
	}
	s := f.In.Lookup(f.param.Type.Path)
	// of the types that decltype yields, only those of functions are no types of values
	return s != nil && s.Aliased != nil &&
		(s.Aliased.Params != nil || s.Aliased.Type != nil && s.Aliased.Type.Decltype != nil)
}

// functionArg reads the name of a function, also after an &.
func functionArg(in Env, tokens *parser.Tokens) (TemplateArg, error) {
	list := tokens.List
	if list[0].Is("&") {
		list = list[1:]
	}
	e, err := in.R.Source.ParseExpr(list, in.IsTypePath)
	if err != nil {
		return TemplateArg{}, err
	}
	name, ok := e.(*parser.Name)
	if !ok {
		return TemplateArg{}, Errorf(tokens.Pos, "expected the name of a function")
	}
	if s := in.Lookup(name.Path); s != nil && s.Target != nil && name.Args == nil {
		return TemplateArg{TemplateArg: tree.TemplateArg{Name: NameText(s.Target.Name)}, target: s.Target}, nil
	}
	return TemplateArg{TemplateArg: tree.TemplateArg{Name: NameText(name)}, target: &NameArg{name, in.Namespace}}, nil
}

// readTemplateArg reads the name of a class template.
func readTemplateArg(in Env, tokens *parser.Tokens) (TemplateArg, error) {
	path := parser.PathOf(tokens.List)
	if t := in.ClassNamed(path); t != nil {
		return TemplateArg{TemplateArg: tree.TemplateArg{Name: t.Name}, template: t}, nil
	}
	return TemplateArg{}, Errorf(tokens.Pos, "unknown template %s", strings.Join(path, "::"))
}
