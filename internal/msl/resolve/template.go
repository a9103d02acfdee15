package resolve

import (
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// templates are those of a program.
type templates struct {
	Named   map[string][]*Template // by qualified name; of functions there may be several
	Kernels map[*Template]*tree.KernelTemplate
	drafts  int
	Locals  int // structs of bodies, lambdas included
}

func newTemplates() *templates {
	return &templates{Named: map[string][]*Template{}, Kernels: map[*Template]*tree.KernelTemplate{}}
}

// Template is a template of the source, or a specialisation of one.
//
// What an instance declares lives in a namespace of its own, X<float, 4>, within
// that of the template. The parameters are names there too, so that whoever
// resolves a type or a constant needs to know nothing of templates.
type Template struct {
	Name      string // qualified
	Namespace []string
	Decl      *parser.Decl
	Head      *parser.Template
	Special   []*Template // specialisations, explicit and partial, of a class or variable
	instances map[string]*instance
	Functions map[string]*Function // of a function template
	Method    *Class               // whose member it is, or nil
	library   bool                 // of the library: the source has specialisations only
	whole     *parser.Decl         // the declaration after the head, once parsed
	wholeErr  error
}

// instance is a template with its arguments.
type instance struct {
	Template  *Template
	chosen    *Template // template, or the specialisation that it is made of
	Args      []TemplateArg
	namespace []string // its own
	symbol    *Symbol  // of a class, an alias or a variable
}

// TemplateArg is an argument of a template with what the resolver knows of it.
type TemplateArg struct {
	tree.TemplateArg
	enum     *tree.Type      // of a Value of an enum
	object   *tree.Construct // a constant of a struct's type
	target   *NameArg
	template *Template
	Pack     []TemplateArg // the elements, where isPack is set
	IsPack   bool
}

// TypeArg is an argument that is a type.
func TypeArg(t *tree.Type) TemplateArg { return TemplateArg{TemplateArg: tree.TemplateArg{Type: t}} }

// valueArg is an argument that is a number.
func valueArg(v tree.Value) TemplateArg { return TemplateArg{TemplateArg: tree.TemplateArg{Value: &v}} }

// NameArg is a function that an argument names, as seen from where it is written.
type NameArg struct {
	Name      *parser.Name
	Namespace []string
}

// key is a text that no two arguments share.
func (f *Facts) key(a TemplateArg) string {
	switch {
	case a.IsPack:
		return f.KeyOf(a.Pack)
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
func (f *Facts) typeKey(t *tree.Type) string {
	switch t.Kind {
	case tree.Scalar:
		if t.Atomic || types.Special(t) != "" {
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
		if n := f.Class(t.Struct).Serial; n > 0 {
			return t.Name + "#" + strconv.Itoa(n)
		}
	}
	return t.Name
}

// KeyOf is a text that no two lists of arguments share.
func (f *Facts) KeyOf(args []TemplateArg) string {
	keys := make([]string, len(args))
	for i, a := range args {
		keys[i] = f.key(a)
	}
	return "<" + strings.Join(keys, ", ") + ">"
}

// declareTemplate enters a template, or adds a specialisation to its template.
func (into Declarer) declareTemplate(d *parser.Decl, namespace []string) {
	h := d.Template
	if h.Name == "" || h.Kind == parser.OtherTemplate {
		return
	}
	if h.Scope != nil {
		if h.Kind != parser.FunctionTemplate {
			return // a member's template: its uses name the declaration
		}
		namespace = Clip(namespace, JoinTokens(h.Scope)) // of a namespace, or of a struct
	}
	t := &Template{Name: Qualify(namespace, h.Name), Namespace: namespace, Decl: d, Head: h,
		instances: map[string]*instance{}}
	list := into.In.R.Templates.Named[t.Name]
	if h.Args != nil && len(list) == 0 && h.Kind != parser.FunctionTemplate {
		list = []*Template{into.libraryTemplate(t)}
		into.In.R.Templates.Named[t.Name] = list
	}
	if h.Args != nil && len(list) > 0 && h.Kind != parser.FunctionTemplate {
		list[0].Special = append(list[0].Special, t)
		return
	}
	if len(list) > 0 && h.Kind != parser.FunctionTemplate && list[0].Head.Kind == h.Kind {
		// A declaration before the definition says what the defaults are.
		if d.Open >= 0 && list[0].Decl.Open < 0 {
			t.Special = list[0].Special
			inheritDefaults(h, list[0].Head)
			list[0] = t
		}
		return
	}
	into.In.R.Templates.Named[t.Name] = append(list, t)
}

// libraryTemplate stands for a template of the library where the source has a
// specialisation.
func (into Declarer) libraryTemplate(special *Template) *Template {
	head := &parser.Template{Pos: special.Head.Pos, Kind: special.Head.Kind, Name: special.Head.Name}
	for range special.Head.Args.Args {
		head.Params = append(head.Params, &parser.TemplateParam{Pos: head.Pos})
	}
	return &Template{Name: special.Name, Namespace: special.Namespace, Decl: special.Decl, Head: head, library: true,
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

// TemplatesNamed finds the templates of a name as seen from a namespace. Of
// functions there may be several.
func (in Env) TemplatesNamed(path parser.Path) []*Template {
	path = in.R.Unaliased(path)
	if rest, ok := path.Rooted(); ok {
		in.Namespace, path = nil, rest
	}
	if len(path) == 1 || path[0] != "metal" {
		if list := templatesIn(in, strings.Join(path, "::")); list != nil {
			return list
		}
	}
	if len(path) > 1 && (path[0] == "metal" || path[0] == "std") {
		if list := in.R.Templates.Named[strings.Join(path, "::")]; list != nil {
			return list
		}
		if last := path[len(path)-1]; typeTraits[last] != nil || valueTraits[last] != nil {
			return nil // and not what hides it around here
		}
		if list := templatesIn(in, strings.Join(path[1:], "::")); list != nil {
			return list
		}
		path = path[1:]
	}
	if len(path) == 1 && !in.Hides(path) {
		if t := sequenceTemplate(in, path[0]); t != nil {
			return []*Template{t}
		}
	}
	return nil
}

func templatesIn(in Env, name string) []*Template {
	for n := len(in.Namespace); n >= 0; n-- {
		if list, _ := Under(in.R.Templates.Named, in.Namespace[:n], name); list != nil {
			return list
		}
	}
	for _, used := range in.R.Used {
		if list := in.R.Templates.Named[used+"::"+name]; list != nil {
			return list
		}
	}
	return nil
}

// ClassNamed finds the class, alias or variable template of a name.
func (in Env) ClassNamed(path parser.Path) *Template {
	if len(path) == 1 {
		if s := in.Lookup(path); s != nil && s.template != nil {
			return s.template
		}
	}
	list := in.TemplatesNamed(path)
	switch {
	case len(list) == 0:
		return nil
	case list[0].Head.Kind != parser.FunctionTemplate:
		return list[0]
	case len(path) == 1 && list[0].constructs():
		return in.From(list[0].Namespace[:len(list[0].Namespace)-1]).ClassNamed(path)
	}
	return nil
}

// constructs reports whether a template is that of a constructor, which goes by the name of its class (C++14 12.1).
func (t *Template) constructs() bool {
	if len(t.Namespace) == 0 {
		return false
	}
	class, _, _ := strings.Cut(t.Namespace[len(t.Namespace)-1], "<")
	return class == t.Head.Name
}

// Declaration parses what is after the head.
func (t *Template) Declaration(r *Resolver) (*parser.Decl, error) {
	if t.whole == nil && t.wholeErr == nil {
		if t.Decl.Function != nil {
			t.whole = t.Decl
		} else {
			t.whole, t.wholeErr = r.Syntax.declaration(t.Decl)
		}
	}
	return t.whole, t.wholeErr
}

// own is the namespace of an instance.
func (t *Template) own(f *Facts, args []TemplateArg) []string {
	name := t.Name
	if i := strings.LastIndex(t.Name, "::"); i >= 0 {
		name = t.Name[i+len("::"):]
	}
	name += f.KeyOf(args)
	if t.Head.Kind == parser.FunctionTemplate || t.Head.Args != nil {
		name += "#" + strconv.Itoa(t.Decl.From) // overloads and specialisations have parameters of their own
	}
	return append(slices.Clip(t.Namespace), name)
}

// ConversionTarget is the type after the word operator.
func (t *Template) ConversionTarget(r *Resolver) []parser.Token {
	tokens := r.Source.Tokens[t.Decl.From:t.Decl.To]
	for i := range tokens {
		if tokens[i].Is("operator") {
			for j := i + 1; j < len(tokens); j++ {
				if tokens[j].Is("(") {
					return tokens[i+1 : j]
				}
			}
		}
	}
	return nil
}

// Function is the head of a function template.
func (t *Template) Function(r *Resolver) (*parser.Function, error) {
	d, err := t.Declaration(r)
	if err != nil {
		return nil, err
	}
	return d.Function, nil
}
