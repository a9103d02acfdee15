package text

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/template"
)

// Expand writes a template: lines with {d} for the result, {a} {b} {c} for operands, where {a} is a register, {n} for a
// number, and {r1}, {l2} and so on for registers of the template's own, by their class. < and > stand for PTX's braces.
func (w *Writer) Expand(template, d string, operands []string, n int64) {
	own := map[string]string{}
	var out strings.Builder
	for rest := template; rest != ""; {
		open := strings.IndexByte(rest, '{')
		if open < 0 {
			out.WriteString(rest)
			break
		}
		end := open + strings.IndexByte(rest[open:], '}')
		out.WriteString(rest[:open])
		out.WriteString(w.placeholder(rest[open+1:end], d, operands, n, own))
		rest = rest[end+1:]
	}
	text := strings.NewReplacer("<", "{", ">", "}").Replace(strings.TrimSpace(out.String()))
	for line := range strings.SplitSeq(text, "\n") {
		if line = strings.TrimSpace(line); strings.HasSuffix(line, ":") {
			w.Place(strings.TrimSuffix(line, ":"))
		} else {
			w.Op("%s", line)
		}
	}
}

func (w *Writer) placeholder(name, d string, operands []string, n int64, own map[string]string) string {
	switch name {
	case "d":
		return d
	case "a", "b", "c":
		return operands[name[0]-'a']
	case "n":
		return fmt.Sprint(n)
	case "exp2", "loge", "log2", "log10", "2/pi":
		return w.mathTable(name)
	}
	if r, ok := own[name]; ok {
		return r
	}
	r := ""
	if name[0] == 'L' {
		r = w.Label()
	} else {
		r = w.Fresh(ClassOfRegister("%" + name))
	}
	own[name] = r
	return r
}

// mathTable returns the name of a table of package template, which it declares the first time.
func (w *Writer) mathTable(name string) string {
	symbol := "table_" + strings.TrimPrefix(name, "2/")
	if w.Begins(symbol) {
		typ, list := template.Table(name)
		w.Declare(".global .align 16 .%s %s[%d] = {%s};", typ, symbol, len(list), strings.Join(list, ", "))
	}
	return symbol
}
