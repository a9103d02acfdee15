package randomtest

import (
	"fmt"
	"slices"
	"strings"
)

// mode is how an argument is passed.
type mode int

const (
	byValue    mode = iota
	byConstant      // a constant reference, for an array a pointer to constants
	byReference
	inBraces // a value of just that type
)

type parameter struct {
	typ  *typ
	mode mode
}

// function is what a program can call.
type function struct {
	call      string // how a call is written: $o is the object, $a the arguments
	params    []parameter
	result    *typ   // nil: none
	of        *typ   // the class of a method
	space     string // of the object, if the method changes it
	pure      bool   // nothing that the caller sees changes
	simple    bool   // the call is the construction of an object
	reference bool   // the result is what a call of it can be assigned to
	weight    int
}

// maxWeight bounds the statements of a program with all calls inlined.
const maxWeight = 250

// callOf returns a call of a pure function whose result suits.
func (w *writer) callOf(suits func(*typ) bool, depth int) (string, bool) {
	f, text := w.callAny(depth, func(f *function) bool { return f.pure && suits(f.result) })
	return text, f != nil
}

// callAny returns a call of one of the functions that suit, or nil if there is none. Where
// depth ends, only the simple ones do.
func (w *writer) callAny(depth int, suits func(*function) bool) (*function, string) {
	var list []*function
	for _, f := range w.functions {
		if suits(f) && (f.simple || depth > 0 && !w.plain && w.weight+f.weight <= maxWeight) {
			list = append(list, f)
		}
	}
	for len(list) > 0 {
		i := w.random.IntN(len(list))
		if text, ok := w.call(list[i], depth-1); ok {
			return list[i], text
		}
		list = slices.Delete(list, i, i+1)
	}
	return nil, ""
}

// call returns a call; it reports false where nothing in scope can be its object, or what
// a reference refers to.
func (w *writer) call(f *function, depth int) (string, bool) {
	text, object := f.call, ""
	if f.of != nil {
		o, ok := w.receiver(f, depth)
		if !ok {
			return "", false
		}
		if object = o; o == "(*this)" {
			text = strings.Replace(text, "$o.", pick(w, "$o.", "this->", ""), 1)
		}
	}
	var list []string
	for _, p := range f.params {
		a, ok := w.argument(p, depth)
		if !ok {
			return "", false
		}
		list = append(list, a)
	}
	w.weight += f.weight
	return strings.NewReplacer("$o", object, "$a", strings.Join(list, ", ")).Replace(text), true
}

func (w *writer) receiver(f *function, depth int) (string, bool) {
	// a derived class may have operators that hide those of its base
	named := strings.HasPrefix(f.call, "$o.")
	p, ok := w.place(f.of, func(p place) bool {
		return (f.pure || !p.fixed && p.space == f.space) && (named || !p.sliced)
	})
	if ok && (!f.pure || !w.one(6)) {
		return p.text, true
	}
	if !f.pure || depth <= 0 {
		return "", false
	}
	return w.object(f.of, depth-1), true
}

func (w *writer) argument(p parameter, depth int) (string, bool) {
	switch {
	case p.mode == byReference:
		at, ok := w.place(p.typ, referable("thread"))
		return at.text, ok
	case p.typ.form == array && p.mode == inBraces:
		return w.braces(p.typ, depth), true
	case p.typ.form == array:
		at, ok := w.place(p.typ, readable("thread"))
		return at.text, ok
	case p.mode == byConstant && !w.one(3):
		if at, ok := w.place(p.typ, readable("thread")); ok {
			return at.text, true
		}
		return w.exact(p.typ, depth), true
	case p.mode == byValue && p.typ.form == record && depth > 0 && w.one(4):
		for _, f := range w.functions {
			if f.result == p.typ && f.call == p.typ.name+"($a)" && len(f.params) == 1 && f.params[0].typ.isScalar() {
				return w.exact(f.params[0].typ, depth-1), true // which becomes an object
			}
		}
		fallthrough
	case p.mode == byValue:
		return w.expression(p.typ, depth), true
	}
	return w.exact(p.typ, depth), true
}

// braces returns the initial value of an array.
func (w *writer) braces(t *typ, depth int) string {
	var list []string
	for range t.n {
		list = append(list, w.exact(t.elem, min(depth, 1)))
	}
	return "{" + strings.Join(list, ", ") + "}"
}

// parameters returns some parameters, with their declarations, and puts them in scope.
func (w *writer) parameters(n int, pure bool, names ...string) ([]parameter, string) {
	var list []parameter
	var texts []string
	for i := range n {
		p := parameter{typ: w.valueType()}
		if w.one(3) {
			p.mode = byConstant
		}
		if !pure && (i == 0 || w.one(2)) {
			p.mode = byReference
		}
		if w.one(6) {
			p = parameter{w.array(pick(w, intType, shortType, floatType), 4), max(p.mode, byConstant)}
		}
		name := w.name("a")
		if i < len(names) && w.one(3) {
			name = names[i]
		}
		texts = append(texts, w.parameter(p, name))
		list = append(list, p)
	}
	return list, strings.Join(texts, ", ")
}

// parameter puts a parameter in scope and returns its declaration.
func (w *writer) parameter(p parameter, name string) string {
	v := place{text: name, typ: p.typ, space: "thread", fixed: p.mode == byConstant, level: w.level}
	w.hide(name)
	w.scope = append(w.scope, v)
	prefix := ""
	switch p.mode {
	case byConstant:
		prefix = pick(w, "const thread ", "thread const ")
	case byReference:
		prefix = "thread "
	case byValue:
		if w.one(8) {
			w.scope[len(w.scope)-1].fixed = true
			prefix = "const "
		}
		return prefix + p.typ.declare(name)
	}
	if p.typ.form == array {
		return prefix + p.typ.elem.name + "* " + name
	}
	return prefix + p.typ.name + "& " + name
}

// hide takes what a new name hides out of scope.
func (w *writer) hide(name string) {
	w.scope = slices.DeleteFunc(slices.Clone(w.scope), func(p place) bool { return p.text == name })
}

// valueType returns a type that functions take and return.
func (w *writer) valueType() *typ {
	switch n := w.random.IntN(10); {
	case n < 4 && len(w.records) > 0:
		return pick(w, w.records...)
	case n < 6:
		return pick(w, vectors...)
	case n < 8:
		return pick(w, w.kinds...)
	}
	return pick(w, intType, intType, uintType, floatType, longType)
}

// inner writes something that has variables and places for leaving of its own, and
// forgets them.
func (s *statements) inner(result *typ, budget int, write func()) {
	outer, before := *s, *s.w
	s.w.scope = slices.Clone(s.w.scope)
	s.result, s.exits, s.breaks, s.continues = result, true, false, false
	s.w.level++
	s.budget, s.w.weight = budget, 0
	write()
	before.names, before.arrays = s.w.names, s.w.arrays
	*s, *s.w = outer, before
}

// body returns the statements of a function, the last of which returns its result.
func (s *statements) body(depth int) []*piece {
	list := s.list(depth, 4)
	if s.result != nil {
		list = append(list, line("return "+s.returned()+";"))
	}
	return list
}

func (s *statements) returned() string {
	if s.w.one(2) {
		return s.w.exact(s.result, 2)
	}
	return s.w.expression(s.result, 2)
}

// function writes a function.
func (d *declarations) function() *piece {
	name := d.w.name("f")
	f := &function{pure: d.w.one(2), result: d.w.valueType(), call: name + "($a)"}
	head := ""
	var param *typ
	var p *piece
	d.s.inner(f.result, 6, func() {
		if d.w.one(3) {
			param = d.templateParameters()
			head = templateHead
			if d.w.one(2) {
				d.s.result, f.result = param, param
			}
		}
		params, text := d.w.parameters(1+d.w.random.IntN(3), f.pure)
		f.params = params
		p = block(fmt.Sprintf("%s%s %s(%s)", head, f.result.name, name, text), d.s.body(3), "")
		f.weight = 1 + d.w.weight
	})
	if param == nil {
		d.w.functions = append(d.w.functions, f)
	} else {
		d.functionInstances(f, name, param)
	}
	return p
}
