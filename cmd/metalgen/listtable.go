package main

import (
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"text/tabwriter"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/internal/binding"
)

// writeTable shows kernels, structs and constants for people, with the line
// that each shape and grid came from.
func writeTable(w io.Writer, results []*generate.Loaded) error {
	var table strings.Builder
	tw := tabwriter.NewWriter(&table, 0, 8, 2, ' ', 0)
	for _, l := range results {
		for _, s := range l.Package.Sources {
			tableSource(tw, l, s)
			for _, k := range s.Kernels {
				tableKernel(tw, l, k)
			}
			for _, st := range s.Structs {
				fmt.Fprintf(tw, "struct %s, %s: %d bytes, aligned to %d\n", st.Name, posText(l, st.Pos), st.Size, st.Align)
				for f := range st.AllFields() {
					if !f.Storage {
						fmt.Fprintf(tw, "  %s\t%s\t%s\t%s\n", fieldOffset(f), f.Name, f.Type, f.GoType)
					}
				}
				fmt.Fprintln(tw)
			}
			if len(s.Named) > 0 {
				fmt.Fprintf(tw, "constants of %s\n", path.Join(l.Dir, s.File))
				for _, n := range s.Named {
					fmt.Fprintf(tw, "  %s\t%d\t%s\t%s\n", n.Name, n.Value, n.Go, posText(l, n.Pos))
				}
				fmt.Fprintln(tw)
			}
			if s.Constants != nil {
				fmt.Fprintf(tw, "function constants of %s\n", path.Join(l.Dir, s.File))
				for _, c := range s.Constants.Fields {
					fmt.Fprintf(tw, "  %d\t%s\t%s\t%s\n", c.Index, c.Name, c.Type, c.GoType)
				}
				fmt.Fprintln(tw)
			}
		}
		for _, k := range l.Package.LeftOut {
			fmt.Fprintf(tw, "left out: %s, %s: %s\n", k.Name, posText(l, k.Pos), k.Reason)
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := io.WriteString(w, trailingSpaces.ReplaceAllString(table.String(), ""))
	return err
}

var trailingSpaces = regexp.MustCompile(`(?m) +$`) // of empty cells

// fieldOffset returns the offset of a field, with the bits of a bit-field: "8", "8:3-7".
func fieldOffset(f *binding.Field) string {
	if f.Bits == 0 {
		return fmt.Sprint(f.Offset)
	}
	return fmt.Sprintf("%d:%d-%d", f.Offset, f.Shift, f.Shift+f.Bits-1)
}

// tableSource shows the version of the language that a source needs.
func tableSource(tw io.Writer, l *generate.Loaded, s *binding.Source) {
	fmt.Fprintf(tw, "%s needs MSL %s", path.Join(l.Dir, s.File), language(s))
	if s.Needs.What != "" {
		fmt.Fprintf(tw, ", for %s (%s)", s.Needs.What, posText(l, s.Needs.Pos))
	}
	fmt.Fprint(tw, "\n\n")
}

func tableKernel(tw io.Writer, l *generate.Loaded, k *binding.Kernel) {
	what := ""
	if k.IsFamily() {
		what = "template "
	}
	fmt.Fprintf(tw, "%s%s, %s: %s", what, k.Name, posText(l, k.Pos), goName(k))
	if k.Dropped != "" {
		fmt.Fprintf(tw, ", %s", k.Dropped)
	}
	fmt.Fprintln(tw)
	if g := k.Geometry; g != nil {
		fmt.Fprintf(tw, "  grid: %s (%s)\n", g.Text, posText(l, g.From))
	} else {
		fmt.Fprintln(tw, "  grid: nothing states it; callers set it")
	}
	for _, r := range k.Requires {
		fmt.Fprintf(tw, "  require: %s (%s)\n", r.Text, posText(l, r.Pos))
	}
	for _, a := range k.Args {
		if kind := listedKinds[a.Kind]; kind.word != "" {
			fmt.Fprintf(tw, "  %s %d\t%s\t%s\t%s\t%s\n",
				kind.word, a.Index, a.Name, a.Declared(), a.Kind.Field(a), stated(l, a))
		}
	}
	for _, v := range k.Variants {
		types := make([]string, len(v.Signature.Types))
		for i, t := range v.Signature.Types {
			types[i] = t.String()
		}
		fmt.Fprintf(tw, "  variant\t%s\t%s\t%s\n", v.Name, v.Go, strings.Join(types, ", "))
	}
	fmt.Fprintln(tw)
}

// goName returns the Go function's name, with its type parameters.
func goName(k *binding.Kernel) string {
	if len(k.TypeParams) == 0 {
		return k.Go
	}
	names := make([]string, len(k.TypeParams))
	for i, p := range k.TypeParams {
		names[i] = p.Go
	}
	return k.Go + "[" + strings.Join(names, ", ") + "]"
}

// stated returns what the source states of an argument's length, and where.
func stated(l *generate.Loaded, a *binding.Arg) string {
	switch {
	case a.AnyLength:
		return fmt.Sprintf("any length (%s)", posText(l, a.ShapeFrom))
	case a.Shape == nil:
		return ""
	}
	return fmt.Sprintf("[%s] (%s)", a.Stated, posText(l, a.ShapeFrom))
}
