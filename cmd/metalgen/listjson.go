package main

import (
	"fmt"
	"path"
	"slices"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/internal/binding"
)

// The JSON of `metalgen list -json`. Its keys are an interface: programs read
// them.
type (
	jsonList struct {
		Kernels   []jsonKernel  `json:"kernels"`
		Structs   []jsonStruct  `json:"structs"`
		Constants []any         `json:"constants"`       // function constants
		Named     []jsonNamed   `json:"named,omitempty"` // constants of the Go packages
		Sources   []jsonSource  `json:"sources,omitempty"`
		LeftOut   []jsonLeftOut `json:"left_out,omitempty"`
	}
	// jsonSource is a source, with the least version of the language that it needs, and the
	// first use of what needs it; none where it does with the oldest that is known.
	jsonSource struct {
		File     string `json:"file"`
		Language string `json:"language"`
		Needs    string `json:"needs,omitempty"`
		From     string `json:"from,omitempty"`
	}
	// jsonKernel is a Go function: of a kernel, or of a family of them, which has
	// Variants. The name of a family is the template's.
	jsonKernel struct {
		Name      string        `json:"name"`
		HostName  string        `json:"host_name,omitempty"` // where the source has one
		Go        string        `json:"go"`
		GoRule    string        `json:"go_rule,omitempty"` // what Go lacks of the name
		File      string        `json:"file"`
		Line      int           `json:"line"`
		Args      []any         `json:"args"` // see listarg.go
		Grid      *jsonGrid     `json:"grid,omitempty"`
		Require   []jsonRequire `json:"require,omitempty"`   // what calls have to meet
		Simd      bool          `json:"simd,omitempty"`      // it counts on simd-groups of 32 threads
		Constants []string      `json:"constants,omitempty"` // names of those that it uses
		Variants  []jsonVariant `json:"variants,omitempty"`
	}
	jsonNamed struct {
		Name  string `json:"name"`
		Go    string `json:"go"`
		Value int64  `json:"value"`
		File  string `json:"file"`
		Line  int    `json:"line"`
	}
	jsonVariant struct {
		HostName string            `json:"host_name"`
		Go       string            `json:"go"`
		File     string            `json:"file"`
		Line     int               `json:"line"`
		Template map[string]string `json:"template"`       // arguments by parameter
		Args     []any             `json:"args,omitempty"` // those that differ from the family's
	}
	// jsonLeftOut is a kernel that is not bound.
	jsonLeftOut struct {
		Name   string `json:"name"`
		Reason string `json:"reason"`
		File   string `json:"file"`
		Line   int    `json:"line"`
	}
	jsonGrid struct {
		Threadgroups [3]string  `json:"threadgroups"`
		Threads      [3]string  `json:"threads"`
		Size         *[3]string `json:"size,omitempty"` // exact, in threads
		Any          bool       `json:"any,omitempty"`  // any other grid computes the same
		From         string     `json:"from"`
	}
	jsonRequire struct {
		Need string `json:"need"` // as the source writes it
		From string `json:"from"`
	}
	jsonStruct struct {
		Name   string      `json:"name"`
		File   string      `json:"file"`
		Line   int         `json:"line"`
		Size   int         `json:"size"`
		Align  int         `json:"align"`
		Fields []jsonField `json:"fields"`
	}
	jsonField struct {
		Name   string `json:"name"` // "" of what the struct inherits
		Type   string `json:"type"`
		Offset int    `json:"offset"`
		Size   int    `json:"size"`
		Bits   int    `json:"bits,omitempty"`  // of a bit-field: its width
		Shift  int    `json:"shift,omitempty"` // and its lowest bit in the type at offset
	}
)

// listing puts all directories into one list; files below the first directory
// have its name before theirs.
func listing(results []*generate.Loaded) jsonList {
	out := jsonList{Kernels: []jsonKernel{}, Structs: []jsonStruct{}, Constants: []any{}}
	for _, l := range results {
		for _, s := range l.Package.Sources {
			out.Sources = append(out.Sources, listSource(l, s))
			for _, k := range s.Kernels {
				out.Kernels = append(out.Kernels, listKernel(l, k))
			}
			for _, st := range s.Structs {
				out.Structs = append(out.Structs, listStruct(l, st))
			}
			for _, n := range s.Named {
				out.Named = append(out.Named, jsonNamed{n.Name, n.Go, n.Value, path.Join(l.Dir, n.Pos.Filename), n.Pos.Line})
			}
			if s.Constants != nil {
				for _, c := range s.Constants.Fields {
					out.Constants = append(out.Constants, listedKinds[c.Kind].json(c))
				}
			}
		}
		for _, k := range l.Package.LeftOut {
			out.LeftOut = append(out.LeftOut, jsonLeftOut{k.Name, k.Reason, path.Join(l.Dir, k.Pos.Filename), k.Pos.Line})
		}
	}
	return out
}

func listSource(l *generate.Loaded, s *binding.Source) jsonSource {
	out := jsonSource{File: path.Join(l.Dir, s.File), Language: language(s), Needs: s.Needs.What}
	if s.Needs.What != "" {
		out.From = posText(l, s.Needs.Pos)
	}
	return out
}

// language returns the version that a source needs: "3.1".
func language(s *binding.Source) string { return fmt.Sprintf("%d.%d", s.Needs.Major, s.Needs.Minor) }

func listKernel(l *generate.Loaded, k *binding.Kernel) jsonKernel {
	out := jsonKernel{
		Name: k.Name, Go: k.Go, GoRule: k.Dropped, File: path.Join(l.Dir, k.Pos.Filename), Line: k.Pos.Line,
		Simd: k.Simd, Args: []any{},
	}
	if k.HostName {
		out.HostName = k.Name
	}
	for _, a := range k.Args {
		if kind, ok := listedKinds[a.Kind]; ok {
			out.Args = append(out.Args, kind.json(a))
		}
	}
	for _, c := range k.Uses {
		out.Constants = append(out.Constants, c.Name)
	}
	for _, v := range k.Variants {
		out.Variants = append(out.Variants, listVariant(l, k, v))
	}
	if g := k.Geometry; g != nil {
		out.Grid = &jsonGrid{
			Threadgroups: texts(g.Threadgroups), Threads: texts(g.Threads), Any: g.Any, From: posText(l, g.From),
		}
		if g.Size != nil {
			size := texts(*g.Size)
			out.Grid.Size = &size
		}
	}
	for _, r := range k.Requires {
		out.Require = append(out.Require, jsonRequire{r.Text, posText(l, r.Pos)})
	}
	return out
}

func listVariant(l *generate.Loaded, k *binding.Kernel, v *binding.Variant) jsonVariant {
	out := jsonVariant{
		HostName: v.Name, Go: v.Go, File: path.Join(l.Dir, v.Pos.Filename), Line: v.Pos.Line,
		Template: map[string]string{},
	}
	for _, a := range v.Args {
		out.Template[a.Param] = a.Value
	}
	for _, a := range differing(k, v.Signature) {
		out.Args = append(out.Args, listedKinds[a.Kind].json(a))
	}
	return out
}

// differing returns the arguments of a signature that the variants of a family differ in.
func differing(k *binding.Kernel, s *binding.Signature) []*binding.Arg {
	var list []*binding.Arg
	for i, a := range k.Args {
		differs := func(other *binding.Signature) bool { return other.Args[i].Type != s.Args[i].Type }
		if a.IsPassed() && slices.ContainsFunc(k.Signatures, differs) {
			list = append(list, s.Args[i])
		}
	}
	return list
}

func listStruct(l *generate.Loaded, s *binding.Struct) jsonStruct {
	out := jsonStruct{
		Name: s.Name, File: path.Join(l.Dir, s.Pos.Filename), Line: s.Pos.Line, Size: s.Size, Align: s.Align,
		Fields: []jsonField{},
	}
	for f := range s.AllFields() {
		if !f.Storage {
			out.Fields = append(out.Fields, jsonField{f.Name, f.Type, f.Offset, f.Size, f.Bits, f.Shift})
		}
	}
	return out
}

func texts(e [3]binding.Expr) [3]string {
	return [3]string{binding.Text(e[0]), binding.Text(e[1]), binding.Text(e[2])}
}

func posText(l *generate.Loaded, p binding.Pos) string {
	return path.Join(l.Dir, binding.FileLine(p))
}
