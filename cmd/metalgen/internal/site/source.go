package site

import (
	"fmt"
	"path"

	"github.com/metalgen/metalgen/internal/binding"
)

// sourcePage is the page of a source: its kernels, and all that they share.
type sourcePage struct {
	page
	Doc       []paragraph
	Needs     string // the version of the language
	Kernels   []indexKernel
	Constants []constant
	Structs   []structure
	Enums     []enum
	LeftOut   []leftOut
}

// constant is a function constant.
type constant struct {
	Index    int
	Name, Go string
	Type     string
	GoType   string
	Default  bool // the source has one
	Doc      []span
}

// structure is a struct or union.
type structure struct {
	Name, Go string
	Href     string // of the page that declares it, on other pages
	Word     string
	At       string
	Size     string
	Align    int
	Doc      []paragraph
	Layout   *layout
	Fields   []field
}

type field struct {
	Offset   string
	Name, Go string
	Type     string
	GoType   []piece
	Doc      []span
}

type enum struct {
	Name, Go string
	At       string
	GoType   string
	Doc      []paragraph
	Values   []enumValue
}

type enumValue struct {
	Name, Go string
	Value    string
	Doc      []span
}

func (s *site) source(d *directory, source *binding.Source) sourcePage {
	file := sourceFile(d.Dir, source.File)
	p := sourcePage{page: s.newPage(d, file, source.File), Doc: docOfSource(d, source), Needs: needs(source.Needs)}
	p.Here = path.Join(d.Dir, source.File)
	p.Up = []link{{s.title, p.To("index.html", "")}}
	p.Kernels = p.kernels(d, source)
	if source.Constants != nil {
		p.Constants = constants(source.Constants.Fields)
	}
	for _, st := range source.Structs {
		p.Structs = append(p.Structs, p.structure(st))
	}
	for _, e := range source.Enums {
		p.Enums = append(p.Enums, p.enum(e))
	}
	p.LeftOut = d.leftOut(source.File)
	return p
}

// needs says which version of the language a source needs.
func needs(n binding.Needs) string {
	s := fmt.Sprintf("MSL %d.%d", n.Major, n.Minor)
	if n.What != "" {
		s += fmt.Sprintf(", for %s (%s)", n.What, binding.FileLine(n.Pos))
	}
	return s
}

func constants(list []*binding.Arg) []constant {
	var out []constant
	for _, a := range list {
		out = append(out, constant{a.Index, a.Name, a.Go, a.Type, a.Kind.Field(a), a.Optional, prose(a.Doc)})
	}
	return out
}

// structure returns what a page shows of a struct.
func (p *page) structure(st *binding.Struct) structure {
	out := structure{
		Name: st.Name, Go: st.Go, Href: p.declared(st.Go), Word: "struct", At: binding.FileLine(st.Pos),
		Size: plural(st.Size, "byte"), Align: st.Align, Doc: paragraphs(st.Doc, p.kernelCalled), Layout: newLayout(st),
	}
	if st.Union {
		out.Word = "union"
	}
	for f := range st.AllFields() {
		if f.Storage {
			continue
		}
		offset := fmt.Sprint(f.Offset)
		if f.Bits > 0 {
			offset += fmt.Sprintf(":%d–%d", f.Shift, f.Shift+f.Bits-1)
		}
		out.Fields = append(out.Fields, field{
			offset, f.Name, f.Go, f.Type, p.goCode(f.GoType.String())[0], prose(f.Doc),
		})
	}
	return out
}

func (p *page) enum(e *binding.Enum) enum {
	out := enum{Name: e.Name, Go: e.Go, At: binding.FileLine(e.Pos), GoType: e.GoType.String()}
	out.Doc = paragraphs(e.Doc, p.kernelCalled)
	for _, v := range e.Values {
		out.Values = append(out.Values, enumValue{v.Name, v.Go, v.Value, prose(v.Doc)})
	}
	return out
}
