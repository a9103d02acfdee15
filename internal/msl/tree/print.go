package tree

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/parser"
)

// Print writes a function as text that resembles MSL, with the constants of the program and the functions that it
// uses, in the order of the source. All that the language does by itself is spelled out: 1:uint is a constant, float(x)
// a conversion, float4{x, y} a construction, <T> the type of what a declaration declares, and x *= y in T an assignment
// that computes in T.
func Print(f *Func) string {
	u := &used{functions: []*Func{f}}
	for i := 0; i < len(u.functions); i++ { // uses may add functions
		WalkStatements(u.functions[i].Body.List, u.note, func(*DeclStmt) {})
	}
	slices.SortStableFunc(u.constants, func(a, b *Var) int { return inOrder(a.Pos, b.Pos) })
	slices.SortStableFunc(u.functions, func(a, b *Func) int { return inOrder(a.Pos, b.Pos) })
	var b strings.Builder
	for _, v := range u.constants {
		fmt.Fprintf(&b, "%s\n\n", Line(&DeclStmt{Var: v, Init: v.Init}))
	}
	for i, f := range u.functions {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s ", f.Signature())
		(&printer{Builder: &b, step: "\t"}).block(f.Body.List)
		b.WriteString("\n")
	}
	return b.String()
}

// Line writes statements as Print does, but in one line.
func Line(list ...Stmt) string {
	p := &printer{Builder: &strings.Builder{}}
	for i, s := range list {
		if i > 0 {
			p.put("; ")
		}
		p.put(s)
	}
	return p.String()
}

// Signature returns the name of a function with its parameters and the type of its result.
func (f *Func) Signature() string {
	params := make([]string, len(f.Params))
	for i, v := range f.Params {
		params[i] = v.Name + " " + v.declared()
	}
	return f.Name + "(" + strings.Join(params, ", ") + ") " + f.Result.Spelled()
}

// declared is a variable's type with what else there is to say of it.
func (v *Var) declared() string {
	text := v.Type.Spelled()
	if v.Const {
		text = "const " + text
	}
	if v.Space != "thread" {
		text = v.Space + " " + text
	}
	if v.Ref {
		text += "&"
	}
	if v.Addressed {
		text += " addressed"
	}
	return text
}

// inOrder compares positions, as slices.SortFunc wants it.
func inOrder(a, b parser.Pos) int {
	return cmp.Or(cmp.Compare(a.Filename, b.Filename), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// used is what a function uses.
type used struct {
	functions []*Func
	constants []*Var
}

func (u *used) note(e Expr) {
	switch x := e.(type) {
	case *Call:
		if x.Func.Body != nil && !slices.Contains(u.functions, x.Func) {
			u.functions = append(u.functions, x.Func)
		}
	case *VarRef:
		if x.Var.Init != nil && !slices.Contains(u.constants, x.Var) {
			u.constants = append(u.constants, x.Var)
			Walk(x.Var.Init, u.note)
		}
	}
}

// printer writes statements, in lines that are indented by steps, or without a step in one.
type printer struct {
	*strings.Builder
	step  string
	depth int
}

// put writes what strings, types, expressions and statements are as text.
func (p *printer) put(parts ...any) {
	for _, part := range parts {
		switch x := part.(type) {
		case nil: // a part of a statement that is left out
		case string:
			p.WriteString(x)
		case *Type:
			p.WriteString(x.Spelled())
		case []Expr:
			for i, e := range x {
				if i > 0 {
					p.WriteString(", ")
				}
				p.expr(e)
			}
		case Expr:
			p.expr(x)
		case Stmt:
			p.statement(x)
		}
	}
}

// begin begins a line, or what is in the same line.
func (p *printer) begin() {
	if p.step == "" {
		p.put(" ")
		return
	}
	p.put("\n", strings.Repeat(p.step, p.depth))
}

// list writes statements of a block or a case.
func (p *printer) list(list []Stmt) {
	p.depth++
	for i, s := range list {
		if i > 0 && p.step == "" {
			p.put(";")
		}
		p.begin()
		p.statement(s)
	}
	p.depth--
}

func (p *printer) block(list []Stmt) {
	p.put("{")
	p.list(list)
	p.begin()
	p.put("}")
}

func (p *printer) statement(s Stmt) {
	switch s := s.(type) {
	case *Block:
		p.block(s.List)
	case *DeclStmt:
		p.put(s.Var.Name, "<", s.Var.declared(), ">")
		if s.Init != nil {
			p.put(" = ", s.Init)
		}
	case *ExprStmt:
		p.put(s.X)
	case *If:
		p.put("if ", s.Cond, " ", s.Then)
		if s.Else != nil {
			p.put(" else ", s.Else)
		}
	case *Loop:
		p.loop(s)
	case *Switch:
		p.choice(s)
	case *Break:
		p.put("break")
	case *Continue:
		p.put("continue")
	case *Return:
		p.put("return")
		if s.X != nil {
			p.put(" ", s.X)
		}
	default:
		fmt.Fprintf(p, "?%T", s)
	}
}

func (p *printer) loop(s *Loop) {
	if s.PostTested {
		p.put("do ", s.Body, " while ", s.Cond)
		return
	}
	p.put("loop (")
	for i, init := range s.Init {
		if i > 0 {
			p.put("; ")
		}
		p.put(init)
	}
	p.put("; ", s.Cond, "; ", s.Post, ") ", s.Body)
}

func (p *printer) choice(s *Switch) {
	p.put("switch ", s.X, " {")
	for _, k := range s.Cases {
		p.begin()
		p.put("case")
		for _, v := range k.Values {
			p.put(" ", v.String())
		}
		if k.Default {
			p.put(" default")
		}
		p.put(":")
		p.list(k.List)
		if p.step == "" {
			p.put(";")
		}
	}
	p.begin()
	p.put("}")
}
