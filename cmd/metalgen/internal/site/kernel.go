package site

import (
	"path"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/templates"
)

// kernelPage is the page of a kernel, or of a family of them.
type kernelPage struct {
	page
	Go        string
	Family    bool
	At        link
	Simd      bool
	Doc       []paragraph
	MSL       [][]piece
	GoFunc    [][]piece
	GoArgs    [][]piece
	Args      []arg
	BuiltIns  []builtIn
	Grid      *grid
	Constants []constant
	Instances *instances
	Structs   []structure
	Source    *excerpt
}

type builtIn struct{ Name, Type, Attribute string }

// instances are the kernels of a family, with the arguments of the template in which they differ.
type instances struct {
	Params []string
	Same   []templateArg
	Rows   []instance
}

type templateArg struct{ Param, Value string }

type instance struct {
	Name, Go string
	Values   []string // for Params
}

func (s *site) kernel(d *directory, source *binding.Source, k *binding.Kernel) kernelPage {
	text := d.Text(k.Pos.Filename)
	p := kernelPage{
		page: s.newPage(d.kernels[k], k.Name), Go: k.Go, Family: k.IsFamily(), Simd: k.Simd, Doc: paragraphs(docOf(k)),
		Constants: constantsOf(k.Uses), Source: newExcerpt(k, text),
	}
	file := path.Join(d.dir, source.File)
	p.Here = file
	p.Up = []link{{s.title, p.To("index.html", "")}, {file, p.To(file+".html", "")}}
	p.At = p.Source.at(k.Pos)
	if sig := signature(k, text); sig != "" {
		p.MSL = p.mslLines(d, sig)
	}
	declared := func(name string) string { return p.declared(d, name) }
	p.GoFunc = golang.lines(d.decls[k.Go], declared)
	p.GoArgs = golang.lines(d.decls[k.Go+"Args"], declared)
	p.Grid = newGrid(k, p.Source.at)
	var shown []*binding.Struct
	for _, a := range k.Args {
		switch {
		case a.Kind == binding.Builtin:
			p.BuiltIns = append(p.BuiltIns, builtIn{a.Name, a.Type, a.Attribute})
		case a.IsPassed():
			p.Args = append(p.Args, p.newArg(d, a))
		}
		if a.Struct != nil && !slices.Contains(shown, a.Struct) {
			shown = append(shown, a.Struct)
			p.Structs = append(p.Structs, p.structure(d, a.Struct))
		}
	}
	if k.IsFamily() {
		p.Instances = newInstances(k)
	}
	return p
}

// newInstances lists the instances of a family.
func newInstances(k *binding.Kernel) *instances {
	out := &instances{}
	first := k.Variants[0].Args
	var differ []int
	for i, a := range first {
		same := !slices.ContainsFunc(k.Variants, func(v *binding.Variant) bool {
			return len(v.Args) != len(first) || v.Args[i].Value != a.Value
		})
		if same {
			out.Same = append(out.Same, templateArg{templates.Printable(a.Param), templates.Printable(a.Value)})
		} else {
			differ = append(differ, i)
			out.Params = append(out.Params, templates.Printable(a.Param))
		}
	}
	for _, v := range k.Variants {
		row := instance{Name: v.Name, Go: v.Go}
		for _, i := range differ {
			value := ""
			if i < len(v.Args) {
				value = templates.Printable(strings.TrimSpace(v.Args[i].Value))
			}
			row.Values = append(row.Values, value)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
