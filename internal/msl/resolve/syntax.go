package resolve

import "github.com/metalgen/metalgen/parser"

// syntaxCache holds what has been parsed of a program on demand. The instances of
// a template, and the methods of those of a class, share their syntax.
type syntaxCache struct {
	source    *parser.Tree
	types     map[span]parsed[*parser.TypeName]
	functions map[*parser.Decl]parsed[*parser.Function]
	whole     map[*parser.Decl]parsed[*parser.Decl]
	Bodies    map[*parser.Decl]parsedBody
}

// span is a part of the source: its first token and how many there are.
type span struct {
	first *parser.Token
	n     int
}

type parsed[T any] struct {
	value T
	err   error
}

type parsedBody struct {
	Block *parser.Block
	Errs  parser.ErrorList
}

func newSyntaxCache(source *parser.Tree) *syntaxCache {
	return &syntaxCache{
		source: source,
		types:  map[span]parsed[*parser.TypeName]{}, functions: map[*parser.Decl]parsed[*parser.Function]{},
		whole: map[*parser.Decl]parsed[*parser.Decl]{}, Bodies: map[*parser.Decl]parsedBody{},
	}
}

// cached returns what parse has returned for a key before.
func cached[K comparable, T any](m map[K]parsed[T], key K, parse func() (T, error)) (T, error) {
	x, ok := m[key]
	if !ok {
		x.value, x.err = parse()
		m[key] = x
	}
	return x.value, x.err
}

// Type parses a type that is written by itself.
func (c *syntaxCache) Type(tokens []parser.Token) (*parser.TypeName, error) {
	if len(tokens) < 2 { // costs less than to remember it
		return parser.ParseType(tokens)
	}
	return cached(c.types, span{&tokens[0], len(tokens)},
		func() (*parser.TypeName, error) { return parser.ParseType(tokens) })
}

// Function parses the head of a function.
func (c *syntaxCache) Function(d *parser.Decl) (*parser.Function, error) {
	return cached(c.functions, d, func() (*parser.Function, error) { return c.source.ParseFunction(d) })
}

// declaration parses the declaration after the head of a template.
func (c *syntaxCache) declaration(d *parser.Decl) (*parser.Decl, error) {
	if d.Template != nil && d.Template.Kind == parser.FunctionTemplate && d.Function == nil {
		whole := *d
		var err error
		whole.Function, err = c.Function(d)
		return &whole, err
	}
	return cached(c.whole, d, func() (*parser.Decl, error) { return c.source.Templated(d) })
}
