package msl

import (
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// templates are those of a program.
type templates struct {
	named   map[string][]*template // by qualified name; of functions there may be several
	kernels map[*template]*tree.KernelTemplate
	drafts  int
	locals  int // structs of bodies, lambdas included
}

func newTemplates() *templates {
	return &templates{named: map[string][]*template{}, kernels: map[*template]*tree.KernelTemplate{}}
}

// template is a template of the source, or a specialisation of one.
//
// What an instance declares lives in a namespace of its own, X<float, 4>, within
// that of the template. The parameters are names there too, so that whoever
// resolves a type or a constant needs to know nothing of templates.
type template struct {
	name      string // qualified
	namespace []string
	decl      *parser.Decl
	head      *parser.Template
	special   []*template // specialisations, explicit and partial, of a class or variable
	instances map[string]*instance
	functions map[string]*function // of a function template
	method    *class               // whose member it is, or nil
	library   bool                 // of the library: the source has specialisations only
	whole     *parser.Decl         // the declaration behind the head, once parsed
	wholeErr  error
}

// instance is a template with its arguments.
type instance struct {
	template  *template
	chosen    *template // template, or the specialisation that it is made of
	args      []templateArg
	namespace []string // its own
	symbol    *symbol  // of a class, an alias or a variable
}

// templateArg is an argument of a template with what the resolver knows of it.
type templateArg struct {
	tree.TemplateArg
	enum     *tree.Type      // of a Value of an enum
	object   *tree.Construct // a constant of a struct's type
	target   *nameArg
	template *template
	pack     []templateArg // the elements, where isPack is set
	isPack   bool
}

// typeArg is an argument that is a type.
func typeArg(t *tree.Type) templateArg { return templateArg{TemplateArg: tree.TemplateArg{Type: t}} }

// valueArg is an argument that is a number.
func valueArg(v tree.Value) templateArg { return templateArg{TemplateArg: tree.TemplateArg{Value: &v}} }

// plainArgs are arguments as others see them.
func plainArgs(args []templateArg) []tree.TemplateArg {
	list := make([]tree.TemplateArg, len(args))
	for i, a := range args {
		list[i] = a.TemplateArg
		if a.isPack {
			list[i].Name = strings.Trim(argList(a.pack), "<>")
		}
	}
	return list
}

// nameArg is a function that an argument names, as seen from where it is written.
type nameArg struct {
	name      *parser.Name
	namespace []string
}

// key is a text that no two arguments share.
func (f *facts) key(a templateArg) string {
	switch {
	case a.isPack:
		return f.keyOf(a.pack)
	case a.Type != nil:
		return f.typeKey(a.Type)
	case a.Value != nil && a.enum != nil:
		return a.enum.Name + "(" + a.Value.String() + ")"
	case a.Value != nil:
		return a.Value.String()
	}
	return a.Name
}

// typeKey is one text for all names that a type goes by.
func (f *facts) typeKey(t *tree.Type) string {
	switch t.Kind {
	case tree.Scalar:
		if t.Atomic || special(t) != "" {
			return t.Name
		}
		return t.Scalar.String()
	case tree.Pointer, tree.Reference:
		s := t.Space + " " + f.typeKey(t.Elem) + map[tree.Kind]string{tree.Pointer: "*", tree.Reference: "&"}[t.Kind]
		if t.Const {
			s = "const " + s
		}
		return s
	case tree.Qualified:
		return t.String()
	case tree.Array:
		return f.typeKey(t.Elem) + "[" + strconv.Itoa(t.Len) + "]"
	case tree.StructType:
		if n := f.class(t.Struct).serial; n > 0 {
			return t.Name + "#" + strconv.Itoa(n)
		}
	}
	return t.Name
}

func (f *facts) keyOf(args []templateArg) string {
	keys := make([]string, len(args))
	for i, a := range args {
		keys[i] = f.key(a)
	}
	return "<" + strings.Join(keys, ", ") + ">"
}

// declareTemplate enters a template, or adds a specialisation to its template.
func (into declarer) declareTemplate(d *parser.Decl, namespace []string) {
	h := d.Template
	if h.Name == "" || h.Kind == parser.OtherTemplate {
		return
	}
	if h.Scope != nil {
		if h.Kind != parser.FunctionTemplate {
			return // a member's template: its uses name the declaration
		}
		namespace = clip(namespace, joinTokens(h.Scope)) // of a namespace, or of a struct
	}
	t := &template{name: qualify(namespace, h.Name), namespace: namespace, decl: d, head: h,
		instances: map[string]*instance{}}
	list := into.templates.named[t.name]
	if h.Args != nil && len(list) == 0 && h.Kind != parser.FunctionTemplate {
		list = []*template{into.libraryTemplate(t)}
		into.templates.named[t.name] = list
	}
	if h.Args != nil && len(list) > 0 && h.Kind != parser.FunctionTemplate {
		list[0].special = append(list[0].special, t)
		return
	}
	if len(list) > 0 && h.Kind != parser.FunctionTemplate && list[0].head.Kind == h.Kind {
		// A declaration before the definition says what the defaults are.
		if d.Open >= 0 && list[0].decl.Open < 0 {
			t.special = list[0].special
			inheritDefaults(h, list[0].head)
			list[0] = t
		}
		return
	}
	into.templates.named[t.name] = append(list, t)
}

// libraryTemplate stands for a template of the library of which the source has a
// specialisation.
func (into declarer) libraryTemplate(special *template) *template {
	head := &parser.Template{Pos: special.head.Pos, Kind: special.head.Kind, Name: special.head.Name}
	for range special.head.Args.Args {
		head.Params = append(head.Params, &parser.TemplateParam{Pos: head.Pos})
	}
	return &template{name: special.name, namespace: special.namespace, decl: special.decl, head: head, library: true,
		instances: map[string]*instance{}}
}

// inheritDefaults takes over the default arguments of an earlier declaration.
func inheritDefaults(to, from *parser.Template) {
	for i := range min(len(to.Params), len(from.Params)) {
		if to.Params[i].Default == nil {
			to.Params[i].Default = from.Params[i].Default
		}
	}
}

// templatesNamed finds the templates of a name as seen from a namespace. Of
// functions there may be several.
func (in env) templatesNamed(path parser.Path) []*template {
	path = in.unaliased(path)
	if rest, ok := path.Rooted(); ok {
		in.namespace, path = nil, rest
	}
	if len(path) == 1 || path[0] != "metal" {
		if list := in.templatesIn(strings.Join(path, "::")); list != nil {
			return list
		}
	}
	if len(path) > 1 && (path[0] == "metal" || path[0] == "std") {
		if list := in.templates.named[strings.Join(path, "::")]; list != nil {
			return list
		}
		if last := path[len(path)-1]; typeTraits[last] != nil || valueTraits[last] != nil {
			return nil // and not what hides it around here
		}
		if list := in.templatesIn(strings.Join(path[1:], "::")); list != nil {
			return list
		}
		path = path[1:]
	}
	if len(path) == 1 && !in.hides(path) {
		if t := in.sequenceTemplate(path[0]); t != nil {
			return []*template{t}
		}
	}
	return nil
}

func (in env) templatesIn(name string) []*template {
	for n := len(in.namespace); n >= 0; n-- {
		if list, _ := under(in.templates.named, in.namespace[:n], name); list != nil {
			return list
		}
	}
	for _, used := range in.used {
		if list := in.templates.named[used+"::"+name]; list != nil {
			return list
		}
	}
	return nil
}

// classNamed finds the class, alias or variable template of a name.
func (in env) classNamed(path parser.Path) *template {
	if len(path) == 1 {
		if s := in.lookup(path); s != nil && s.template != nil {
			return s.template
		}
	}
	list := in.templatesNamed(path)
	switch {
	case len(list) == 0:
		return nil
	case list[0].head.Kind != parser.FunctionTemplate:
		return list[0]
	case len(path) == 1 && list[0].constructs():
		return in.from(list[0].namespace[:len(list[0].namespace)-1]).classNamed(path)
	}
	return nil
}

// constructs reports whether a template is that of a constructor, which goes by the name of its class (C++14 12.1).
func (t *template) constructs() bool {
	if len(t.namespace) == 0 {
		return false
	}
	class, _, _ := strings.Cut(t.namespace[len(t.namespace)-1], "<")
	return class == t.head.Name
}

// declaration parses what is behind the head.
func (t *template) declaration(r *resolver) (*parser.Decl, error) {
	if t.whole == nil && t.wholeErr == nil {
		if t.decl.Function != nil {
			t.whole = t.decl
		} else {
			t.whole, t.wholeErr = r.syntax.declaration(t.decl)
		}
	}
	return t.whole, t.wholeErr
}

// own is the namespace of an instance.
func (t *template) own(f *facts, args []templateArg) []string {
	name := t.name
	if i := strings.LastIndex(t.name, "::"); i >= 0 {
		name = t.name[i+len("::"):]
	}
	name += f.keyOf(args)
	if t.head.Kind == parser.FunctionTemplate || t.head.Args != nil {
		name += "#" + strconv.Itoa(t.decl.From) // overloads and specialisations have parameters of their own
	}
	return append(slices.Clip(t.namespace), name)
}
