package msl

import (
	"slices"

	"github.com/metalgen/metalgen/parser"
)

// BodySyntax parses the bodies of the functions of a source that skip says nothing of, and returns what is wrong with
// their syntax. What the names in them mean is not looked at. skip may be nil; several sources share headers.
func (p *Program) BodySyntax(skip func(d *parser.Decl) bool) parser.ErrorList {
	p.checking.Lock()
	defer p.checking.Unlock()
	var errs parser.ErrorList
	for _, d := range p.Tree.Decls {
		if d.Open < 0 || !isFunction(d) || skip != nil && skip(d) {
			continue
		}
		in := p.resolver.At(d.Namespace)
		_, wrong := p.Tree.ParseBody(d, in.IsTypePath)
		errs = append(errs, slices.DeleteFunc(wrong, func(e *parser.Error) bool { return e.Unsupported })...)
	}
	return errs
}

// isFunction reports whether a declaration is a function, or a template of them.
func isFunction(d *parser.Decl) bool {
	return d.Function != nil || d.Helper != "" || d.Template != nil && d.Template.Kind == parser.FunctionTemplate
}

// bodySyntax parses the body of a function. What is a type in it is one in all
// instances of a template.
func bodySyntax(c *checker, d *parser.Decl) (*parser.Block, parser.ErrorList) {
	b, ok := c.r.Syntax.Bodies[d]
	if !ok {
		b.Block, b.Errs = c.r.Source.ParseBody(d, c.in.IsTypePath)
		c.r.Syntax.Bodies[d] = b
	}
	return b.Block, b.Errs
}
