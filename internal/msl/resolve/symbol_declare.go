package resolve

import (
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// Declarer enters what declarations introduce into a table of symbols: that of the
// program, or for the types of a body one of their own.
type Declarer struct {
	In    Env
	Table map[string]*Symbol
}

// Declare enters the names of a declaration into the symbol table.
func (into Declarer) Declare(d *parser.Decl) {
	switch {
	case d.Template != nil:
		into.declareTemplate(d, d.Namespace)
	case d.Broken != "":
		// a type whose uses are no further errors
		name := Qualify(d.Namespace, d.Broken)
		into.Table[name] = &Symbol{Name: name, Namespace: d.Namespace, Decl: d, Pos: d.Pos, Aliased: &Alias{},
			State: Broken, Err: ErrReported}
	case d.Struct != nil:
		into.DeclareStruct(d, d.Struct, d.Struct.Name)
		into.declareVariables(d, nil, d.Struct.Vars)
	case d.Enum != nil:
		into.DeclareEnum(d, d.Enum, d.Enum.Name)
	case d.Typedef != nil:
		into.DeclareTypedef(d, d.Typedef)
	case d.Using != nil:
		into.DeclareUsing(d, d.Using, d.Namespace)
	case d.Variable != nil && d.Variable.Scope != nil:
		into.defineMember(d)
	case d.Variable != nil:
		into.declareVariables(d, d.Variable.Type, d.Variable.Vars)
	default:
		if t := into.In.R.Source.Tokens[d.From:d.To]; len(t) == 3 && (t[0].Is("struct") || t[0].Is("class") ||
			t[0].Is("union")) {
			into.In.R.forward[t[1].Text] = true
		}
	}
}

// DeclareUsing enters `using A = T;` and `using ns::T;`.
func (into Declarer) DeclareUsing(d *parser.Decl, u *parser.Using, namespace []string) {
	if u.Type != nil {
		into.add(&Symbol{Name: Qualify(namespace, u.Name), Namespace: namespace, Decl: d, Pos: u.Pos,
			Aliased: aliasedBy(u)})
		return
	}
	if u.Struct != nil {
		into.DeclareStruct(&parser.Decl{Namespace: namespace, Pos: d.Pos, End: d.End, From: d.From, To: d.To,
			Open: d.Open, Close: d.Close}, u.Struct, u.Name)
		return
	}
	if path := UsedPath(u); path != nil {
		into.use(path, namespace)
	}
}

// DeclareTypedef enters the names of a typedef.
func (into Declarer) DeclareTypedef(d *parser.Decl, t *parser.Typedef) {
	switch {
	case t.Struct != nil:
		into.DeclareStruct(d, t.Struct, into.typedefNames(d, t.Struct.Name, t.Struct.Vars))
	case t.Enum != nil:
		into.DeclareEnum(d, t.Enum, into.typedefNames(d, t.Enum.Name, t.Enum.Vars))
	default:
		for _, v := range t.Vars {
			into.add(&Symbol{Name: Qualify(d.Namespace, DeclaredName(v.Declarator)), Namespace: d.Namespace, Decl: d,
				Pos:     v.Pos,
				Aliased: &Alias{t.Type, v.Pointers, v.Declarator.Dims, v.Declarator.Params, v.Declarator.After}})
		}
	}
}

// DeclaredName is the name in a declarator, in parentheses or not.
func DeclaredName(d *parser.Declarator) string {
	if d.Inner != nil {
		return d.Inner.Name
	}
	return d.Name
}

// typedefNames returns the name of the type in `typedef struct name { ... } A, B;`,
// which is A where it has none of its own, and enters the others.
func (into Declarer) typedefNames(d *parser.Decl, name string, vars []*parser.Init) string {
	if name == "" && len(vars) > 0 {
		name = vars[0].Declarator.Name
	}
	for _, v := range vars {
		if v.Declarator.Name != name {
			into.add(&Symbol{Name: Qualify(d.Namespace, v.Declarator.Name), Namespace: d.Namespace, Decl: d, Pos: v.Pos,
				Aliased: aliasOf(name, v)})
		}
	}
	return name
}

// aliasOf is the target of a further name in `typedef struct { ... } A, B;`.
func aliasOf(name string, v *parser.Init) *Alias {
	return &Alias{&parser.Type{Pos: v.Pos, At: parser.Here{Pos: v.Pos}, Path: []string{name}}, v.Pointers,
		v.Declarator.Dims, nil, nil}
}

// aliasedBy is the target of `using A = T;`.
func aliasedBy(u *parser.Using) *Alias { return &Alias{u.Type, u.Pointers, u.Dims, u.Params, u.After} }

// DeclareStruct enters a struct with what is declared in it.
func (into Declarer) DeclareStruct(d *parser.Decl, s *parser.Struct, name string) {
	if name == "" {
		return
	}
	inner := append(slices.Clone(d.Namespace), name)
	for _, m := range s.Members {
		switch {
		case m.Nested != nil && m.Nested.Name != "":
			into.DeclareStruct(&parser.Decl{Namespace: inner, Pos: d.Pos, End: d.End, From: d.From, To: d.To,
				Open: d.Open, Close: d.Close}, m.Nested, m.Nested.Name)
		case m.Enum != nil:
			into.DeclareEnum(&parser.Decl{Namespace: inner, Pos: d.Pos}, m.Enum, m.Enum.Name)
		case m.Typedef != nil:
			into.DeclareTypedef(&parser.Decl{Namespace: inner, Pos: d.Pos}, m.Typedef)
		case m.Using != nil:
			into.DeclareUsing(d, m.Using, inner)
		case m.Decl != nil && m.Decl.Template != nil:
			into.declareTemplate(m.Decl, inner)
		case m.Field != nil && slices.Contains(m.Field.Type.Pre, "static"):
			into.declareVariables(&parser.Decl{Namespace: inner, Pos: d.Pos, From: d.From}, m.Field.Type, m.Field.Vars)
		}
	}
	into.add(&Symbol{Name: Qualify(d.Namespace, name), Namespace: inner, Decl: d, Pos: s.Pos, Structure: s})
}

// DeclareEnum enters an enum and its enumerators.
func (into Declarer) DeclareEnum(d *parser.Decl, e *parser.Enum, name string) {
	sym := &Symbol{Name: Qualify(d.Namespace, name), Namespace: d.Namespace, Decl: d, Pos: e.Pos, Enum: e}
	if name == "" {
		sym.Name = ""
	} else {
		into.add(sym)
	}
	inner := append(slices.Clone(d.Namespace), name)
	sym.constants = d.Namespace
	if e.Class != "" && name != "" {
		sym.constants = inner
	}
	for _, v := range e.Values {
		c := &Symbol{Name: Qualify(sym.constants, v.Name), Namespace: d.Namespace, Decl: d, Pos: v.Pos, Member: sym}
		sym.enumerators = append(sym.enumerators, c)
		into.add(c)
		if e.Class == "" && name != "" {
			into.Table[Qualify(inner, v.Name)] = c // E::A is A
		}
	}
}

func (into Declarer) declareVariables(d *parser.Decl, typ *parser.Type, vars []*parser.Init) {
	for _, v := range vars {
		if v.Declarator.Name != "" {
			into.add(&Symbol{Name: Qualify(d.Namespace, v.Declarator.Name), Namespace: d.Namespace, Decl: d, Pos: v.Pos,
				Variable: v, VarType: typ})
		}
	}
}

// defineMember gives a static member of a struct the value that its definition outside of the struct has.
func (into Declarer) defineMember(d *parser.Decl) {
	for _, v := range d.Variable.Vars {
		if v.Value == nil && v.Args == nil {
			continue
		}
		member := into.In.From(d.Namespace).Lookup(Clip(d.Variable.Scope.Path, v.Declarator.Name))
		if member != nil && member.Variable != nil && member.Variable.Value == nil && member.Variable.Args == nil {
			defined := *member.Variable
			defined.Value, defined.Args = v.Value, v.Args
			member.Variable = &defined
		}
	}
}

// local reports whether the table is that of a body.
func (into Declarer) local() bool { return into.In.Locals != nil }

// add enters a symbol; a second definition of a type is an error.
func (into Declarer) add(s *Symbol) {
	if old, ok := into.Table[s.Name]; ok {
		first := fmt.Sprintf("the first is at %s:%d:%d", old.Pos.Filename, old.Pos.Line, old.Pos.Column)
		switch {
		case s.Structure != nil && old.Structure != nil:
			into.In.Errs.Add(s.Pos, "struct %s is defined twice; %s", s.Name, first)
			return
		case s.Enum != nil && old.Enum != nil:
			into.In.Errs.Add(s.Pos, "enum %s is defined twice; %s", s.Name, first)
			return
		case s.Aliased != nil && old.Aliased == nil && old.Variable == nil && s.Aliased.names(s.Name):
			return // typedef struct P P;
		}
		if old != s && old.Decl != nil && !into.local() {
			into.In.R.Redeclared = append(into.In.R.Redeclared, Redeclaration{old, s})
		}
		if old != s && old.Variable != nil && old.Variable.Value != nil && s.Variable != nil && !into.local() {
			return // what stands between the two means the first
		}
	}
	into.Table[s.Name] = s
}
