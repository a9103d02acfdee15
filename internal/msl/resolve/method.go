package resolve

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// Private reports whether a struct has a private member of a name, and no friends.
func (r *Resolver) Private(st *Class, name string) bool {
	hidden, found := st.Syntax.Tag == "class", false
	for _, m := range st.Syntax.Members {
		switch {
		case m.Access != "":
			hidden = m.Access == "private"
		case m.Decl != nil && isFriend(r.Source, m.Decl):
			return false
		case m.Decl != nil:
			found = found || hidden && MethodName(m.Decl) == name
		case m.Field != nil:
			named := func(v *parser.Init) bool { return DeclaredName(v.Declarator) == name }
			found = found || hidden && slices.ContainsFunc(m.Field.Vars, named)
		}
	}
	return found
}

// Constructors lists those of a struct.
func (r *Resolver) Constructors(st *Class) Callee { return r.MethodsIn(st, st.PlainName()) }

// Provided reports whether the source writes a constructor itself and does not
// leave it to the compiler.
func (r *Resolver) Provided(f *Function) bool {
	tokens := r.Source.Tokens[f.Decl.From:f.Decl.To]
	n := len(tokens)
	return n < 3 || f.Decl.Open >= 0 || !tokens[n-2].Is("default") && !tokens[n-2].Is("delete")
}

// MethodsIn lists the methods of a name that a struct itself has. Constructors go
// by the name of the struct.
func (r *Resolver) MethodsIn(st *Class, name string) Callee {
	if st.Syntax == nil {
		return Callee{}
	}
	if found, ok := st.methods[name]; ok {
		return found
	}
	var found Callee
	for _, m := range st.Syntax.Members {
		d := m.Decl
		switch {
		case d == nil, isFriend(r.Source, d):
		case d.Template == nil && d.Helper == name:
			found.Functions = append(found.Functions,
				&Function{Decl: d, Namespace: st.Namespace, Name: st.Name + "::" + name, Method: st})
		case d.Template != nil && d.Template.Kind == parser.FunctionTemplate && d.Template.Name == name &&
			len(d.Template.Params) > 0:
			found.Templates = append(found.Templates, &Template{
				Name: st.Name + "::" + name, Namespace: st.Namespace, Decl: d, Head: d.Template, Method: st,
				instances: map[string]*instance{},
			})
		}
	}
	for _, m := range st.Syntax.Members {
		if m.Using != nil && len(m.Using.Rest) > 0 && m.Using.Rest[len(m.Using.Rest)-1] == name {
			r.addOfBase(st, m.Using, name, &found)
		}
	}
	r.addOutside(st, name, &found)
	if st.methods == nil {
		st.methods = map[string]Callee{}
	}
	st.methods[name] = found
	return found
}

// addOfBase adds the methods that `using Base::name` brings.
func (r *Resolver) addOfBase(st *Class, u *parser.Using, name string, found *Callee) {
	for base := range BasesFirst(st.Struct) {
		k := r.Facts.Class(base)
		plain := k.PlainName()
		if base != st.Struct && (plain == u.Name || slices.Contains(u.Rest, plain)) {
			found.Add(r.MethodsIn(k, name))
		}
	}
}

// isFriend reports whether a function within a struct is only a friend of it.
func isFriend(source *parser.Tree, d *parser.Decl) bool {
	for i := d.From; i < d.To && i != d.Open; i++ {
		switch t := &source.Tokens[i]; {
		case t.Is("friend"):
			return true
		case t.Is("("):
			return false
		}
	}
	return false
}

// FriendsIn lists the functions of a name that a struct defines as friends. Only
// their arguments lead to them.
func (r *Resolver) FriendsIn(st *Class, name string) Callee {
	var found Callee
	if st.Syntax == nil {
		return found
	}
	if found, ok := st.friends[name]; ok {
		return found
	}
	for _, m := range st.Syntax.Members {
		d := m.Decl
		switch {
		case d == nil || d.Open < 0 || !isFriend(r.Source, d):
		case d.Template == nil && d.Helper == name:
			found.Functions = append(found.Functions, &Function{Decl: d, Namespace: st.Namespace, Name: name,
				Friend: true})
		case d.Template != nil && d.Template.Kind == parser.FunctionTemplate && d.Template.Name == name &&
			len(d.Template.Params) > 0:
			found.Templates = append(found.Templates,
				&Template{Name: Qualify(st.Namespace, name), Namespace: st.Namespace, Decl: d, Head: d.Template,
					instances: map[string]*instance{}})
		}
	}
	if st.friends == nil {
		st.friends = map[string]Callee{}
	}
	st.friends[name] = found
	return found
}

// Methods finds the methods of a name in a struct or, where it has none, in its
// bases. owner is the struct that has them.
func (r *Resolver) Methods(st *Class, name string) (found Callee, owner *Class) {
	for s := range BasesFirst(st.Struct) {
		k := r.Facts.Class(s)
		if found := r.MethodsIn(k, name); !found.Empty() {
			return found, k
		}
	}
	return Callee{}, nil
}

// IsStatic reports whether a method has no object.
func IsStatic(syntax *parser.Function) bool { return slices.Contains(syntax.Result.Pre, "static") }

// MethodName is the name of the function that a member of a struct is, or "".
func MethodName(d *parser.Decl) string {
	switch {
	case d == nil:
		return ""
	case d.Template != nil && d.Template.Kind == parser.FunctionTemplate:
		return d.Template.Name
	}
	return d.Helper
}

// IsThisParam reports whether a variable is the object of a method.
func IsThisParam(v *tree.Var) bool { return v.Param && v.Name == "this" }
