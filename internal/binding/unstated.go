package binding

import (
	"fmt"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/skim"
	"github.com/metalgen/metalgen/parser"
)

// Unstated returns a warning for each source with kernels whose grid nothing states, or
// with buffers whose shape nothing states. It shows the annotations that would. Libraries
// have thousands of such kernels, so it counts them, and names the first.
func (p *Package) Unstated() parser.ErrorList {
	var errs parser.ErrorList
	for _, s := range p.Sources {
		var grids, shapes unstated
		for _, k := range s.Kernels {
			if k.Geometry == nil {
				annotation := "metalgen:grid (x, y, z)"
				if k.grouped {
					annotation = "metalgen:threadgroups (x, y, z) with metalgen:threads (x, y, z)"
				}
				grids.add(k, annotation)
				if grids.seen == nil {
					grids.seen = k.seen
				}
			}
			for _, a := range k.Args {
				if a.Kind == Buffer && a.Pointer && a.Shape == nil && !a.AnyLength && a.Name != "" {
					shapes.add(k, "metalgen:shape "+a.Name+" [length]")
					if shapes.seen == nil {
						shapes.seen = a.seen
					}
				}
			}
		}
		first := grids.first
		if first == nil || shapes.first != nil && comparePos(shapes.first.Pos, first.Pos) < 0 {
			first = shapes.first
		}
		if first == nil {
			continue
		}
		list := grids.text("the grid of a kernel", "the grids of %d kernels", first)
		list = append(list, shapes.text("the shape of a buffer", "the shapes of %d buffers", first)...)
		errs.Warn(first.Pos, "nothing states %s; -quiet ends this warning", strings.Join(list, " or "))
	}
	errs.Sort() // and a header's kernels once
	return errs
}

// unstated counts what nothing states, and has the first such kernel.
type unstated struct {
	count      int
	first      *Kernel
	annotation string
	seen       *skim.SeenGuard // the first that was seen and states nothing, or nil
}

func (u *unstated) add(k *Kernel, annotation string) {
	if u.count++; u.first == nil {
		u.first, u.annotation = k, annotation
	}
}

// text returns what is not stated, of one or of many, with the annotation that would. It
// stands above the kernel at which the warning points, or above another that it names.
func (u *unstated) text(one, many string, at *Kernel) []string {
	switch {
	case u.count == 0:
		return nil
	case u.count > 1:
		one = fmt.Sprintf(many, u.count)
	}
	above := ""
	if u.first != at {
		above = " above " + u.first.Name
	}
	seen := ""
	if g := u.seen; g != nil {
		seen = fmt.Sprintf("; line %d: `%s` %s", g.Pos.Line, g.Text, g.Why)
		if g.Pos.Filename != at.Pos.Filename {
			seen = fmt.Sprintf("; %s:%d: `%s` %s", g.Pos.Filename, g.Pos.Line, g.Text, g.Why)
		}
	}
	return []string{one + " (" + u.annotation + above + " would" + seen + ")"}
}
