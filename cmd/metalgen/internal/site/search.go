package site

import (
	"encoding/json"
	"path"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/templates"
)

// What the search finds, and what stands beside each page, is in found.js, as one array. Its keys are short because
// every kernel has them.
type (
	foundFile struct {
		File    string        `json:"f"`
		Page    string        `json:"u"`
		Kernels []foundKernel `json:"k"`
		Structs []foundType   `json:"s,omitempty"` // and enums
	}
	foundKernel struct {
		Name     string   `json:"n"`
		Go       string   `json:"g"`
		Page     string   `json:"u"`
		Doc      string   `json:"d,omitempty"`
		Variants []string `json:"v,omitempty"`
	}
	foundType struct {
		Name string `json:"n"`
		Go   string `json:"g"`
	}
)

// found returns the script that declares what can be found. JSON with <, > and & escaped is JavaScript that may stand
// anywhere.
func (s *site) found() ([]byte, error) {
	all := []foundFile{}
	at := page{}
	for _, d := range s.dirs {
		for _, source := range d.Package.Sources {
			f := foundFile{File: path.Join(d.Dir, source.File), Page: at.To(sourceFile(d.Dir, source.File), "")}
			f.File = templates.Printable(f.File)
			for _, k := range source.Kernels {
				f.Kernels = append(f.Kernels, newFound(k, at.To(d.kernels[k], "")))
			}
			for _, st := range source.Structs {
				f.Structs = append(f.Structs, foundType{templates.Printable(st.Name), st.Go})
			}
			for _, e := range source.Enums {
				f.Structs = append(f.Structs, foundType{templates.Printable(e.Name), e.Go})
			}
			all = append(all, f)
		}
	}
	data, err := json.Marshal(all)
	if err != nil {
		return nil, err
	}
	return append(append([]byte("const found = "), data...), ";\n"...), nil
}

func newFound(k *binding.Kernel, page string) foundKernel {
	out := foundKernel{
		Name: templates.Printable(k.Name), Go: k.Go, Page: page, Doc: templates.Printable(synopsis(docOf(k))),
	}
	for _, v := range k.Variants {
		out.Variants = append(out.Variants, templates.Printable(v.Name))
	}
	return out
}
