package cpu

import (
	"github.com/metalgen/metalgen/internal/msl/tree"
)

// Where the sanitizer looks for what is used without ever being written, a register that may hold
// such bits has another one that says which they are, an unset. Instructions before those of the
// program compute them, as Valgrind's memcheck does: copies and arithmetic hand them on, and what
// decides something reports them. Registers that cannot hold any have no unset, and cost nothing.

// unsets knows which registers have an unset.
type unsets struct {
	// of are the unsets of registers; nil where nobody wants to know. It lives and dies with
	// its register.
	of map[int32]int32
	// joins are the registers that several assignments lead to, by their numbers. One of
	// these may come later in the program than a use, in a loop: so a program is compiled until
	// the suspects, those that may be unset, are known from the start.
	joins    map[int32]int
	joined   int
	suspects *suspects
}

// suspects are the numbers of joins that may be unset.
type suspects struct {
	numbers map[int]bool
	all     bool
}

// maxRounds bounds how often a kernel is compiled to find the suspects. After that all joins are.
const maxRounds = 8

// track returns whether the program says what is unset.
func (u *unsets) track() bool { return u.suspects != nil }

// newUnset gives a register an unset, unless it has one.
func (asm *assembler) newUnset(r int32) int32 {
	u, ok := asm.of[r]
	if !ok {
		u = asm.allocate(unsetClass)
		asm.of[r] = u
	}
	return u
}

// join makes r one that several assignments lead to.
func (asm *assembler) join(r int32) {
	if !asm.track() {
		return
	}
	asm.joins[r] = asm.joined
	asm.joined++
	if asm.of[r] == 0 && (asm.suspects.all || asm.suspects.numbers[asm.joins[r]]) {
		asm.emit(instruction{run: clearUnset, d: asm.newUnset(r)})
	}
}

// newJoin is newTemp for a register that several assignments lead to.
func (asm *assembler) newJoin(c class) int32 {
	r := asm.newTemp(c)
	asm.join(r)
	return r
}

// declareUnset makes register r, of leaf l of a variable that begins without a value, unset.
func (asm *assembler) declareUnset(v *tree.Var, l leaf, r int32) {
	if !asm.track() {
		return
	}
	p := asm.program
	info := objectInfo{name: v.Name + partAt(v.Type, l.offset), pos: v.Pos}
	from := originOf(numberOfVariable(len(p.variables)), 0, 0)
	p.variables = append(p.variables, info)
	asm.emit(instruction{run: declared(asm.newUnset(r), l.class(), from)})
}

// Bits of the bytes of a variable that is all set, or not at all.
const (
	noBits  = 0
	allBits = 0xFF
)

// setUnset adds what says that a variable in thread memory is set, or unset.
func (acc *accesses) setUnset(p place, bits int64) {
	if acc.track() {
		acc.emit(instruction{run: clearUnsetObject, a: p.pointer, imm: bits})
	}
}

// chooseUnset adds the unset of register d, which is loaded with leaf i, of n, of the part that the
// chooser of a place picks.
func (acc *accesses) chooseUnset(p place, i, n int, d int32) {
	acc.decides("computes an index of it", p.chooser)
	var from []int32
	some := false
	for part := range p.count {
		u := acc.of[p.regs[part*n+i]]
		from, some = append(from, u), some || u != 0
	}
	if some {
		acc.emit(instruction{run: chosenUnset(acc.newUnset(d), p.chooser, from)})
	}
}

// suspect notes that r may be unset, where it has no unset yet.
func (asm *assembler) suspect(r int32) {
	if n, ok := asm.joins[r]; ok {
		asm.suspects.numbers[n] = true
	}
}

// derive adds what makes the unset of the result d of an operation on registers.
func (asm *assembler) derive(rule unsetRule, c class, d int32, imm int64, operands ...int32) {
	if !asm.hasUnset(operands...) {
		return
	}
	from := &derived{rule: rule, class: c, operands: operands, imm: imm, d: asm.newUnset(d)}
	for _, r := range operands {
		from.unsets = append(from.unsets, asm.of[r])
	}
	asm.emit(instruction{run: from.run})
}

// hasUnset reports whether registers may hold unset bits.
func (asm *assembler) hasUnset(operands ...int32) bool {
	for _, r := range operands {
		if asm.of[r] != 0 {
			return true
		}
	}
	return false
}

// copyUnsetTo follows a copy of all lanes.
func (asm *assembler) copyUnsetTo(dst, src int32) {
	from, to := asm.of[src], asm.of[dst]
	_, join := asm.joins[dst]
	switch {
	case from != 0 && to == 0 && join:
		asm.suspect(dst)
	case from != 0:
		asm.emit(instruction{run: copyUnset, d: asm.newUnset(dst), a: from})
	case to != 0:
		asm.emit(instruction{run: clearUnset, d: to})
	}
}

// assignUnset follows an assignment in the active lanes.
func (asm *assembler) assignUnset(dst, src int32) {
	from, to := asm.of[src], asm.of[dst]
	switch {
	case to != 0:
		asm.emit(instruction{run: blendUnset, d: to, a: from})
	case from != 0:
		asm.suspect(dst)
	}
}

// decides adds what reports registers whose unset bits decide something. use says what their thread
// does with them: it "branches on" them.
func (asm *assembler) decides(use string, regs ...int32) {
	if !asm.hasUnset(regs...) {
		return
	}
	for _, r := range regs {
		if u := asm.of[r]; u != 0 {
			asm.emit(instruction{run: func(f *frame, in *instruction) { f.use(in, unsetAt(f, u), use) }})
		}
	}
}

// loadUnset adds what finds out which bits of a leaf in memory are unset. d is the register that it
// is loaded to.
func (acc *accesses) loadUnset(l leaf, p place, offset int64, d int32) {
	if !acc.track() || p.set() {
		return
	}
	in := access(loadUnsetOf[l.kind], p, offset)
	in.d = acc.newUnset(d)
	acc.emit(in)
}

// storeUnset adds what makes the bytes of a leaf in memory as unset as register v. Where they are
// known to be set always, v decides something there.
func (acc *accesses) storeUnset(l leaf, p place, offset int64, v int32) {
	if !acc.track() || p.set() && acc.of[v] == 0 {
		return
	}
	in := access(storeUnsetOf(sizes[l.kind], l.unit), p, offset)
	in.d = acc.of[v]
	acc.emitAt(acc.positionOf(p), in)
}

// decidesAddress is decides for what a place in memory is found by.
func (acc *accesses) decidesAddress(p place) {
	outer := acc.pos
	acc.pos = acc.positionOf(p)
	acc.decides("computes an address of it", p.pointer)
	if p.indexed != noIndex {
		acc.decides("computes an index of it", p.index)
	}
	acc.pos = outer
}

// unsetAtomic adds what an atomic function does to what is unset. old is the register for what was
// there before, and v what the function is handed, which must be set: other threads see it. A function
// that computes a new value of the old one decides something by it, too.
func (asm *assembler) unsetAtomic(pointer *tree.Type, p int32, k tree.ScalarKind, name string, v, old int32) {
	if !asm.track() {
		return
	}
	asm.decides("computes an address of it", p)
	asm.decides("hands an atomic function what depends on it", v)
	if pointer.Space == "device" {
		return
	}
	asm.emit(instruction{run: loadUnsetOf[k], a: p, d: asm.newUnset(old)})
	if name == "load" {
		return
	}
	if name != "exchange" {
		asm.decides("changes it by an atomic function", old)
	}
	asm.emit(instruction{run: storeUnsetOf(sizes[k], false), a: p})
}

// arithmeticRules are the rules of binary operators on integers and bools; the others depend on
// all bits.
var arithmeticRules = map[tree.Op]unsetRule{
	tree.Add: unsetUp, tree.Sub: unsetUp, tree.Mul: unsetUp, tree.And: unsetAnd, tree.Or: unsetOr, tree.Xor: unsetEach,
	tree.Shl: unsetShl, tree.Shr: unsetShr,
}

// ruleOf returns the rule of a binary operator.
func ruleOf(op tree.Op, k tree.ScalarKind) unsetRule {
	rule := arithmeticRules[op]
	switch {
	case floating(k) || rule == nil:
		return unsetAny
	case op == tree.Shr && signed(k) && classOf(k) == longClass:
		return unsetShrLong
	case op == tree.Shr && signed(k):
		return unsetShrInt
	}
	return rule
}

// unaryRule returns the rule of a prefix operator.
func unaryRule(op tree.Op, k tree.ScalarKind) unsetRule {
	switch {
	case floating(k):
		return unsetAny
	case op == tree.Neg:
		return unsetUp
	}
	return unsetSame
}

// fitRules are those of fits.
var fitRules = [...]unsetRule{
	tree.Char: unsetChar, tree.UChar: unsetUChar, tree.Short: unsetShort, tree.UShort: unsetUShort,
	tree.Half: unsetAny, tree.BFloat: unsetAny, tree.Float: nil,
}
