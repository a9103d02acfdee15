package parser

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/alecthomas/participle/v2"

	"github.com/metalgen/metalgen/parser/preprocess"
)

// Tree is a parsed unit: its declarations in order.
type Tree struct {
	*preprocess.Unit
	Decls []*Decl
	// Aliases are the further names of namespaces, `namespace a = b::c`, wherever they stand.
	Aliases map[string]Path

	attributes sync.Map // text of a [[...]] -> attributeEntry

	valuesOnce sync.Once
	valueNames map[string]bool // see values

	templatesOnce sync.Once
	templates     map[string]bool // see templateNames
}

// Decl is one declaration, at the top level or, as Member.Decl, in a struct. At
// most one of Function to Variable is set; for helper functions, which are
// parsed on demand, none is. Of a template, Function is set where it is a
// kernel, and none else: see [Tree.Templated].
type Decl struct {
	Namespace []string
	Pos       Pos
	End       Pos // of the last token
	// From and To bound the declaration's tokens in Unit.Tokens; Open and
	// Close are the indexes of the braces of its body, or -1.
	From, To    int
	Open, Close int

	Template      *Template
	Instantiation *Instantiation
	Member        bool // of a struct

	Function *Function // a kernel
	Struct   *Struct
	Enum     *Enum
	Typedef  *Typedef
	Using    *Using
	Variable *Variable

	// Broken is the name of a struct or enum that could not be parsed.
	Broken string
	// Helper is the name of a function that is neither a kernel nor a template.
	Helper string
	// Scope is what the name of a Helper is qualified with, where it is a method
	// that is defined outside of its struct: the `S` of `S::f`.
	Scope *Tokens
	// Stage is "vertex" or "fragment" for a function of the graphics
	// pipeline, which metalgen leaves out.
	Stage string
}

// Parse splits a unit into declarations and parses those that bindings are
// made of.
func Parse(unit *preprocess.Unit) (*Tree, ErrorList) {
	return ParseUntil(unit, func() bool { return false })
}

// ParseUntil is [Parse] for results that may become of no use: it soon ends, with an error, where stop says so. stop is
// called now and then, from several goroutines.
func ParseUntil(unit *preprocess.Unit, stop func() bool) (*Tree, ErrorList) {
	tree := &Tree{Unit: unit}
	var errs ErrorList
	s := split(unit.Tokens, &errs)
	tree.Aliases = s.aliases
	tree.Decls = make([]*Decl, len(s.spans))
	failed := make([]error, len(s.spans))
	var stopped atomic.Bool
	inParallel(len(s.spans), func(i int) {
		if i&0xff == 0 && stop() {
			stopped.Store(true)
		}
		if !stopped.Load() {
			tree.Decls[i], failed[i] = tree.parseDecl(&s.cursor, &s.spans[i])
		}
	})
	if stopped.Load() {
		return tree, ErrorList{{Pos: Pos{Filename: unit.Files[0].Name}, Msg: "stopped"}}
	}
	for i, err := range failed {
		if err != nil {
			errs = append(errs, grammarError(err, tree.Decls[i].Pos))
		}
	}
	errs.Sort()
	return tree, errs
}

// inParallel calls f(0) ... f(n-1) on all cores.
func inParallel(n int, f func(i int)) {
	workers := min(runtime.GOMAXPROCS(0), n/8)
	if workers < 2 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		})
	}
	wg.Wait()
}

// stages are the words that make a function an entry point: those with true
// are keywords, the others mean it only as attributes, [[mesh]].
var stages = map[string]bool{"kernel": true, "vertex": true, "fragment": true, "mesh": false, "object": false}

// parseDecl parses one declaration as far as bindings need it.
func (t *Tree) parseDecl(c *cursor, s *declSpan) (*Decl, error) {
	d := &Decl{
		Namespace: s.Namespace, From: s.From, To: s.To, Open: s.Open, Close: s.Close,
		Pos: t.Tokens[s.From].Pos, End: t.Tokens[s.To-1].Pos,
	}
	if s.Head > s.From {
		var err error
		if s.Explicit {
			d.Instantiation, err = t.instantiation(c, s)
			return d, err
		}
		if d.Template, err = t.templateHead(c, s); err != nil {
			return d, err
		}
	}
	switch s.Kind {
	case declOther:
		return d, nil
	case declFunction:
		if stage := t.stage(s); stage != "kernel" {
			d.Stage = stage
			if d.Template == nil {
				d.Helper, d.Scope = functionName(t.Tokens, s), functionScope(t.Tokens, s)
			}
			return d, nil
		}
	default:
		if d.Template != nil {
			return d, nil
		}
	}
	return d, t.parseWhole(d, c, s)
}

// delimit returns a cursor over the tokens of a declaration, and the span that they
// are.
func (t *Tree) delimit(d *Decl) (*cursor, *declSpan, error) {
	c := delimiter{cursor{tokens: t.Tokens[d.From:d.To]}}
	if errs := c.matchAll(); len(errs) > 0 {
		return nil, nil, errs
	}
	s, how := c.span(len(c.tokens), false)
	if how != endWhole && how != endNoSemicolon {
		return nil, nil, endless(&c.tokens[0])
	}
	return &c.cursor, &s, nil
}

// parseWhole parses what s delimits in the tokens of a cursor, but for its template
// head.
func (t *Tree) parseWhole(d *Decl, of *cursor, s *declSpan) error {
	c := collapseDecl(of, s)
	if c.broken {
		return nil // matchBrackets has complained
	}
	if err := t.parseAttributes(c.out); err != nil {
		return err
	}
	var qualified variableName
	if s.Kind == declVariable {
		c.out = qualified.takeOff(c.out)
	}
	var err error
	var structure *Struct
	switch s.Kind {
	case declFunction:
		d.Function, err = parse(functionParser, c.out)
	case declStruct:
		var st *structStatement
		if st, err = parse(structParser, c.out); st != nil {
			d.Struct, structure = st.Struct, st.Struct
		}
	case declEnum:
		var st *enumStatement
		if st, err = parse(enumParser, c.out); st != nil {
			d.Enum = st.Enum
		}
	case declTypedef:
		var st *typedefStatement
		if st, err = parse(typedefParser, c.out); st != nil {
			if d.Typedef = st.Typedef; d.Typedef != nil {
				structure = d.Typedef.Struct
			}
		}
	case declUsing:
		var st *usingStatement
		if st, err = parse(usingParser, c.out); st != nil {
			if d.Using = st.Using; d.Using != nil {
				structure = d.Using.Struct
			}
		}
	default:
		if d.Variable, err = parse(variableParser, c.out); err == nil {
			d.Variable.Scope, d.Variable.Args = qualified.scope, qualified.args
		}
	}
	if err == nil && structure != nil {
		err = t.members(structure, c, d.From-s.From)
	}
	if err != nil {
		if s.Kind == declStruct || s.Kind == declEnum {
			d.Broken = typeNameIn(c.out)
		}
		d.Function, d.Struct, d.Enum, d.Typedef, d.Using, d.Variable = nil, nil, nil, nil, nil, nil
	}
	return err
}

// typeNameIn returns the name after struct, class, union or enum, or "".
func typeNameIn(tokens []Token) string {
	for i := 0; i+1 < len(tokens); i++ {
		word, name := &tokens[i], &tokens[i+1]
		if kind := heads[word.Text]; (kind == declStruct || kind == declEnum) && word.Kind == Ident && name.Kind == Ident {
			return name.Text
		}
	}
	return ""
}

// stage returns the word that makes a function an entry point, or "".
func (t *Tree) stage(s *declSpan) string {
	for i := s.Head; i < s.Paren; i++ {
		tok := &t.Tokens[i]
		if tok.Kind != Ident {
			continue
		}
		if keyword, ok := stages[tok.Text]; keyword || ok && i > s.Head && (t.Tokens[i-1].Is("[") || t.Tokens[i-1].Is(",")) {
			return tok.Text
		}
	}
	return ""
}

type attributeEntry struct {
	items []*Attribute
	err   error
}

// parseAttributes parses the [[...]] of a declaration. The same few texts
// recur on every parameter, so each is parsed once a unit.
func (t *Tree) parseAttributes(tokens []Token) error {
	for i := range tokens {
		tok := &tokens[i]
		if tok.Kind != kindAttributes {
			continue
		}
		entry, ok := t.attributes.Load(tok.Text)
		if !ok {
			items, err := parseAttributeText(tok)
			entry, _ = t.attributes.LoadOrStore(tok.Text, attributeEntry{items, err})
		}
		if err := entry.(attributeEntry).err; err != nil {
			return participle.Errorf(tok.Pos, "%s", err)
		}
	}
	return nil
}

func parseAttributeText(tok *Token) ([]*Attribute, error) {
	tokens, errs := preprocess.Scan("", tok.Text)
	if errs.HasErrors() {
		return nil, errors.New(errs[0].Msg)
	}
	list, err := parse(attributesParser, tokens)
	if err != nil {
		return nil, fmt.Errorf("bad attribute %s: %s", tok.Text, grammarError(err, tok.Pos).Msg)
	}
	return list.Items, nil
}

// Attributes returns the attributes in texts, which are those of a syntax node
// of this tree.
func (t *Tree) Attributes(texts ...[]string) []*Attribute {
	var all []*Attribute
	for _, group := range texts {
		for _, text := range group {
			if entry, ok := t.attributes.Load(text); ok {
				all = append(all, entry.(attributeEntry).items...)
			}
		}
	}
	return all
}
