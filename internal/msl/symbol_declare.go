package msl

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// declarer enters what declarations introduce into a table of symbols: that of the
// program, or for the types of a body one of their own.
type declarer struct {
	in    env
	table map[string]*symbol
}

// declare enters the names of a declaration into the symbol table.
func (into declarer) declare(d *parser.Decl) {
	switch {
	case d.Template != nil:
		into.declareTemplate(d, d.Namespace)
	case d.Broken != "":
		// a type whose uses are no further errors
		name := qualify(d.Namespace, d.Broken)
		into.table[name] = &symbol{name: name, namespace: d.Namespace, decl: d, pos: d.Pos, aliased: &alias{}, state: broken,
			err: errReported}
	case d.Struct != nil:
		into.declareStruct(d, d.Struct, d.Struct.Name)
		into.declareVariables(d, nil, d.Struct.Vars)
	case d.Enum != nil:
		into.declareEnum(d, d.Enum, d.Enum.Name)
	case d.Typedef != nil:
		into.declareTypedef(d, d.Typedef)
	case d.Using != nil:
		into.declareUsing(d, d.Using, d.Namespace)
	case d.Variable != nil && d.Variable.Scope != nil:
		into.defineMember(d)
	case d.Variable != nil:
		into.declareVariables(d, d.Variable.Type, d.Variable.Vars)
	default:
		if t := into.in.r.source.Tokens[d.From:d.To]; len(t) == 3 && (t[0].Is("struct") || t[0].Is("class") ||
			t[0].Is("union")) {
			into.in.r.forward[t[1].Text] = true
		}
	}
}

// declareUsing enters `using A = T;` and `using ns::T;`.
func (into declarer) declareUsing(d *parser.Decl, u *parser.Using, namespace []string) {
	if u.Type != nil {
		into.add(&symbol{name: qualify(namespace, u.Name), namespace: namespace, decl: d, pos: u.Pos,
			aliased: aliasedBy(u)})
		return
	}
	if u.Struct != nil {
		into.declareStruct(&parser.Decl{Namespace: namespace, Pos: d.Pos, End: d.End, From: d.From, To: d.To, Open: d.Open,
			Close: d.Close}, u.Struct, u.Name)
		return
	}
	if path := usedPath(u); path != nil {
		into.use(path, namespace)
	}
}

func (into declarer) declareTypedef(d *parser.Decl, t *parser.Typedef) {
	switch {
	case t.Struct != nil:
		into.declareStruct(d, t.Struct, into.typedefNames(d, t.Struct.Name, t.Struct.Vars))
	case t.Enum != nil:
		into.declareEnum(d, t.Enum, into.typedefNames(d, t.Enum.Name, t.Enum.Vars))
	default:
		for _, v := range t.Vars {
			into.add(&symbol{name: qualify(d.Namespace, declaredName(v.Declarator)), namespace: d.Namespace, decl: d, pos: v.Pos,
				aliased: &alias{t.Type, v.Pointers, v.Declarator.Dims, v.Declarator.Params, v.Declarator.After}})
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

// typedefNames returns the name of the type in `typedef struct name { ... } A, B;`,
// which is A where it has none of its own, and enters the others.
func (into declarer) typedefNames(d *parser.Decl, name string, vars []*parser.Init) string {
	if name == "" && len(vars) > 0 {
		name = vars[0].Declarator.Name
	}
	for _, v := range vars {
		if v.Declarator.Name != name {
			into.add(&symbol{name: qualify(d.Namespace, v.Declarator.Name), namespace: d.Namespace, decl: d, pos: v.Pos,
				aliased: aliasOf(name, v)})
		}
	}
	return name
}

// aliasOf is the target of a further name in `typedef struct { ... } A, B;`.
func aliasOf(name string, v *parser.Init) *alias {
	return &alias{&parser.Type{Pos: v.Pos, At: parser.Here{Pos: v.Pos}, Path: []string{name}}, v.Pointers,
		v.Declarator.Dims, nil, nil}
}

// aliasedBy is the target of `using A = T;`.
func aliasedBy(u *parser.Using) *alias { return &alias{u.Type, u.Pointers, u.Dims, u.Params, u.After} }

func (into declarer) declareStruct(d *parser.Decl, s *parser.Struct, name string) {
	if name == "" {
		return
	}
	inner := append(slices.Clone(d.Namespace), name)
	for _, m := range s.Members {
		switch {
		case m.Nested != nil && m.Nested.Name != "":
			into.declareStruct(&parser.Decl{Namespace: inner, Pos: d.Pos, End: d.End, From: d.From, To: d.To, Open: d.Open,
				Close: d.Close}, m.Nested, m.Nested.Name)
		case m.Enum != nil:
			into.declareEnum(&parser.Decl{Namespace: inner, Pos: d.Pos}, m.Enum, m.Enum.Name)
		case m.Typedef != nil:
			into.declareTypedef(&parser.Decl{Namespace: inner, Pos: d.Pos}, m.Typedef)
		case m.Using != nil:
			into.declareUsing(d, m.Using, inner)
		case m.Decl != nil && m.Decl.Template != nil:
			into.declareTemplate(m.Decl, inner)
		case m.Field != nil && slices.Contains(m.Field.Type.Pre, "static"):
			into.declareVariables(&parser.Decl{Namespace: inner, Pos: d.Pos, From: d.From}, m.Field.Type, m.Field.Vars)
		}
	}
	into.add(&symbol{name: qualify(d.Namespace, name), namespace: inner, decl: d, pos: s.Pos, structure: s})
}

func (into declarer) declareEnum(d *parser.Decl, e *parser.Enum, name string) {
	sym := &symbol{name: qualify(d.Namespace, name), namespace: d.Namespace, decl: d, pos: e.Pos, enum: e}
	if name == "" {
		sym.name = ""
	} else {
		into.add(sym)
	}
	inner := append(slices.Clone(d.Namespace), name)
	sym.constants = d.Namespace
	if e.Class != "" && name != "" {
		sym.constants = inner
	}
	for _, v := range e.Values {
		c := &symbol{name: qualify(sym.constants, v.Name), namespace: d.Namespace, decl: d, pos: v.Pos, member: sym}
		sym.enumerators = append(sym.enumerators, c)
		into.add(c)
		if e.Class == "" && name != "" {
			into.table[qualify(inner, v.Name)] = c // E::A is A
		}
	}
}

func (into declarer) declareVariables(d *parser.Decl, typ *parser.Type, vars []*parser.Init) {
	for _, v := range vars {
		if v.Declarator.Name != "" {
			into.add(&symbol{name: qualify(d.Namespace, v.Declarator.Name), namespace: d.Namespace, decl: d, pos: v.Pos,
				variable: v, varType: typ})
		}
	}
}

// defineMember gives a static member of a struct the value that its definition outside of the struct has.
func (into declarer) defineMember(d *parser.Decl) {
	for _, v := range d.Variable.Vars {
		if v.Value == nil && v.Args == nil {
			continue
		}
		member := into.in.from(d.Namespace).lookup(clip(d.Variable.Scope.Path, v.Declarator.Name))
		if member != nil && member.variable != nil && member.variable.Value == nil && member.variable.Args == nil {
			defined := *member.variable
			defined.Value, defined.Args = v.Value, v.Args
			member.variable = &defined
		}
	}
}

// local reports whether the table is that of a body.
func (into declarer) local() bool { return into.in.locals != nil }

// add enters a symbol; a second definition of a type is an error.
func (into declarer) add(s *symbol) {
	if old, ok := into.table[s.name]; ok {
		first := fmt.Sprintf("the first is at %s:%d:%d", old.pos.Filename, old.pos.Line, old.pos.Column)
		switch {
		case s.structure != nil && old.structure != nil:
			into.in.errs.Add(s.pos, "struct %s is defined twice; %s", s.name, first)
			return
		case s.enum != nil && old.enum != nil:
			into.in.errs.Add(s.pos, "enum %s is defined twice; %s", s.name, first)
			return
		case s.aliased != nil && old.aliased == nil && old.variable == nil && s.aliased.names(s.name):
			return // typedef struct P P;
		}
		if old != s && old.decl != nil && !into.local() {
			into.in.r.redeclared = append(into.in.r.redeclared, redeclaration{old, s})
		}
		if old != s && old.variable != nil && old.variable.Value != nil && s.variable != nil && !into.local() {
			return // what stands between the two means the first
		}
	}
	into.table[s.name] = s
}
