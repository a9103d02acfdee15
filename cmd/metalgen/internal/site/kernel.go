package site

import (
	"path"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
)

// kernelPage is the page of a kernel, or of a family of them.
type kernelPage struct {
	page
	At        link
	Simd      bool
	Doc       []paragraph
	MSL       [][]piece
	Go        [][]piece
	Args      []arg
	BuiltIns  []string // attributes
	Grid      *grid
	Requires  []requirement
	Constants []constant
	Instances *instances
	Structs   []structure
	Source    *excerpt
}

// requirement is a condition that calls have to meet, and the line that says so.
type requirement struct {
	Text string
	From link
}

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
	p := kernelPage{
		page: s.newPage(d, d.kernels[k], k.Name), Simd: k.Simd, Constants: constants(k.Uses), Source: d.excerpt(k),
	}
	p.Doc = paragraphs(docOf(k), p.kernelCalled)
	file := path.Join(d.Dir, source.File)
	p.Here = file
	p.Up = []link{{s.title, p.To("index.html", "")}, {file, p.To(file+".html", "")}}
	p.At = p.Source.at(k.Pos)
	if text := signature(k, d.Text(k.Pos.Filename)); text != "" {
		p.MSL = p.mslCode(text)
	}
	p.Go = p.goCode(d.declarationsOf(k))
	p.Grid = newGrid(k, p.Source.at)
	for _, r := range k.Requires {
		p.Requires = append(p.Requires, requirement{r.Text, p.Source.at(r.Pos)})
	}
	var shown []*binding.Struct
	for _, a := range k.Args {
		switch {
		case a.Kind == binding.Builtin:
			p.BuiltIns = append(p.BuiltIns, a.Attribute)
		case a.IsPassed():
			p.Args = append(p.Args, p.newArg(a))
		}
		if a.Struct != nil && !a.Generic() && !a.Differs && !slices.Contains(shown, a.Struct) {
			shown = append(shown, a.Struct)
			p.Structs = append(p.Structs, p.structure(a.Struct))
		}
	}
	if k.IsFamily() {
		p.Instances = newInstances(k)
	}
	return p
}

// declarationsOf returns the Go declarations that a call of a kernel is made of.
func (d *directory) declarationsOf(k *binding.Kernel) string {
	names := []string{k.Go, k.Go + "Args", k.Go + "Grid"}
	for _, t := range k.TypeParams {
		names = append(names, t.Constraint)
	}
	var all []string
	for _, name := range names {
		if text, ok := d.decls[name]; ok {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
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
			out.Same = append(out.Same, templateArg{a.Param, a.Value})
		} else {
			differ = append(differ, i)
			out.Params = append(out.Params, a.Param)
		}
	}
	for _, v := range k.Variants {
		row := instance{Name: v.Name, Go: v.Go}
		for _, i := range differ {
			value := ""
			if i < len(v.Args) {
				value = v.Args[i].Value
			}
			row.Values = append(row.Values, value)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}
