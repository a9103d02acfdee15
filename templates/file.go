package templates

import (
	"bytes"
	"fmt"

	"github.com/dave/jennifer/jen"
)

// goFile is a Go file while it is being written.
type goFile struct {
	*jen.File
	tables map[string][]string // by the line that stands for the rows
}

// declare adds a declaration with its doc comment after a blank line.
func (f *goFile) declare(doc string, decl jen.Code) {
	f.Line()
	if doc != "" {
		f.Comment(doc)
	}
	f.Add(decl)
}

// table returns a slice of structs, each on a line of its own and written as gofmt formats it.
//
// gofmt prints such a row three times to find that there is nothing to do, which for the thousands of a large
// library took most of the time of all that is done here. So jennifer and gofmt see one word in place of the rows,
// and render puts the rows in its place.
func (f *goFile) table(typ string, rows []string) jen.Code {
	word := fmt.Sprintf("rows%d", len(f.tables))
	f.tables[word+",\n"] = rows
	return jen.Id(typ).Add(lines(jen.Id(word)))
}

// render returns the file as gofmt formats it.
func (f *goFile) render(name string) (File, error) {
	var formatted, out bytes.Buffer
	if err := f.Render(&formatted); err != nil {
		return File{}, err
	}
	for line := range bytes.Lines(formatted.Bytes()) {
		text := bytes.TrimLeft(line, "\t")
		rows, ok := f.tables[string(text)]
		if !ok {
			out.Write(line)
			continue
		}
		indent := line[:len(line)-len(text)]
		for _, row := range rows {
			out.Write(indent)
			out.WriteString("{" + row + "},\n")
		}
	}
	return File{Name: name, Data: out.Bytes()}, nil
}
