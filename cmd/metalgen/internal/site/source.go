package site

import (
	"fmt"
	"path"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/templates"
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
	Size     int
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
	file := sourceFile(d.dir, source.File)
	p := sourcePage{page: s.newPage(file, source.File), Doc: overview(d.Text(source.File)), Needs: needs(source.Needs)}
	p.Here = path.Join(d.dir, source.File)
	p.Up = []link{{s.title, p.To("index.html", "")}}
	p.Kernels = p.kernels(d, source)
	p.Constants = constants(source.Constants)
	for _, st := range source.Structs {
		p.Structs = append(p.Structs, p.structure(d, st))
	}
	for _, e := range source.Enums {
		p.Enums = append(p.Enums, newEnum(e))
	}
	p.LeftOut = d.leftOut(source.File)
	return p
}

// needs says which version of the language a source needs.
func needs(n binding.Needs) string {
	s := fmt.Sprintf("MSL %d.%d", n.Major, n.Minor)
	if n.What != "" {
		s += fmt.Sprintf(", for %s (%s)", templates.Printable(n.What), fileLine(n.Pos))
	}
	return s
}

func constants(c *binding.Constants) []constant {
	if c == nil {
		return nil
	}
	return constantsOf(c.Fields)
}

func constantsOf(list []*binding.Arg) []constant {
	var out []constant
	for _, a := range list {
		out = append(out, constant{a.Index, a.Name, a.Go, a.Type, a.Kind.Field(a), a.Optional, prose(a.Doc)})
	}
	return out
}

// structure returns what a page shows of a struct.
func (p *page) structure(d *directory, st *binding.Struct) structure {
	out := structure{
		Name: st.Name, Go: st.Go, Word: "struct", At: fileLine(st.Pos), Size: plural(st.Size, "byte"), Align: st.Align,
		Doc: paragraphs(st.Doc), Layout: newLayout(st), Href: p.declared(d, st.Go),
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
			offset, f.Name, f.Go, templates.Printable(f.Type), p.goCode(d, f.GoType.String()), f.Size, prose(f.Doc),
		})
	}
	return out
}

// declared returns what leads to the struct or enum of a Go name, "" where there is none.
func (p *page) declared(d *directory, name string) string {
	if place, ok := d.places[name]; ok {
		return p.To(place.file, place.anchor)
	}
	return ""
}

// goCode returns a line of Go in which types lead to their declarations.
func (p *page) goCode(d *directory, text string) []piece {
	return golang.lines(text, func(name string) string { return p.declared(d, name) })[0]
}

// mslCode is goCode for MSL.
func (p *page) mslCode(d *directory, text string) []piece { return p.mslLines(d, text)[0] }

// mslLines returns MSL in which types lead to their declarations.
func (p *page) mslLines(d *directory, text string) [][]piece {
	return msl.lines(text, func(name string) string {
		if place, ok := d.msl[name]; ok {
			return p.To(place.file, place.anchor)
		}
		return ""
	})
}

func newEnum(e *binding.Enum) enum {
	out := enum{Name: e.Name, Go: e.Go, At: fileLine(e.Pos), GoType: e.GoType.String(), Doc: paragraphs(e.Doc)}
	for _, v := range e.Values {
		out.Values = append(out.Values, enumValue{v.Name, v.Go, v.Value, prose(v.Doc)})
	}
	return out
}
