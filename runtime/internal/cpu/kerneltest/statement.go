package kerneltest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// writer writes a kernel.
type writer struct {
	random *rand.Rand
	kernel *Kernel
	out    *strings.Builder
	names  int

	flat   bool // the grid has one dimension
	whole  bool // all lanes of all simd-groups are threads
	packed bool // the words of a thread are side by side

	vars       []variable
	callable   []function
	tables     []table
	all        bool // all constructs
	kernelBody bool // the arguments of the kernel are in reach
	mayReturn  bool
	loops      int // around
	breaks     int // around, of loops and switches
	level      int // of flow
	budget     int // of statements
}

type variable struct {
	name  string
	typ   *typ
	fixed bool // not to be assigned to
}

func (w *writer) has(c Construct) { w.kernel.has[c] = true }

func (w *writer) one(n int) bool { return w.random.IntN(n) == 0 }

func pick[T any](w *writer, list ...T) T { return list[w.random.IntN(len(list))] }

func (w *writer) name(letter string) string {
	w.names++
	return fmt.Sprintf("%s%d", letter, w.names)
}

func (w *writer) line(s string) {
	w.out.WriteString(s)
	w.out.WriteByte('\n')
}

func (w *writer) linef(format string, args ...any) { w.line(fmt.Sprintf(format, args...)) }

// block writes a block with what f writes, whose variables end with it.
func (w *writer) block(head string, f func()) {
	n := len(w.vars)
	w.line(head + " {")
	w.level++
	if w.level >= 3 {
		w.has(NestedFlow)
	}
	f()
	w.level--
	w.line("}")
	w.vars = w.vars[:n]
}

// declare declares a variable.
func (w *writer) declare(t *typ) {
	name := w.name("v")
	w.linef("%s %s = %s;", t.name, name, w.expression(t, 3))
	w.vars = append(w.vars, variable{name, t, false})
}

// target returns a variable to assign to.
func (w *writer) target() (variable, bool) {
	for range 8 {
		if v := pick(w, w.vars...); !v.fixed {
			return v, true
		}
	}
	return variable{}, false
}

// statements writes up to n statements.
func (w *writer) statements(n, depth int) {
	for range n {
		if w.budget--; w.budget < 0 {
			return
		}
		w.statement(depth)
	}
}

func (w *writer) statement(depth int) {
	if w.all && w.kernelBody && w.one(8) {
		pick(w, w.storeNarrow, w.rows, w.strides)()
		return
	}
	if depth > 0 && w.one(2) {
		w.flow(depth)
		return
	}
	switch w.random.IntN(14) {
	case 0, 1:
		w.declare(pick(w, allTypes...))
	case 2:
		w.unions()
	case 3:
		w.references()
	case 4:
		w.array()
	case 5:
		w.pointers()
	case 6:
		w.atomic()
	case 7:
		w.store()
	case 8:
		w.leave()
	case 9:
		w.lambda()
	case 10:
		w.structs()
	default:
		w.assign()
	}
}

func (w *writer) assign() {
	v, ok := w.target()
	if !ok {
		return
	}
	switch {
	case v.typ == boolType || v.typ == bfloatType || w.one(2):
		w.linef("%s = %s;", v.name, w.expression(v.typ, 3))
	case v.typ.float:
		w.linef("%s %s= %s;", v.name, pick(w, "+", "-", "*"), w.expression(v.typ, 2))
	case w.one(4):
		w.linef("%s%s;", v.name, pick(w, "++", "--"))
	default:
		w.linef("%s %s= %s;", v.name, pick(w, "+", "-", "*", "&", "|", "^"), w.expression(v.typ, 2))
	}
}

// leave writes what goes on elsewhere, in some of the threads.
func (w *writer) leave() {
	condition := w.condition(1)
	switch {
	case w.loops > 0 && w.one(2):
		w.has(Continue)
		w.linef("if (%s) continue;", condition)
	case w.breaks > 0 && w.one(2):
		w.has(Break)
		w.linef("if (%s) break;", condition)
	case w.mayReturn && w.one(2):
		w.has(EarlyReturn)
		w.linef("if (%s) { %s = 77u; return; }", condition, w.word(15))
	default:
		w.assign()
	}
}

// flow writes a construct with statements in it.
func (w *writer) flow(depth int) {
	inside := func() { w.statements(1+w.random.IntN(3), depth-1) }
	switch w.random.IntN(7) {
	case 0, 1, 2:
		w.block(fmt.Sprintf("if (%s)", w.condition(2)), inside)
		if w.one(2) {
			w.block("else", inside)
		}
	case 3:
		w.switchOn(depth)
	default:
		w.loop(inside)
	}
}

// bound returns how often a loop goes round: a number, what is the same in all threads, or any.
func (w *writer) bound() string {
	return pick(w, fmt.Sprint(1+w.random.IntN(5)), "int(p.a)", fmt.Sprintf("int(in[%d] & 3u)", w.random.IntN(Inputs)),
		"int(lane & 3u)", "int(gid % 5u)", fmt.Sprintf("(%s & 3)", w.leaf(intType)))
}

func (w *writer) loop(inside func()) {
	i := w.name("k")
	w.loops++
	w.breaks++
	defer func() { w.loops--; w.breaks-- }()
	body := func() {
		w.vars = append(w.vars, variable{i, intType, true})
		inside()
	}
	switch w.random.IntN(4) {
	case 0: // continue must not leave out what counts
		w.has(WhileLoop)
		w.linef("int %s = %s;", i, w.bound())
		w.block(fmt.Sprintf("while (%s-- > 0)", i), body)
	case 1:
		w.has(DoLoop)
		w.linef("int %s = %s;", i, w.bound())
		w.block("do", body)
		w.linef("while (--%s > 0 && %s);", i, w.condition(1))
	default:
		w.has(ForLoop)
		begin, step := "0", i+"++"
		if w.one(3) {
			begin = fmt.Sprintf("(%s ? %d : int(%s & 1))", w.condition(1), w.random.IntN(3), w.expression(uintType, 1))
		}
		if w.one(3) {
			step = fmt.Sprintf("%s += %d", i, 1+w.random.IntN(3))
		}
		w.block(fmt.Sprintf("for (int %s = %s; %[1]s < %[3]s; %[4]s)", i, begin, w.bound(), step), body)
	}
}

func (w *writer) switchOn(depth int) {
	w.has(Switch)
	w.breaks++
	loops := w.loops
	w.linef("switch (%s & 7) {", w.expression(pick(w, wordTypes...), 2))
	n := 1 + w.random.IntN(4)
	for c := range n {
		if c == n-1 && w.one(2) {
			w.line("default:")
		} else {
			w.linef("case %d:", c*2)
			if w.one(3) {
				w.linef("case %d:", c*2+1)
			}
		}
		w.block("", func() { w.statements(1+w.random.IntN(2), depth-1) })
		if w.one(3) && c < n-1 {
			w.has(Fallthrough)
		} else {
			w.line("break;")
		}
	}
	w.line("}")
	w.breaks--
	w.loops = loops
}

// store writes a word of the thread.
func (w *writer) store() {
	if !w.kernelBody {
		return
	}
	at := w.word(w.random.IntN(wordsOfThread))
	if w.packed && w.one(3) {
		at = fmt.Sprintf("out[gid * %du + (%s & %du)]", wordsOfThread, w.expression(uintType, 2), wordsOfThread-1)
	}
	w.linef("%s %s %s;", at, pick(w, "=", "+=", "^="), w.expression(uintType, 2))
}
