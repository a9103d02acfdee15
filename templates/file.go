package templates

import (
	"bytes"
	"strconv"

	"github.com/dave/jennifer/jen"
)

// goFile is a Go file while it is being written.
//
// What is written as gofmt formats it, and takes gofmt long, is kept away from it: jennifer and gofmt see one line
// in place of it, and render puts it where that line is.
type goFile struct {
	*jen.File
	kept map[string][]string // by the line that stands for the lines
}

// keep returns a name that stands for some lines: with the text around it, it is a line of its own.
func (f *goFile) keep(before, after string, lines ...string) string {
	name := "kept" + strconv.Itoa(len(f.kept))
	f.kept[before+name+after+"\n"] = lines
	return before + name
}

// declare adds a declaration with its doc comment after a blank line.
func (f *goFile) declare(doc string, decl jen.Code) {
	f.Line()
	if doc != "" {
		f.Comment(f.keep("// ", "", doc))
	}
	f.Add(decl)
}

// table returns a slice of structs, each on a line of its own and written as gofmt formats it.
//
// gofmt prints such a row three times to find that there is nothing to do, which for the thousands of a large
// library took most of the time of all that is done here.
func (f *goFile) table(typ string, rows []string) jen.Code {
	kept := make([]string, len(rows))
	for i, row := range rows {
		kept[i] = "{" + row + "},"
	}
	return jen.Id(typ).Add(lines(jen.Id(f.keep("", ",", kept...))))
}

// render returns the file as gofmt formats it.
func (f *goFile) render(name string) (File, error) {
	var formatted, out bytes.Buffer
	if err := f.Render(&formatted); err != nil {
		return File{}, err
	}
	for line := range bytes.Lines(formatted.Bytes()) {
		text := bytes.TrimLeft(line, "\t")
		kept, ok := f.kept[string(text)]
		if !ok {
			out.Write(line)
			continue
		}
		indent := line[:len(line)-len(text)]
		for _, k := range kept {
			out.Write(indent)
			out.WriteString(k)
			out.WriteByte('\n')
		}
	}
	return File{Name: name, Data: out.Bytes()}, nil
}
