package msl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Program is the meaning of one source: one Metal library.
type Program struct {
	Tree      *parser.Tree
	Kernels   []*tree.Kernel
	Constants []*tree.FunctionConstant
	LeftOut   []tree.LeftOut // instances of kernel templates that are no Kernels

	symbols     map[string]*symbol // by qualified name
	templates   *templates
	syntax      *syntaxCache
	facts       *facts
	used        []string                  // namespaces of `using namespace` at file scope
	forward     map[string]bool           // unqualified names of `struct Q;`
	names       map[string][]*parser.Decl // what declares an unqualified name
	outside     map[string][]*parser.Decl // methods that are defined outside of their struct, by name
	errs        parser.ErrorList
	typeErrs    parser.ErrorList // those of types, whoever asks for them first
	brokenTypes []*symbol        // that typeErrs are about

	bodies    bodies
	mentioned mentioned
	chain     int // functions, constants and types that wait for another
	// base and locals are set in the view that a body has of the program.
	base   *Program
	locals *scope
	this   *tree.Var         // the object of a method, or nil
	own    *parser.ErrorList // where the errors of local types go
}

// symbolState says how far a symbol has been resolved.
type symbolState uint8

const (
	unresolved symbolState = iota
	resolving
	resolved
	broken // an error about it has been reported
)

// symbol is a name that a declaration introduces.
type symbol struct {
	name      string // qualified
	namespace []string
	decl      *parser.Decl
	pos       parser.Pos
	state     symbolState

	// What declares it: one of these.
	structure *parser.Struct
	enum      *parser.Enum
	aliased   *alias
	variable  *parser.Init
	varType   *parser.Type
	member    *symbol // an enumerator's enum

	constants   []string  // of an enum: the scope of its enumerators
	enumerators []*symbol // of an enum

	instance *instance // of a class template, or nil
	template *template // of a parameter that is a class template
	target   *nameArg  // of a parameter that is a function
	param    bool      // of a template

	local bool      // of a body
	v     *tree.Var // of a body's variable

	typ *tree.Type // once resolved, of a type
	err error      // once broken
	// noConstant says why a variable's value is no constant expression. A body
	// may still have the variable, so that does not break the symbol.
	noConstant error
	value      tree.Value // once resolved, of a constant
}

// alias is the target of a typedef or using.
type alias struct {
	typ      *parser.Type
	pointers []*parser.Pointer
	dims     []*parser.Dim
	params   *parser.ParamList // of a function, or of a pointer to one
}

// names reports whether the alias is nothing but another type's own name.
func (a *alias) names(name string) bool {
	return len(a.pointers) == 0 && len(a.dims) == 0 && a.typ.Args == nil && len(a.typ.Member) == 0 &&
		len(a.typ.Path) > 0 && (name == strings.Join(a.typ.Path, "::") || strings.HasSuffix(name, "::"+strings.Join(a.typ.Path, "::")))
}

// Analyze gives the meaning of a parsed source.
func Analyze(source *parser.Tree) (*Program, parser.ErrorList) {
	p := &Program{
		Tree:      source,
		symbols:   make(map[string]*symbol),
		templates: newTemplates(),
		syntax:    newSyntaxCache(),
		facts:     newFacts(),
		forward:   make(map[string]bool),
		names:     make(map[string][]*parser.Decl),
		outside:   make(map[string][]*parser.Decl),
	}
	p.listOutside()
	p.used = usedNamespaces(source)
	for _, d := range source.Decls {
		p.declare(d)
	}
	for _, d := range source.Decls {
		for _, name := range namesOf(d) {
			p.names[name] = append(p.names[name], d)
		}
	}
	p.functionConstants()
	for _, d := range source.Decls {
		switch {
		case d.Instantiation != nil:
			p.kernelInstance(d)
		case d.Function != nil && d.Open >= 0 && (d.Template == nil || len(d.Template.Params) == 0):
			p.kernel(d)
		}
	}
	p.staticAsserts()
	p.errs = append(p.errs, p.typeErrs...)
	p.errs.Sort()
	return p, p.errs
}

// qualify joins a namespace and a name.
func qualify(namespace []string, name string) string {
	if len(namespace) == 0 {
		return name
	}
	return strings.Join(namespace, "::") + "::" + name
}

// declare enters the names of a declaration into the symbol table.
func (p *Program) declare(d *parser.Decl) {
	switch {
	case d.Template != nil:
		p.declareTemplate(d, d.Namespace)
	case d.Broken != "":
		// a type whose uses are no further errors
		name := qualify(d.Namespace, d.Broken)
		p.symbols[name] = &symbol{name: name, namespace: d.Namespace, decl: d, pos: d.Pos, aliased: &alias{}, state: broken, err: errReported}
	case d.Struct != nil:
		p.declareStruct(d, d.Struct, d.Struct.Name)
		p.declareVariables(d, nil, d.Struct.Vars)
	case d.Enum != nil:
		p.declareEnum(d, d.Enum, d.Enum.Name)
	case d.Typedef != nil:
		p.declareTypedef(d, d.Typedef)
	case d.Using != nil:
		p.declareUsing(d, d.Using, d.Namespace)
	case d.Variable != nil && d.Variable.Scope != nil: // of a static member
	case d.Variable != nil:
		p.declareVariables(d, d.Variable.Type, d.Variable.Vars)
	default:
		if t := p.Tree.Tokens[d.From:d.To]; len(t) == 3 && (t[0].Is("struct") || t[0].Is("class") || t[0].Is("union")) {
			p.forward[t[1].Text] = true
		}
	}
}

// declareUsing enters `using A = T;` and `using ns::T;`.
func (p *Program) declareUsing(d *parser.Decl, u *parser.Using, namespace []string) {
	if u.Type != nil {
		p.add(&symbol{name: qualify(namespace, u.Name), namespace: namespace, decl: d, pos: u.Pos, aliased: &alias{u.Type, u.Pointers, u.Dims, u.Params}})
		return
	}
	if u.Struct != nil {
		p.declareStruct(&parser.Decl{Namespace: namespace, Pos: d.Pos, End: d.End, From: d.From, To: d.To, Open: d.Open, Close: d.Close}, u.Struct, u.Name)
		return
	}
	if n := len(u.Rest); n > 0 {
		if s := p.lookup(namespace, append([]string{u.Name}, u.Rest...)); s != nil {
			p.symbols[qualify(namespace, u.Rest[n-1])] = s
		}
	}
}

func (p *Program) declareTypedef(d *parser.Decl, t *parser.Typedef) {
	switch {
	case t.Struct != nil:
		p.declareStruct(d, t.Struct, p.typedefNames(d, t.Struct.Name, t.Struct.Vars))
	case t.Enum != nil:
		p.declareEnum(d, t.Enum, p.typedefNames(d, t.Enum.Name, t.Enum.Vars))
	default:
		for _, v := range t.Vars {
			p.add(&symbol{name: qualify(d.Namespace, declaredName(v.Declarator)), namespace: d.Namespace, decl: d, pos: v.Pos, aliased: &alias{t.Type, v.Pointers, v.Declarator.Dims, v.Declarator.Params}})
		}
	}
}

// declaredName is the name in a declarator, in parentheses or not.
func declaredName(d *parser.Declarator) string {
	if d.Inner != nil {
		return d.Inner.Name
	}
	return d.Name
}

// typedefNames gives the name of the type in `typedef struct name { ... } A, B;`,
// which is A where it has none of its own, and enters the others.
func (p *Program) typedefNames(d *parser.Decl, name string, vars []*parser.Init) string {
	if name == "" && len(vars) > 0 {
		name = vars[0].Declarator.Name
	}
	for _, v := range vars {
		if v.Declarator.Name != name {
			p.add(&symbol{name: qualify(d.Namespace, v.Declarator.Name), namespace: d.Namespace, decl: d, pos: v.Pos, aliased: aliasOf(name, v)})
		}
	}
	return name
}

// aliasOf is the target of a further name in `typedef struct { ... } A, B;`.
func aliasOf(name string, v *parser.Init) *alias {
	return &alias{&parser.Type{Pos: v.Pos, At: parser.Here{Pos: v.Pos}, Path: []string{name}}, v.Pointers, v.Declarator.Dims, nil}
}

func (p *Program) declareStruct(d *parser.Decl, s *parser.Struct, name string) {
	if name == "" {
		return
	}
	inner := append(slices.Clone(d.Namespace), name)
	for _, m := range s.Members {
		switch {
		case m.Nested != nil && m.Nested.Name != "":
			p.declareStruct(&parser.Decl{Namespace: inner, Pos: d.Pos, End: d.End, From: d.From, To: d.To, Open: d.Open, Close: d.Close}, m.Nested, m.Nested.Name)
		case m.Enum != nil:
			p.declareEnum(&parser.Decl{Namespace: inner, Pos: d.Pos}, m.Enum, m.Enum.Name)
		case m.Typedef != nil:
			p.declareTypedef(&parser.Decl{Namespace: inner, Pos: d.Pos}, m.Typedef)
		case m.Using != nil:
			p.declareUsing(d, m.Using, inner)
		case m.Decl != nil && m.Decl.Template != nil:
			p.declareTemplate(m.Decl, inner)
		case m.Field != nil && slices.Contains(m.Field.Type.Pre, "static"):
			p.declareVariables(&parser.Decl{Namespace: inner, Pos: d.Pos, From: d.From}, m.Field.Type, m.Field.Vars)
		}
	}
	p.add(&symbol{name: qualify(d.Namespace, name), namespace: inner, decl: d, pos: s.Pos, structure: s})
}

func (p *Program) declareEnum(d *parser.Decl, e *parser.Enum, name string) {
	sym := &symbol{name: qualify(d.Namespace, name), namespace: d.Namespace, decl: d, pos: e.Pos, enum: e}
	if name == "" {
		sym.name = ""
	} else {
		p.add(sym)
	}
	inner := append(slices.Clone(d.Namespace), name)
	sym.constants = d.Namespace
	if e.Class != "" && name != "" {
		sym.constants = inner
	}
	for _, v := range e.Values {
		c := &symbol{name: qualify(sym.constants, v.Name), namespace: d.Namespace, decl: d, pos: v.Pos, member: sym}
		sym.enumerators = append(sym.enumerators, c)
		p.add(c)
		if e.Class == "" && name != "" {
			p.symbols[qualify(inner, v.Name)] = c // E::A is A
		}
	}
}

func (p *Program) declareVariables(d *parser.Decl, typ *parser.Type, vars []*parser.Init) {
	for _, v := range vars {
		if v.Declarator.Name != "" {
			p.add(&symbol{name: qualify(d.Namespace, v.Declarator.Name), namespace: d.Namespace, decl: d, pos: v.Pos, variable: v, varType: typ})
		}
	}
}

// add enters a symbol; a second definition of a type is an error.
func (p *Program) add(s *symbol) {
	if old, ok := p.symbols[s.name]; ok {
		first := fmt.Sprintf("the first is at %s:%d:%d", old.pos.Filename, old.pos.Line, old.pos.Column)
		switch {
		case s.structure != nil && old.structure != nil:
			p.errs.Add(s.pos, "struct %s is defined twice; %s", s.name, first)
			return
		case s.enum != nil && old.enum != nil:
			p.errs.Add(s.pos, "enum %s is defined twice; %s", s.name, first)
			return
		case s.aliased != nil && old.aliased == nil && old.variable == nil && s.aliased.names(s.name):
			return // typedef struct P P;
		}
	}
	p.symbols[s.name] = s
}

// lookup finds a name as seen from a namespace, innermost first. Names of the
// library may carry metal::.
func (p *Program) lookup(namespace, path []string) *symbol {
	if len(path) == 0 {
		return nil // a function without a result
	}
	if s := p.locals.find(strings.Join(path, "::")); s != nil {
		return s
	}
	if len(path) > 1 && path[0] == "metal" {
		if s := p.symbols[strings.Join(path, "::")]; s != nil {
			return s
		}
		namespace, path = nil, path[1:]
	}
	name := strings.Join(path, "::")
	for n := len(namespace); n >= 0; n-- {
		if s, ok := p.symbols[qualify(namespace[:n], name)]; ok {
			return s
		}
	}
	// using namespace of the source's own namespaces: take the name where it
	// is unambiguous.
	for _, used := range p.used {
		if s, ok := p.symbols[used+"::"+name]; ok {
			return s
		}
	}
	return p.lookupMember(namespace, path)
}

// lookupMember finds what a struct or its bases declare: by T::name, T being a
// name of the struct, or from within the struct.
func (p *Program) lookupMember(namespace, path []string) *symbol {
	if len(path) > 1 {
		s := p.lookup(namespace, path[:1])
		if s == nil || s.aliased == nil && s.structure == nil || s.state == resolving {
			return nil
		}
		t, err := p.symbolType(s)
		if err != nil {
			return &symbol{name: qualify(path[:1], path[1]), pos: s.pos, aliased: &alias{}, state: broken, err: err}
		}
		if t.Kind == tree.EnumType && len(path) == 2 {
			return p.symbols[t.Enum.Name+"::"+path[1]]
		}
		return p.memberOf(t, path[1:])
	}
	for n := len(namespace); n > 0; n-- {
		s := p.symbols[qualify(namespace[:n-1], namespace[n-1])]
		if s == nil || s.structure == nil || len(s.structure.Bases) == 0 || s.state != resolved {
			continue
		}
		if m := p.memberIn(s.typ.Struct, path[0]); m != nil {
			return m
		}
	}
	return nil
}

// usedNamespaces lists the namespaces of `using namespace` at file scope.
func usedNamespaces(source *parser.Tree) []string {
	var used []string
	spaces := map[string]bool{}
	for _, d := range source.Decls {
		for n := range d.Namespace {
			spaces[qualify(d.Namespace[:n], d.Namespace[n])] = true
		}
	}
	for _, d := range source.Decls {
		t := source.Tokens[d.From:d.To]
		if len(t) < 4 || !t[0].Is("using") || !t[1].Is("namespace") {
			continue
		}
		var path []string
		for _, tok := range t[2:] {
			if tok.Kind == parser.Ident {
				path = append(path, tok.Text)
			}
		}
		name := strings.Join(path, "::")
		for n := len(d.Namespace); n > 0; n-- {
			if inner := qualify(d.Namespace[:n], name); spaces[inner] {
				name = inner
				break
			}
		}
		if (name != "metal" || spaces["metal"]) && !slices.Contains(used, name) {
			used = append(used, name)
		}
	}
	return used
}
