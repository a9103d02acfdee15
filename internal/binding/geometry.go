package binding

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/skim"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/notation"
)

// tuple is three expressions with the position that states them.
type tuple struct {
	exprs     [3]Expr
	text      []string
	pos       parser.Pos
	annotated bool
}

func (t *tuple) set() bool { return t.exprs[0] != nil }

// words returns a tuple as the source writes it, filled up to three.
func (t *tuple) words() string {
	text := append([]string(nil), t.text...)
	for len(text) < 3 {
		text = append(text, "1")
	}
	return "(" + strings.Join(text, ", ") + ")"
}

func errorf(format string, args ...any) error { return fmt.Errorf(format, args...) }

// plain returns an error of the parser without its position.
func plain(err error) error {
	var e *parser.Error
	if errors.As(err, &e) {
		return errors.New(e.Msg)
	}
	return err
}

// noFormula returns an error that is more than errNoFormula to those who meant to write a formula.
func noFormula(err error) error {
	if errors.Is(err, errNoFormula) {
		return errorf("expressions know + - * / %% ( ) min max ceil_div next_pow2 len, integers and names")
	}
	return plain(err)
}

// bindTuple binds one to three expressions; missing ones are 1.
func (k *kernelBuilder) bindTuple(f *notation.Formula, from formula) ([3]Expr, error) {
	var out [3]Expr
	if len(f.Items) > 3 {
		return out, errorf("a grid has at most three dimensions, this has %d", len(f.Items))
	}
	for i := range out {
		if i >= len(f.Items) {
			out[i] = Lit(1)
			continue
		}
		e, err := k.bind(f.Items[i], from)
		if err != nil {
			return [3]Expr{}, err
		}
		out[i] = e
	}
	return out, nil
}

// reads reports whether a kernel has an argument with a built-in attribute.
func (k *kernelBuilder) reads(attribute string) bool {
	return slices.ContainsFunc(k.source.Params, func(p *tree.Param) bool { return p.Attribute == attribute })
}

// defaultThreads are the threads per threadgroup of a grid that counts
// threads, by its number of dimensions: whole simdgroups along x, 256 in all.
var defaultThreads = [4][3]Expr{
	1: {Lit(256), Lit(1), Lit(1)},
	2: {Lit(32), Lit(8), Lit(1)},
	3: {Lit(32), Lit(4), Lit(2)},
}

// threadgroupBuiltins make a kernel depend on how its threads are grouped, so
// that a guard alone does not say how to dispatch it.
var threadgroupBuiltins = []string{
	"threadgroup_position_in_grid", "thread_position_in_threadgroup", "thread_index_in_threadgroup",
	"threads_per_threadgroup", "dispatch_threads_per_threadgroup", "simdgroup_index_in_threadgroup",
	"simdgroups_per_threadgroup", "threadgroups_per_grid",
}

// gridBuiltins change where a grid is rounded up to whole threadgroups.
var gridBuiltins = []string{"threads_per_grid", "grid_size"}

// strideBuiltins are those of both that a loop over the whole grid adds to a position. They do
// not matter to a kernel that is such a loop.
var strideBuiltins = []string{"threads_per_threadgroup", "threadgroups_per_grid", "threads_per_grid", "grid_size"}

// guard takes the grid from the guards of the body, if they bound all of the thread's position.
func (k *kernelBuilder) guard() {
	if k.size.annotated || k.threadgroups.set() && k.threads.set() || k.takesPerGroup() {
		return
	}
	mustLoop := false
	for _, attribute := range slices.Concat(threadgroupBuiltins, gridBuiltins) {
		if k.reads(attribute) {
			if !slices.Contains(strideBuiltins, attribute) {
				return
			}
			mustLoop = true
		}
	}
	var position *tree.Param
	for _, p := range k.source.Params {
		if p.Attribute == "thread_position_in_grid" {
			position = p
		}
	}
	if position == nil {
		return
	}
	bounds := k.program.Guards(k.group[0])
	if mustLoop && !slices.ContainsFunc(bounds, func(b skim.Bound) bool { return b.Strides }) {
		return
	}
	dims := 1
	if position.Type.Kind == tree.Vector {
		dims = position.Type.Len
	}
	if len(bounds) == 0 {
		return
	}
	var size tuple
	anyGrid := true
	for _, bound := range bounds {
		if bound.Param != position || size.exprs[bound.Axis] != nil {
			continue
		}
		e, err := k.bind(bound.Limit, formula{locals: bound.Locals})
		if err != nil {
			return
		}
		if size.pos.Line == 0 {
			size.pos = bound.Pos
		}
		size.exprs[bound.Axis] = e
		anyGrid = anyGrid && bound.Strides
	}
	for axis := range size.exprs {
		if size.exprs[axis] != nil {
			continue
		}
		if axis < dims && (k.program.UsesAxis(k.group[0], position, axis) || k.reads("thread_index_in_simdgroup")) {
			return // a component that nothing bounds, and that matters or may be of the lanes
		}
		size.exprs[axis] = Lit(1)
	}
	if k.size.set() {
		if !slices.ContainsFunc(k.size.exprs[:], Divides) || slices.ContainsFunc(size.exprs[:], Divides) {
			return // what people write comes before what the body shows
		} // but it looks like threadgroups, and would count threads
	}
	k.size, k.guarded, k.anyGrid = size, true, anyGrid
}

// geometry puts together what annotations, prose and guards say. It returns nil where
// that is not enough to dispatch the kernel.
func (k *kernelBuilder) geometry() *Geometry {
	if k.threadgroups.set() && k.size.set() && k.threadgroups.annotated {
		k.size = tuple{}
	}
	g := &Geometry{}
	switch {
	case k.size.set():
		g.From = k.size.pos
		if !k.threads.set() {
			if !k.guarded && k.needsThreads() {
				k.incomplete(k.size, "grid")
				return nil
			}
			k.threads.exprs = k.defaultThreads()
		}
		size := k.size.exprs
		for i := range size {
			g.Threadgroups[i] = ceilDiv(size[i], k.threads.exprs[i])
		}
		if !k.guarded {
			g.Size = &size
		}
		g.Text = fmt.Sprintf("one thread for each of %s, in threadgroups of %s threads",
			tupleText(size), tupleText(k.threads.exprs))
		if g.Any = k.anyGrid; g.Any {
			g.Text += "; its threads loop, so that any grid will do"
		}
	case k.threadgroups.set() && k.threads.set():
		g.From = k.threadgroups.pos
		g.Threadgroups = k.threadgroups.exprs
		g.Text = fmt.Sprintf("%s threadgroups of %s threads", k.threadgroups.words(), k.threads.words())
	default:
		k.incomplete(k.threadgroups, "threadgroups")
		return nil
	}
	g.Threads = k.threads.exprs
	used := map[*Leaf]bool{}
	for i := range 3 {
		markLeaves(g.Threadgroups[i], used)
		markLeaves(g.Threads[i], used)
		if g.Size != nil {
			markLeaves(g.Size[i], used)
		}
	}
	g.Leaves = k.kernel.usedLeaves(used)
	return g
}

// incomplete reports an annotation that by itself is not enough.
func (k *kernelBuilder) incomplete(t tuple, key string) {
	if t.annotated {
		k.b.wrongAnnotation(t.pos, "metalgen:%s has no effect: nothing states the threads per threadgroup of kernel %s; "+
			"metalgen:threads does", key, k.source.Name)
	}
}

// needsThreads reports whether the kernel depends on the size of its threadgroups, which then must be stated.
func (k *kernelBuilder) needsThreads() bool {
	return slices.ContainsFunc(threadgroupBuiltins, k.reads) || k.takesPerGroup()
}

// takesPerGroup reports whether an argument of the kernel depends on the size of its threadgroups.
func (k *kernelBuilder) takesPerGroup() bool {
	return slices.ContainsFunc(k.source.Params, func(p *tree.Param) bool { return kindOf(p).rules().perGroup })
}

// defaultThreads returns the threads per threadgroup for the dimensions that
// the grid uses, within the limit that the kernel states.
func (k *kernelBuilder) defaultThreads() [3]Expr {
	dims := 3
	for dims > 1 && is(k.size.exprs[dims-1], 1) {
		dims--
	}
	threads := defaultThreads[dims]
	if limit := k.source.MaxThreads; limit > 0 && limit < 256 {
		threads = [3]Expr{Lit(limit), Lit(1), Lit(1)}
	}
	return threads
}

// ceilDiv returns ceil_div(n, d), simplified where the result is plain.
func ceilDiv(n, d Expr) Expr {
	if is(d, 1) || is(n, 1) {
		return n
	}
	return &Call{Func: "ceil_div", Args: []Expr{n, d}}
}

func markLeaves(e Expr, used map[*Leaf]bool) {
	Walk(e, func(e Expr) {
		if l, ok := e.(*Leaf); ok {
			used[l] = true
		}
	})
}
