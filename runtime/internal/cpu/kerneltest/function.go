package kerneltest

import (
	"fmt"
	"strings"
)

// function is one that can be called.
type function struct {
	name   string
	result *typ
	params []*typ
}

// functions writes functions that the kernel may call.
func (w *writer) functions() {
	w.line("void raise(thread uint& v, uint by) { if (by & 1u) v += by; else v ^= by >> 1; }")
	outer := w.vars
	for range w.random.IntN(3) {
		w.function()
	}
	if w.one(4) {
		w.template()
	}
	if w.one(12) {
		w.recursive()
	}
	w.vars = outer
}

// params begins the parameters of a function.
func (w *writer) params() (list []*typ, text string) {
	var parts []string
	for range 1 + w.random.IntN(3) {
		t, name := pick(w, allTypes...), w.name("x")
		list = append(list, t)
		parts = append(parts, t.name+" "+name)
		w.vars = append(w.vars, variable{name, t, false})
	}
	return list, strings.Join(parts, ", ")
}

// function writes a function, often with a return in the middle.
func (w *writer) function() {
	outer := w.vars
	t, name := pick(w, allTypes...), w.name("f")
	params, text := w.params()
	w.linef("%s %s(%s) {", t.name, name, text)
	w.budget = 2
	if w.one(2) {
		w.has(Function)
		w.linef("if (%s) return %s;", w.condition(1), w.expression(t, 1))
	}
	for range w.random.IntN(3) {
		w.assign()
	}
	w.linef("return %s; }", w.expression(t, 2))
	w.vars = outer
	w.callable = append(w.callable, function{name, t, params})
}

// template writes a function template with its calls.
func (w *writer) template() {
	w.has(Template)
	name := w.name("t")
	w.linef("template <typename T, int N> T %s(T a, T b) {", name)
	w.line("for (int k = 0; k < N; k++) a = a * b + T(k); return a; }")
	for range 2 {
		t := pick(w, intType, uintType, longType, floatType)
		instance := fmt.Sprintf("%s<%s, %d>", name, t.name, 1+w.random.IntN(3))
		w.callable = append(w.callable, function{instance, t, []*typ{t, t}})
	}
}

// recursive writes a function that calls itself.
func (w *writer) recursive() {
	w.has(Recursion)
	outer := w.vars
	name := w.name("g")
	w.vars = append(w.vars, variable{"n", intType, true}, variable{"a", uintType, false})
	w.linef("uint %s(int n, uint a) {", name)
	w.linef("if (n <= 0) return %s;", w.expression(uintType, 1))
	w.assign()
	w.linef("uint z = %s(n - 1, %s); return z * 3u + %s; }", name, w.expression(uintType, 1), w.expression(uintType, 1))
	w.vars = outer
	w.linef("uint %sb(uint n, uint a) { return %[1]s(int(n & 3u), a); }", name)
	w.callable = append(w.callable, function{name + "b", uintType, []*typ{uintType, uintType}})
}

// call returns a call.
func (w *writer) call(t *typ, depth int) string {
	f := pick(w, w.callable...)
	var args []string
	for _, p := range f.params {
		args = append(args, w.expression(p, depth-1))
	}
	return w.cast(f.name+"("+strings.Join(args, ", ")+")", f.result, t)
}

// lambda writes a lambda that changes a variable.
func (w *writer) lambda() {
	v, ok := w.target()
	if !ok {
		return
	}
	w.has(Lambda)
	name := w.name("l")
	w.linef("auto %s = [&](uint y) { %s = %s; return y * 3u; };", name, v.name, w.expression(v.typ, 1))
	r := w.name("v")
	w.linef("uint %s = %s(%s);", r, name, w.expression(uintType, 1))
	w.vars = append(w.vars, variable{r, uintType, false})
}

// structs writes an object whose methods change it.
func (w *writer) structs() {
	w.has(Struct)
	t, s := pick(w, intType, uintType, longType, floatType), w.name("s")
	w.linef("struct S%s { %s a; uint b; %[2]s get(uint k) const { return k & 1u ? a : %[2]s(b); } "+
		"void set(%[2]s v) { if (b > 3u) a = v; b += 1u; } };", s, t.name)
	w.linef("S%[1]s %[1]s = {%[2]s, %[3]s}; %[1]s.set(%[4]s);", s, w.expression(t, 1), w.expression(uintType, 1),
		w.expression(t, 1))
	name := w.name("v")
	w.linef("%s %s = %s.get(%s);", t.name, name, s, w.expression(uintType, 1))
	w.vars = append(w.vars, variable{name, t, false})
}
