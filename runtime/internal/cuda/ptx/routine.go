package ptx

import (
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/abi"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/facts"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/live"
	"github.com/metalgen/metalgen/runtime/internal/cuda/ptx/text"
)

// Functions that call themselves. PTX has calls, but nothing bounds their stack, and a thread that leaves it ends all
// work of the process on the device. So a routine is code of the kernel that threads branch to and that returns to the
// call of a number, and its stack is a variable of each thread. What a call keeps there is found in the text, once all
// of it is written: until then calls and returns are lines that package live reads.

// maxCalls bounds the calls of routines in a row, and maxStacked the bytes that a thread keeps for them: the CPU device
// has as many calls, and as many bytes for each of its 32 lanes.
const (
	maxCalls   = 256
	maxStacked = 32 << 10
)

// routine is a function that calls itself.
type routine struct {
	*ir.Routine
	number    int
	results   []string
	back      string // the number of the call that it returns to
	mask      string // the lanes that make the call
	variables string // the address of those of the activation
	memory    int    // their bytes
	offsets   map[int]int
	calls     []bool // by routine, itself too: those that it may call, and those may
	converges bool
	called    bool
	written   bool
	top       *construct
	ends      string // the line of its return
}

// call is where a routine is called.
type call struct {
	from, to *routine // from is nil in the kernel
	full     string   // the label of the fault of a full stack
	line     string
	keeps    int // bytes on the stack
}

// routines writes routines and their calls.
type routines struct {
	*text.Writer
	e     *emitter
	list  []*routine
	now   *routine // that is being written, nil in the kernel
	calls []*call
	named []int  // the variables that other activations may have pointers to
	depth string // the register of how many calls a thread is in
	stack string // of the address of its stack
	taken string // of how many bytes of that are taken
}

// findRoutines finds the routines of the kernel.
func (e *emitter) findRoutines() {
	r := &e.routines
	r.Writer, r.e = e.out, e
	for i, from := range e.Kernel.Routines {
		one := &routine{Routine: from, number: i, calls: make([]bool, len(e.Kernel.Routines)), offsets: map[int]int{}}
		r.list = append(r.list, one)
		r.findCalls(i, one.calls)
	}
	if len(r.list) == 0 {
		return
	}
	r.depth, r.stack, r.taken = e.out.Fresh(text.Word), e.out.Fresh(text.Long), e.out.Fresh(text.Long)
	e.out.First("mov.u32 %s, 0;", r.depth)
	e.out.First("mov.u64 %s, 0;", r.taken)
	for _, one := range r.list {
		for _, t := range one.Results {
			one.results = append(one.results, e.out.Fresh(text.ClassOf(t)))
		}
		one.back, one.mask, one.variables = e.out.Fresh(text.Word), e.out.Fresh(text.Word), e.out.Fresh(text.Long)
	}
}

func (r *routines) findCalls(n int, found []bool) {
	if found[n] {
		return
	}
	found[n] = true
	for in := range r.e.Kernel.Routines[n].Body.All() {
		if in.Op == ir.OpCall {
			r.findCalls(int(in.Imm), found)
		}
	}
}

// variable gives a variable of a routine a place in its activations.
func (r *routines) variable(object int, o *ir.Object) {
	one := r.list[o.Routine]
	one.offsets[object] = one.memory
	one.memory += (o.Size + 15) &^ 15
	if r.escapes(object) {
		r.named = append(r.named, object)
	}
	if one.memory > maxStacked || len(r.named) > maxNamed {
		r.e.unsupported(o.Pos, "so many variables of a function that calls itself")
	}
}

// maxNamed is how many variables of routines others may have pointers to: each activation has an entry for each in a
// table of objects.
const maxNamed = 32

// escapes reports whether something else may have a pointer to a variable than the activation that it is of.
func (r *routines) escapes(object int) bool {
	for in := range r.e.All() {
		for i, v := range in.Args {
			if r.e.Type(v) != ir.Ptr || r.e.Origins[v] != object {
				continue
			}
			switch in.Op {
			case ir.OpLoad, ir.OpStore, ir.OpMove, ir.OpCheck, ir.OpClear:
				if i == 0 {
					continue
				}
			}
			return true
		}
	}
	return false
}

// isActivated reports whether an object is a variable of a routine, which each activation has.
func (e *emitter) isActivated(object int) bool {
	o := e.Objects[object]
	return o != nil && o.Kind == ir.ThreadVariable && o.Routine >= 0
}

// baseOf returns the address of a variable of the activation.
func (r *routines) baseOf(object int) string {
	one := r.list[r.e.Objects[object].Routine]
	if offset := one.offsets[object]; offset > 0 {
		return r.Make(text.Long, "add.s64", one.variables, fmt.Sprint(offset))
	}
	return one.variables
}

// numberOf returns a register with the number of a variable of the activation where pointers have it.
func (r *routines) numberOf(object int) string {
	first := int64(len(r.e.Objects) + slices.Index(r.named, object) - len(r.named)) // that of depth 0, which is the kernel
	depth := r.Make(text.Long, "cvt.u64.u32", r.depth)
	step := int64(len(r.named))
	from := fmt.Sprint(first << facts.OffsetBits)
	return r.Make(text.Long, "mad.lo.s64", depth, fmt.Sprint(step<<facts.OffsetBits), from)
}

// live returns the number of an object, 0 for one of an activation that has ended.
func (r *routines) live(number string) string {
	if len(r.named) == 0 {
		return number
	}
	count := r.Make(text.Long, "mad.wide.u32", r.depth, fmt.Sprint(len(r.named)), fmt.Sprint(len(r.e.Objects)))
	is := r.Test("lt.u64", number, count)
	if p := &r.e.resources; p.used { // the rows of its table, and Nowhere
		is = r.Either(is, r.Test("ge.u64", number, fmt.Sprint(r.e.module.Resources)))
	}
	return r.Make(text.Long, "selp.b64", number, "0", is)
}

// call writes the call of a routine.
func (r *routines) call(in *ir.Instr) {
	e, to, n := r.e, r.list[in.Imm], len(r.calls)
	c := &call{from: r.now, to: to}
	r.calls = append(r.calls, c)
	to.called = true
	deeper := r.Make(text.Word, "add.u32", r.depth, "1")
	site := e.faults.siteAt(in, abi.Site{Kind: abi.CallSite, Msg: to.Name})
	c.full = e.faults.faultLabel(site, r.Make(text.Long, "cvt.u64.u32", deeper), "")
	r.Op("@%s bra %s;", r.Test("gt.u32", deeper, fmt.Sprint(maxCalls)), c.full)
	r.Op("keep %d;", n)
	e.flow.assign(to.Body.Params, in.Args)
	passed := []string{to.back}
	for _, v := range to.Body.Params {
		passed = append(passed, e.reg(v))
	}
	if to.converges {
		passed = append(passed, to.mask)
		r.Op("mov.b32 %s, %s;", to.mask, e.mask)
	}
	r.Op("mov.u32 %s, %d;", to.back, n)
	r.Op("add.u32 %s, %s, 1;", r.depth, r.depth)
	c.line = fmt.Sprintf("call (%s), %d, (%s);", strings.Join(to.results, ", "), n, strings.Join(passed, ", "))
	r.Op("%s", c.line)
	r.Op("restore %d;", n)
	r.Op("sub.u32 %s, %s, 1;", r.depth, r.depth)
	for i, v := range in.Results {
		r.Op("mov.%s %s, %s;", text.ClassOf(e.Type(v)).Type(), e.reg(v), to.results[i])
	}
}

// giveBack writes what a routine returns, and that threads leave it.
func (r *routines) giveBack(in *ir.Instr) {
	for i, v := range in.Args {
		from := ""
		if r.e.Type(v) == ir.Ptr {
			from = r.e.places.full(v)
		} else {
			from = r.e.operand(v)
		}
		r.Op("mov.%s %s, %s;", text.ClassOf(r.e.Type(v)).Type(), r.now.results[i], from)
	}
	r.e.flow.leave(r.now.top, 0, r.now.top.end)
}

// write writes the routines that are called, and makes instructions of calls and returns.
func (r *routines) write() {
	if len(r.calls) == 0 {
		return
	}
	kernel := r.Code.String()
	r.Code.Reset()
	for {
		i := slices.IndexFunc(r.list, func(one *routine) bool { return one.called && !one.written })
		if i < 0 {
			break
		}
		r.now, r.list[i].written = r.list[i], true
		r.routine(r.now)
	}
	text := r.Code.String()
	instructions := r.instructions(text)
	r.Code.Reset()
	r.Code.WriteString(instructions.Replace(kernel + text))
}

// routine writes the code of a routine.
func (r *routines) routine(one *routine) {
	e := r.e
	r.Place(fmt.Sprint("ROUTINE", one.number))
	if one.memory > 0 {
		r.Op("add.s64 %s, %s, %s;", one.variables, r.stack, r.taken)
		r.Op("add.s64 %s, %s, %d;", r.taken, r.taken, one.memory)
	}
	r.enter(one)
	one.top = &construct{in: &ir.Instr{Op: ir.OpBlock, Imm: int64(e.Labels() + one.number)}, end: r.Label(),
		converges: one.converges, entry: one.mask}
	e.mask, e.around = one.mask, one.top
	e.flow.region(one.Body)
	r.Place(one.top.end)
	if one.converges {
		r.Op("mov.u32 %s, 0;", e.exit)
	}
	if one.memory > 0 {
		r.Op("sub.s64 %s, %s, %d;", r.taken, r.taken, one.memory)
	}
	one.ends = fmt.Sprintf("ret %d, (%s);", one.number, strings.Join(append(slices.Clone(one.results), one.back), ", "))
	r.Op("%s", one.ends)
}

// enter makes the variables of an activation objects, for those that have pointers to them.
func (r *routines) enter(one *routine) {
	e := r.e
	if len(r.named) == 0 {
		return
	}
	e.places.objectTable()
	table := r.Make(text.Long, "mov.u64", "objects")
	table = r.Make(text.Long, "mad.wide.u32", r.depth, fmt.Sprint(16*len(r.named)), table)
	table = r.Make(text.Long, "add.s64", table, fmt.Sprint(16*(len(e.Objects)-len(r.named))))
	for i, object := range r.named {
		base, size := r.Make(text.Long, "mov.u64", "0"), 0
		if e.Objects[object].Routine == one.number {
			base, size = r.Make(text.Long, "cvta.local.u64", r.baseOf(object)), e.Objects[object].Size
		}
		r.Op("st.local.v2.u64 [%s+%d], {%s, %s};", table, 16*i, base, r.Make(text.Long, "mov.u64", fmt.Sprint(size)))
	}
}

// instructions returns what makes instructions of calls and returns. text are the routines.
func (r *routines) instructions(text string) *strings.Replacer {
	kept := r.kept(text)
	most := 0 // of what a call takes of the stack
	for _, c := range r.calls {
		for _, name := range kept[c] {
			c.keeps += slotOf(name)
		}
		c.keeps = (c.keeps + 15) &^ 15
		most = max(most, c.keeps+c.to.memory)
	}
	bytes := min(most*maxCalls, maxStacked)
	if bytes > 0 {
		r.Private = append(r.Private, fmt.Sprintf(".local .align 16 .b8 stack[%d];", bytes))
		r.First("mov.u64 %s, stack;", r.stack)
	}
	var pairs []string
	replace := func(line string, write func()) {
		r.Code.Reset()
		write()
		pairs = append(pairs, "\t"+line+"\n", r.Code.String())
	}
	for n, c := range r.calls {
		replace(fmt.Sprintf("keep %d;", n), func() {
			if most*maxCalls > bytes {
				room := bytes - c.keeps - c.to.memory
				r.Op("@%s bra %s;", r.Test("gt.s64", r.taken, fmt.Sprint(room)), c.full)
			}
			r.keep(kept[c], c.keeps)
		})
		replace(c.line, func() {
			r.Op("bra ROUTINE%d;", c.to.number)
			r.Place(fmt.Sprint("BACK", n))
		})
		replace(fmt.Sprintf("restore %d;", n), func() { r.restore(kept[c], c.keeps) })
	}
	for _, one := range r.list {
		if one.written {
			replace(one.ends, func() { r.goBack(one) })
		}
	}
	return strings.NewReplacer(pairs...)
}

// kept returns the registers that a call keeps: those that have to survive it and may not. What is set before
// everything else is the same for all activations.
func (r *routines) kept(text string) map[*call][]string {
	lines := strings.Split(text+r.Tail.String(), "\n")
	common := live.Sets(strings.Split(r.Head.String(), "\n"))
	across := live.AcrossCalls(lines)
	kept := map[*call][]string{}
	for n, c := range r.calls {
		if c.from == nil || !c.to.calls[c.from.number] {
			continue
		}
		for _, name := range across[fmt.Sprint(n)] {
			if !common[name] {
				kept[c] = append(kept[c], name)
			}
		}
		slices.SortStableFunc(kept[c], func(a, b string) int { return slotOf(b) - slotOf(a) })
	}
	return kept
}

// slotOf returns how many bytes a register takes on the stack.
func slotOf(name string) int {
	switch c := text.ClassOfRegister(name); c {
	case text.Long, text.Double:
		return 8
	}
	return 4
}

// keep writes that registers are kept on the stack.
func (r *routines) keep(names []string, bytes int) {
	if bytes == 0 {
		return
	}
	offset := 0
	top := r.Make(text.Long, "add.s64", r.stack, r.taken)
	for _, name := range names {
		from := name
		if text.ClassOfRegister(name) == text.Pred {
			from = r.Make(text.Word, "selp.b32", "1", "0", name)
		}
		r.Op("st.local.%s [%s+%d], %s;", keptTypes[text.ClassOfRegister(name)], top, offset, from)
		offset += slotOf(name)
	}
	r.Op("add.s64 %s, %s, %d;", r.taken, r.taken, bytes)
}

// keptTypes are the types that registers have on the stack, by their class.
var keptTypes = [text.Classes]string{"b32", "b16", "b32", "b64", "f32", "f64"}

// restore writes that registers are what they were before a call.
func (r *routines) restore(names []string, bytes int) {
	if bytes == 0 {
		return
	}
	offset := 0
	r.Op("sub.s64 %s, %s, %d;", r.taken, r.taken, bytes)
	top := r.Make(text.Long, "add.s64", r.stack, r.taken)
	for _, name := range names {
		to := name
		if text.ClassOfRegister(name) == text.Pred {
			to = r.Fresh(text.Word)
		}
		r.Op("ld.local.%s %s, [%s+%d];", keptTypes[text.ClassOfRegister(name)], to, top, offset)
		if to != name {
			r.Op("setp.ne.u32 %s, %s, 0;", name, to)
		}
		offset += slotOf(name)
	}
}

// goBack writes that threads go on after the call that they came from.
func (r *routines) goBack(one *routine) {
	var list []int
	for n, c := range r.calls {
		if c.to == one {
			list = append(list, n)
		}
	}
	for _, n := range list[1:] {
		r.Op("@%s bra BACK%d;", r.Test("eq.u32", one.back, fmt.Sprint(n)), n)
	}
	r.Op("bra BACK%d;", list[0])
}
