// Package drift finds kernels that are not what the generated code takes them for.
//
// It takes the description of a kernel, as generated code has it, and what the embedded source says, as a device that
// compiles the source itself knows it. It returns the first difference. Package metal asks Metal's reflection the same;
// here nothing is uncertain, because generator and device read sources in the same way.
package drift

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/metalgen/metalgen/internal/frontend"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Check compares a kernel that the front end has made of the embedded source. It ends with ir.ErrStopped where stop
// says so.
func Check(k *driver.Kernel, source *tree.Kernel, from *frontend.Library, stop func() bool) error {
	program, err := from.Program(stop)
	if err != nil {
		return err
	}
	return Of(k, source, program.Constants)
}

// Of returns a *driver.DriftError for the first argument or function constant that is not what k says, and nil where
// there is none. What k has no name for is not compared: tests bind by index alone.
func Of(k *driver.Kernel, source *tree.Kernel, constants []*tree.FunctionConstant) error {
	for _, kind := range kinds {
		if err := kind.compare(k, source); err != nil {
			return err
		}
	}
	return ofConstants(k, constants)
}

// argKind is the arguments that share a table of indexes.
type argKind struct {
	name string
	of   tree.ParamKind
	args func(k *driver.Kernel) []*driver.Arg
}

var kinds = []argKind{
	{"buffer", tree.BufferParam, func(k *driver.Kernel) []*driver.Arg { return slices.Concat(k.Buffers, k.Values) }},
	{"threadgroup", tree.ThreadgroupParam, func(k *driver.Kernel) []*driver.Arg { return k.Shared }},
	{"texture", tree.TextureParam, func(k *driver.Kernel) []*driver.Arg { return k.Textures }},
	{"sampler", tree.SamplerParam, func(k *driver.Kernel) []*driver.Arg { return k.Samplers }},
}

// compare compares the arguments of a kind.
func (kind argKind) compare(k *driver.Kernel, source *tree.Kernel) error {
	args := kind.args(k)
	is := func(index int, name string) string { return fmt.Sprintf("%s %d is %s", kind.name, index, name) }
	unused := func(index int) string { return fmt.Sprintf("%s %d is not used", kind.name, index) }
	found := map[*driver.Arg]bool{}
	for _, p := range source.Params {
		if p.Kind != kind.of {
			continue
		}
		at := slices.IndexFunc(args, func(a *driver.Arg) bool { return a.Index == p.Index })
		named := slices.IndexFunc(args, func(a *driver.Arg) bool { return a.Name != "" && a.Name == p.Name })
		switch {
		case at >= 0 && (args[at].Name == p.Name || args[at].Name == "" || p.Name == ""):
			found[args[at]] = true
			if err := ofArg(k, args[at], p); err != nil {
				return err
			}
		case named >= 0:
			return of(k, args[named], is(args[named].Index, p.Name), is(p.Index, p.Name))
		case at >= 0:
			return of(k, args[at], is(p.Index, args[at].Name), is(p.Index, p.Name))
		case described(k) && !p.Optional: // one that is absent under all function constants is not described
			return of(k, &driver.Arg{}, unused(p.Index), is(p.Index, p.Name))
		}
	}
	for _, a := range args {
		if !found[a] && a.Name != "" {
			return of(k, a, is(a.Index, a.Name), unused(a.Index))
		}
	}
	return nil
}

// described reports whether k says what arguments there are.
func described(k *driver.Kernel) bool {
	return slices.ContainsFunc(kinds, func(kind argKind) bool {
		return slices.ContainsFunc(kind.args(k), func(a *driver.Arg) bool { return a.Name != "" })
	})
}

// ofArg compares an argument with the parameter that has its index.
func ofArg(k *driver.Kernel, a *driver.Arg, p *tree.Param) error {
	t, count := p.Type, 0
	if p.Kind == tree.TextureParam || p.Kind == tree.SamplerParam {
		if count = 1; t.Kind == tree.Array {
			t, count = t.Elem, t.Len
		}
	}
	switch have := t.String(); {
	case a.Type == "":
		return nil
	case a.Type != have:
		return of(k, a, "it is of type "+a.Type, "it is of type "+have)
	case a.Count != count:
		return of(k, a, fmt.Sprintf("it is an array of %d", a.Count), fmt.Sprintf("it is an array of %d", count))
	case count > 0:
		return nil // the type says it all
	case p.Kind == tree.BufferParam && a.Reads && !a.Writes && !p.Const:
		return of(k, a, "it is read only", "it is not const")
	}
	if s := p.Type.Struct; s != nil && !refers(a) {
		if err := ofFields(k, a, "", a.Fields, s); err != nil {
			return err
		}
	}
	if size := max(p.Type.Size, 1); a.Size != size {
		return of(k, a, bytesOf(a.Type, a.Size), bytesOf(a.Type, size))
	}
	return nil
}

// refers reports whether the elements of an argument are pointers, textures or samplers and no structs.
func refers(a *driver.Arg) bool { return len(a.Fields) == 1 && a.Fields[0].Name == "" }

func bytesOf(name string, size int) string { return fmt.Sprintf("%s has %d bytes", name, size) }

// ofFields compares the fields of a struct, which prefix leads to. What has unions, bit-fields or bases has no list of
// fields in generated code.
func ofFields(k *driver.Kernel, a *driver.Arg, prefix string, fields []bind.Field, s *tree.Struct) error {
	if len(fields) == 0 {
		return nil
	}
	place := func(name string, offset int) string { return fmt.Sprintf("%s%s is at byte %d", prefix, name, offset) }
	for i := range fields {
		f := &fields[i]
		at := slices.IndexFunc(s.Fields, func(m *tree.Field) bool { return m.Name == f.Name })
		if at < 0 {
			return of(k, a, place(f.Name, f.Offset), "there is no "+prefix+f.Name)
		}
		m := s.Fields[at]
		if m.Offset != f.Offset {
			return of(k, a, place(f.Name, f.Offset), place(f.Name, m.Offset))
		}
		if have := m.Type.Plain(); have != f.Type {
			return of(k, a, prefix+f.Name+" is "+f.Type, "it is "+have)
		}
		if inner := structIn(m.Type); inner != nil {
			if err := ofFields(k, a, prefix+f.Name+".", f.Fields, inner); err != nil {
				return err
			}
		}
	}
	for _, m := range s.Fields {
		if m.Name != "" && !slices.ContainsFunc(fields, func(f bind.Field) bool { return f.Name == m.Name }) {
			return of(k, a, "there is no "+prefix+m.Name, place(m.Name, m.Offset))
		}
	}
	return nil
}

// structIn returns the struct that a type is, or an array of, or nil.
func structIn(t *tree.Type) *tree.Struct {
	for t.Kind == tree.Array {
		t = t.Elem
	}
	return t.Struct
}

// ofConstants compares the function constants that the generated code knows with those of the source.
func ofConstants(k *driver.Kernel, constants []*tree.FunctionConstant) error {
	for _, a := range k.Constants {
		at := slices.IndexFunc(constants, func(c *tree.FunctionConstant) bool { return c.Index == a.Index })
		generated := fmt.Sprintf("function constant %d is %s %s", a.Index, a.Type, a.Name)
		switch {
		case a.Name == "":
		case at < 0:
			return of(k, a, generated, fmt.Sprintf("function constant %d is not used", a.Index))
		case constants[at].Name != a.Name || constants[at].Type.String() != a.Type:
			c := constants[at]
			return of(k, a, generated, fmt.Sprintf("function constant %d is %s %s", c.Index, c.Type, c.Name))
		}
	}
	return nil
}

// of returns the drift of an argument. Values have no place of their own.
func of(k *driver.Kernel, a *driver.Arg, generated, source string) error {
	return &driver.DriftError{
		Kernel: k.Name, Pos: cmp.Or(a.Pos, k.Pos), Arg: a.Name, Generated: generated, Metal: source, By: "the source",
	}
}
