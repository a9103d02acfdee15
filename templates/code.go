package templates

import (
	"strings"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

// The emitters compose jennifer's statements so that they render with the spaces
// that gofmt wants: jennifer puts one space between the items of a statement, and
// call, literal and the like are its groups with gofmt's punctuation.

// call is fun(args).
func call(fun string, args ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: fun + "(", Close: ")", Separator: ", "}, args...)
}

// literal is typ{values} on one line.
func literal(typ string, values ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: typ + "{", Close: "}", Separator: ", "}, values...)
}

// lines is typ{values} with a line for each value.
func lines(typ string, values ...jen.Code) *jen.Statement {
	return jen.Custom(jen.Options{Open: typ + "{", Close: "}", Separator: ",", Multi: true}, values...)
}

// keyed is key: value.
func keyed(key, value string) jen.Code { return jen.Id(key + ": " + value) }

// funcDecl is func name(params) result with a body; result may be "".
func funcDecl(name string, params []jen.Code, result string, body []jen.Code) *jen.Statement {
	f := jen.Func().Add(call(name, params...))
	if result != "" {
		f.Id(result)
	}
	return f.Block(body...)
}

// assign is name = value.
func assign(name string, value jen.Code) jen.Code {
	return jen.Id(name).Op("=").Add(value)
}

// structure is type name struct with groups of fields, a blank line between them.
func structure(name string, groups ...[]row) jen.Code {
	var fields []jen.Code
	for _, g := range groups {
		if len(fields) > 0 && len(g) > 0 {
			fields = append(fields, jen.Line())
		}
		fields = append(fields, align(g)...)
	}
	return jen.Type().Id(name).Id("struct").Block(fields...)
}

// group is a declaration of several things, or of one without parentheses.
func group(keyword *jen.Statement, specs []row) jen.Code {
	if len(specs) == 1 {
		return keyword.Add(align(specs)...)
	}
	return keyword.Defs(align(specs)...)
}

// row is a line of a declaration block: cells that line up with those of the
// lines above and below. A comment is a cell like others.
type row []string

// align pads cells as gofmt does: a cell that another follows on its line is as
// wide as the widest in the run of consecutive lines that have such a cell.
func align(rows []row) []jen.Code {
	code := make([]jen.Code, len(rows))
	var runs []run // by column
	for i, r := range rows {
		line := &jen.Statement{}
		for column, cell := range r {
			if column+1 < len(r) {
				if column == len(runs) {
					runs = append(runs, run{})
				}
				if i >= runs[column].end {
					runs[column] = runAt(rows, i, column)
				}
				cell += strings.Repeat(" ", runs[column].width-utf8.RuneCountInString(cell))
			}
			line.Id(cell)
		}
		code[i] = line
	}
	return code
}

// run is a run of lines that end before end, with the width of a column in it.
type run struct{ end, width int }

// runAt is the run of lines for a column that begins at line i.
func runAt(rows []row, i, column int) run {
	r := run{end: i}
	for ; r.end < len(rows) && len(rows[r.end]) > column+1; r.end++ {
		r.width = max(r.width, utf8.RuneCountInString(rows[r.end][column]))
	}
	return r
}

// withComment appends text, unless it is empty, as a trailing comment.
func withComment(r row, text string) row {
	if text = oneLine(text); text != "" {
		r = append(r, "// "+text)
	}
	return r
}
