package randomtest

import (
	"fmt"
	"slices"
	"strings"
)

const templateHead = "template <typename T, int N> "

// templateParameters puts the parameters of a template in scope and returns the type.
func (d *declarations) templateParameters() *typ {
	param := &typ{name: "T", bits: 8}
	d.w.kinds = append(slices.Clone(d.w.kinds), param, param, param)
	d.w.scope = append(slices.Clone(d.w.scope), place{text: "N", typ: intType, fixed: true})
	return param
}

// instance is what an instance of a template has instead of the parameters.
type instance struct {
	w         *writer
	arguments string
	types     map[*typ]*typ
}

func (d *declarations) instance(param *typ) instance {
	kind := pick(d.w, integers[:9]...) // all but bool, which is not to be decremented
	return instance{d.w, fmt.Sprintf("<%s,%d>", kind.name, d.w.random.IntN(9)-2), map[*typ]*typ{param: kind}}
}

func (in instance) typ(t *typ) *typ {
	if to := in.types[t]; to != nil {
		return to
	}
	if t.form == array {
		return in.w.array(in.typ(t.elem), t.n)
	}
	return t
}

func (in instance) function(f *function) *function {
	g := *f
	g.result = in.typ(f.result)
	if f.of != nil {
		g.of = in.typ(f.of)
	}
	g.params = slices.Clone(f.params)
	for i := range g.params {
		g.params[i].typ = in.typ(g.params[i].typ)
	}
	return &g
}

// functionInstances makes instances of a template of functions.
func (d *declarations) functionInstances(f *function, name string, param *typ) {
	for range 1 + d.w.random.IntN(2) {
		in := d.instance(param)
		g := in.function(f)
		g.call = name + in.arguments + "($a)"
		d.w.functions = append(d.w.functions, g)
	}
}

// classInstances takes a template of classes, the last record, with its functions, and
// makes instances of it.
func (d *declarations) classInstances(t, param *typ, functions int) {
	made := d.w.functions[functions:]
	d.w.functions = slices.Clip(d.w.functions[:functions])
	d.w.records = slices.Clip(d.w.records[:len(d.w.records)-1])
	for range 1 + d.w.random.IntN(2) {
		in := d.instance(param)
		class := *t
		class.name += in.arguments
		in.types[t] = &class
		class.fields = slices.Clone(t.fields)
		for i := range class.fields {
			class.fields[i].typ = in.typ(class.fields[i].typ)
		}
		d.w.records = append(d.w.records, &class)
		for _, f := range made {
			g := in.function(f)
			if g.of == nil {
				g.call = class.name + strings.TrimPrefix(g.call, t.name)
			}
			d.w.functions = append(d.w.functions, g)
		}
	}
}
