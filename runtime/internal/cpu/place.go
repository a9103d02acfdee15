package cpu

import (
	"slices"

	"github.com/metalgen/metalgen/internal/msl"
	"github.com/metalgen/metalgen/parser"
)

// storage is where a variable is: in registers or in memory, or, for a
// reference, wherever what it refers to is.
type storage struct {
	place place
	owned []ownedRegister // to be given back with the variable
}

type ownedRegister struct {
	class class
	at    int32
}

// place is what an lvalue denotes.
type place struct {
	typ *msl.Type

	// In registers: those of all leaves, and the mask for which they live. With
	// a chooser, the place is one of count equal parts of them.
	regs    value
	scope   int32
	chooser int32 // register of the part's number, or -1
	count   int

	// In memory: a pointer, and a byte offset from it. object is set where the
	// place is in a constant argument at a known offset.
	pointer int32
	offset  int64
	object  int
	memory  bool
	// elements are the byte offsets of the elements of a swizzle, which do not
	// lie side by side.
	elements []int

	// The pointer is yet to be moved by a register times scale bytes, where
	// indexed says what it holds.
	index   int32
	indexed int32
	scale   int32

	pos int32 // of the expression that denotes it
}

func (b *builder) inRegisters(t *msl.Type, regs value, scope int32) place {
	return place{typ: t, regs: regs, scope: scope, chooser: -1}
}

func inMemoryAt(t *msl.Type, pointer int32, offset int64) place {
	return place{typ: t, memory: true, pointer: pointer, offset: offset, chooser: -1}
}

// declare begins the life of a variable of the body.
func (b *builder) declare(s *msl.DeclStmt) {
	v := s.Var
	if v.Ref {
		if b.isPlace(s.Init) {
			b.vars[v] = b.hold(b.lvalue(s.Init))
			return
		}
		// a const reference to a value keeps the value
	}
	if v.Space == "threadgroup" && !v.Ref {
		if b.vars[v] == nil {
			object := b.groupVariable(v)
			p := inMemoryAt(v.Type, b.pointer(object), 0)
			b.vars[v] = &storage{place: p}
		}
		return
	}
	var init value
	if s.Init != nil && !inMemory(v.Type) {
		init = b.value(s.Init)
	}
	b.beginVariable(v, init, s.Pos)
	if s.Init != nil && inMemory(v.Type) {
		b.initialise(b.vars[v].place, s.Init)
	}
}

// beginVariable gives a variable its place, with an initial value unless it is
// in memory for its type or init is nil.
func (b *builder) beginVariable(v *msl.Var, init value, pos parser.Pos) {
	if inMemory(v.Type) || v.Addressed {
		object := b.threadVariable(v)
		p := inMemoryAt(v.Type, b.pointer(object), 0)
		b.vars[v] = &storage{place: p}
		if init != nil {
			b.store(p, init)
		} else {
			b.emit(instruction{run: clearObject, imm: int64(object)})
		}
		return
	}
	leaves := b.leaves(v.Type, pos)
	st := &storage{}
	regs := make(value, len(leaves))
	for i, l := range leaves {
		c := l.class()
		switch {
		case init == nil:
			regs[i] = b.allocate(c)
			b.clear(c, regs[i])
		case b.isTemp(init[i]): // nobody else's: it becomes the variable's
			regs[i] = init[i]
			delete(b.temp, init[i])
		case !b.changing[v] && (b.fixed[init[i]] || slices.Contains(regs[:i], init[i])):
			regs[i] = init[i]
			continue
		default:
			regs[i] = b.allocate(c)
			b.copyTo(c, regs[i], init[i])
		}
		st.owned = append(st.owned, ownedRegister{c, regs[i]})
		if !b.changing[v] {
			b.fixed[regs[i]] = true
		}
	}
	st.place = b.inRegisters(v.Type, regs, b.scope())
	b.vars[v] = st
}

func (b *builder) isTemp(r int32) bool {
	_, ok := b.temp[r]
	return ok
}

// hold is the storage of a reference: what says where it is must not change with
// the variables that it was made of.
func (b *builder) hold(p place) *storage {
	st := &storage{}
	own := func(c class, r int32) int32 {
		if b.permanent[r] {
			return r
		}
		held := b.allocate(c)
		b.copyTo(c, held, r)
		st.owned = append(st.owned, ownedRegister{c, held})
		return held
	}
	if p.memory && p.object == 0 {
		p.pointer = own(longClass, b.settled(p))
		p.indexed = noIndex
	}
	if p.chooser >= 0 {
		p.chooser = own(wordClass, p.chooser)
	}
	st.place = p
	return st
}

// clear makes a register hold zeros: what an uninitialised variable holds is
// then the same in every run.
func (b *builder) clear(c class, r int32) {
	if c == maskClass {
		b.emit(instruction{run: maskNone, d: r})
		return
	}
	b.copyTo(c, r, b.constantOf(c, 0))
}

// forget ends the life of a variable.
func (b *builder) forget(v *msl.Var) {
	s := b.vars[v]
	if s == nil || v.Static {
		return
	}
	delete(b.vars, v)
	for _, r := range s.owned {
		b.free[r.class] = append(b.free[r.class], r.at)
		delete(b.fixed, r.at)
	}
}

// initialise stores the value of a variable in memory, element by element.
func (b *builder) initialise(p place, e msl.Expr) {
	c, ok := e.(*msl.Construct)
	if !ok || !inMemory(p.typ) {
		b.store(p, b.value(e))
		return
	}
	n, part := p.typ.Len, func(i int) place { return b.element(p, p.typ.Elem, i*p.typ.Elem.Size, 0) }
	if p.typ.Kind == msl.StructType {
		n = len(p.typ.Struct.Fields)
		part = func(i int) place { return b.field(p, p.typ.Struct.Fields[i]) }
	}
	for i := range n {
		at := part(i)
		if i < len(c.Args) {
			b.initialise(at, c.Args[i])
			continue
		}
		b.store(at, b.zero(at.typ, e.Position()))
	}
}

// element is the part of a place that starts offset bytes, or in registers so
// many leaves, behind its start.
func (b *builder) element(p place, t *msl.Type, offset, leaf int) place {
	if p.memory {
		q := p
		if p.elements != nil {
			offset, q.elements = p.elements[leaf], nil
		}
		q.typ, q.offset = t, p.offset+int64(offset)
		return q
	}
	q := p
	q.typ, q.regs = t, p.regs[leaf:leaf+countLeaves(t)]
	if p.chooser >= 0 {
		var leaves []int
		for i := range countLeaves(t) {
			leaves = append(leaves, leaf+i)
		}
		q.regs = p.ofParts(leaves)
	}
	return q
}

// ofParts are some leaves of each part that the chooser picks from.
func (p place) ofParts(leaves []int) value {
	var v value
	n := countLeaves(p.typ)
	for part := range p.count {
		for _, i := range leaves {
			v = append(v, p.regs[part*n+i])
		}
	}
	return v
}

// field is a field of a struct.
func (b *builder) field(p place, f *msl.Field) place {
	leaf := 0
	if !p.memory {
		for _, other := range p.typ.Struct.Fields {
			if other == f {
				break
			}
			leaf += countLeaves(other.Type)
		}
	}
	return b.element(p, f.Type, f.Offset, leaf)
}

// isPlace reports whether an expression denotes a place rather than a value.
func (b *builder) isPlace(e msl.Expr) bool {
	switch e := e.(type) {
	case *msl.VarRef:
		return e.Var.Constant == nil
	case *msl.Deref:
		return true
	case *msl.Assign:
		return true
	case *msl.IncDec:
		return !e.Postfix
	case *msl.Index:
		return e.X.Type().Kind == msl.Pointer || b.isPlace(e.X)
	case *msl.FieldOf:
		return b.isPlace(e.X)
	case *msl.Swizzle:
		return b.isPlace(e.X)
	}
	return false
}

// lvalue evaluates what names a place.
func (b *builder) lvalue(e msl.Expr) place {
	outer := b.pos
	b.at(e.Position())
	p := b.denoted(e)
	p.pos = b.pos
	b.pos = outer
	return p
}

func (b *builder) denoted(e msl.Expr) place {
	switch e := e.(type) {
	case *msl.VarRef:
		return b.variable(e)
	case *msl.Deref:
		return inMemoryAt(e.Type(), b.value(e.X)[0], 0)
	case *msl.Assign:
		return b.assignment(e)
	case *msl.IncDec:
		p, _ := b.step(e)
		return p
	case *msl.Index:
		return b.indexed(e)
	case *msl.FieldOf:
		return b.field(b.lvalue(e.X), e.Field)
	case *msl.Swizzle:
		return b.swizzled(e)
	}
	b.unsupported(e.Position(), "this as a place to store to")
	panic("unreachable")
}

// variable is the place of a variable.
func (b *builder) variable(e *msl.VarRef) place {
	if s := b.vars[e.Var]; s != nil {
		return s.place
	}
	if e.Var.Static && e.Var.Init != nil {
		object := b.table(e.Var)
		p := inMemoryAt(e.Var.Type, b.pointer(object), 0)
		p.object = object
		b.vars[e.Var] = &storage{place: p}
		return p
	}
	if e.Var.Space == "threadgroup" && e.Var.Static {
		p := inMemoryAt(e.Var.Type, b.pointer(b.groupVariable(e.Var)), 0)
		b.vars[e.Var] = &storage{place: p}
		return p
	}
	b.unsupported(e.Position(), "variable "+e.Var.Name+" here")
	panic("unreachable")
}

// indexed is an element of an array, vector or matrix, or what a pointer points to.
func (b *builder) indexed(e *msl.Index) place {
	t := e.X.Type()
	if t.Kind == msl.Pointer {
		p := b.value(e.X)[0]
		if n, ok := constantIndex(e.I); ok && n >= 0 && n < 1<<20 {
			return inMemoryAt(e.Type(), p, n*int64(e.Type().Size))
		}
		return b.elementAt(e.Type(), p, e.I, e.Type().Size)
	}
	base := b.lvalue(e.X)
	if n, ok := constantIndex(e.I); ok {
		if n < 0 || n >= int64(t.Len) {
			b.fail(e.I.Position(), "index %d is out of bounds of %s", n, t)
		}
		return b.element(base, e.Type(), int(n)*t.Elem.Size, int(n)*countLeaves(t.Elem))
	}
	if base.elements != nil {
		b.unsupported(e.Position(), "an element of a swizzle, by an index that is not known when compiling, as a place")
	}
	if base.memory {
		q := b.elementAt(e.Type(), b.settled(base), e.I, t.Elem.Size)
		q.offset = base.offset
		return q
	}
	q := base
	q.typ, q.chooser, q.count = e.Type(), b.index32(e.I), t.Len
	if base.chooser >= 0 { // an element of the column of a matrix
		inner := q
		inner.pos = b.pos
		b.checkChooser(inner)
		q.chooser, q.count = b.opImm(wordClass, nestedIndex, int64(t.Len), base.chooser, q.chooser), base.count*t.Len
	}
	return q
}

// nestedIndex is a*imm + b, or, where a*imm could wrap around, beyond all parts.
func nestedIndex(f *frame, in *instruction) {
	x, y := at[int32](f, in.a).lanes(), at[int32](f, in.b).lanes()
	n := int32(in.imm)
	z := at[int32](f, in.d).vector()
	for i := range z {
		z[i] = min(max(x[i], -1), 1<<16)*n + y[i]
	}
}

// constantIndex is the value of an index that is known.
func constantIndex(e msl.Expr) (int64, bool) {
	for {
		c, ok := e.(*msl.Convert)
		if !ok || floating(c.X.Type().Scalar) || c.X.Type().Kind != msl.Scalar {
			break
		}
		e = c.X
	}
	c, ok := e.(*msl.Const)
	if !ok {
		return 0, false
	}
	return c.Value.Int()
}

// index32 evaluates an index into what has few elements.
func (b *builder) index32(e msl.Expr) int32 {
	r := b.value(e)[0]
	return b.convertLeaf(r, e.Type().Scalar, msl.Int)
}

// elementAt is the element of what a pointer points to. A single number is
// loaded and stored by index; what has several parts is found once for all.
func (b *builder) elementAt(t *msl.Type, pointer int32, index msl.Expr, size int) place {
	if countLeaves(t) != 1 || size > maxElement {
		return inMemoryAt(t, b.movePointer(pointer, index, size), 0)
	}
	p := inMemoryAt(t, pointer, 0)
	p.index, p.scale = b.value(index)[0], int32(size)
	kind := index.Type().Scalar
	switch {
	case classOf(kind) == longClass:
		p.indexed = longIndex
	case signed(kind):
		p.indexed = intIndex
	default:
		p.indexed = uintIndex
	}
	return p
}

// settled gives the pointer of a place in memory, moved by its index.
func (b *builder) settled(p place) int32 {
	if p.indexed == noIndex {
		return p.pointer
	}
	run := [...]operation{intIndex: addPointerWord[int32], uintIndex: addPointerWord[uint32], longIndex: addPointerLong}[p.indexed]
	return b.opImm(longClass, run, int64(p.scale), p.pointer, p.index)
}

// movePointer adds an index to a pointer.
func (b *builder) movePointer(p int32, index msl.Expr, size int) int32 {
	n := b.value(index)[0]
	kind := index.Type().Scalar
	switch {
	case size <= maxElement && classOf(kind) == wordClass && signed(kind):
		return b.opImm(longClass, addPointerWord[int32], int64(size), p, n)
	case size <= maxElement && classOf(kind) == wordClass:
		return b.opImm(longClass, addPointerWord[uint32], int64(size), p, n)
	}
	return b.opImm(longClass, addPointerLong, int64(size), p, b.convertLeaf(n, kind, msl.Long))
}

// swizzled is one or several elements of a vector.
func (b *builder) swizzled(e *msl.Swizzle) place {
	base := b.lvalue(e.X)
	elem := e.X.Type().Elem
	if len(e.Elems) == 1 {
		return b.element(base, e.Type(), e.Elems[0]*elem.Size, e.Elems[0])
	}
	if base.memory {
		q := base
		q.typ, q.elements = e.Type(), nil
		for _, n := range e.Elems {
			offset := n * elem.Size
			if base.elements != nil {
				offset = base.elements[n]
			}
			q.elements = append(q.elements, offset)
		}
		return q
	}
	q := base
	q.typ, q.regs = e.Type(), nil
	if base.chooser >= 0 {
		q.regs = base.ofParts(e.Elems)
		return q
	}
	for _, n := range e.Elems {
		q.regs = append(q.regs, base.regs[n])
	}
	return q
}

// offsets are where the leaves of a place in memory are.
func (b *builder) offsets(p place, pos parser.Pos) []leaf {
	leaves := b.leaves(p.typ, pos)
	if p.elements == nil {
		return leaves
	}
	moved := make([]leaf, len(leaves))
	for i, l := range leaves {
		l.offset = p.elements[i]
		moved[i] = l
	}
	return moved
}

// load gives the value at a place.
func (b *builder) load(p place, pos parser.Pos) value {
	if p.memory {
		leaves := b.offsets(p, pos)
		v := make(value, len(leaves))
		for i, l := range leaves {
			if p.object != 0 {
				v[i] = b.uniformLoad(p.object, p.offset+int64(l.offset), l)
				continue
			}
			v[i] = b.loadLeaf(l, p, p.offset+int64(l.offset))
		}
		return v
	}
	if p.chooser < 0 {
		return slices.Clone(p.regs) // callers may put other registers into it
	}
	leaves := b.leaves(p.typ, pos)
	v := make(value, len(leaves))
	for i, l := range leaves {
		v[i] = b.choose(p, i, len(leaves), l.class())
	}
	return v
}

// choose loads leaf i, of n, of the part of registers that p.chooser picks.
func (b *builder) choose(p place, i, n int, c class) int32 {
	if c == maskClass {
		b.checkChooser(p)
		r := b.truth(false)
		for part := range p.count {
			is := b.op(maskClass, equal[uint32], p.chooser, b.word(uint32(part)))
			r = b.op(maskClass, selectMask, p.regs[part*n+i], r, is)
		}
		return r
	}
	first := p.regs[i]
	stride := int32(0)
	if p.count > 1 {
		stride = p.regs[n+i] - first
	}
	for part := range p.count {
		if p.regs[part*n+i] != first+int32(part)*stride {
			stride = 0
			break
		}
	}
	if stride == 0 && p.count > 1 {
		first, stride = b.row(p, i, n, c)
	}
	run := elementOf[uint32]
	if c == longClass {
		run = elementOf[uint64]
	}
	d := b.newTemp(c)
	b.emit(instruction{run: run, d: d, a: p.chooser, b: first, c: int32(p.count), imm: int64(stride)})
	return d
}

// checkChooser makes a chooser that picks no part a fault.
func (b *builder) checkChooser(p place) {
	outer := b.pos
	if p.pos != 0 {
		b.pos = p.pos
	}
	b.emit(instruction{run: checkIndex, a: p.chooser, c: int32(p.count)})
	b.pos = outer
}

// row copies leaf i of all parts side by side.
func (b *builder) row(p place, i, n int, c class) (first, stride int32) {
	first, stride = b.size, classSizes[c]
	b.size += int32(p.count) * stride
	for part := range p.count {
		b.copyTo(c, first+int32(part)*stride, p.regs[part*n+i])
	}
	return first, stride
}

// store assigns a value to a place, for the active lanes.
func (b *builder) store(p place, v value) {
	pos := b.program.positions[b.pos]
	if p.memory {
		for i, l := range b.offsets(p, pos) {
			b.storeLeaf(l, p, p.offset+int64(l.offset), v[i])
		}
		return
	}
	leaves := b.leaves(p.typ, pos)
	if p.chooser < 0 {
		if len(leaves) > 1 {
			v = b.apart(leaves, v, p.regs)
		}
		b.assignAll(leaves, p.regs, v, p.scope)
		return
	}
	b.checkChooser(p)
	for i, l := range leaves {
		if slices.Contains(p.regs, v[i]) {
			v[i] = b.copyOf(l.class(), v[i])
		}
	}
	for part := range p.count {
		is := b.op(maskClass, equal[uint32], p.chooser, b.word(uint32(part)))
		b.branch(is, func() {
			b.assignAll(leaves, p.regs[part*len(leaves):], v, p.scope)
		}, nil, false)
	}
}

// apart copies those registers of v that writing dst one after the other would
// change before they are read, as in v.xy = v.yx.
func (b *builder) apart(leaves []leaf, v, dst value) value {
	written := map[int32]bool{}
	safe := make(value, len(v))
	for i := range v {
		safe[i] = v[i]
		if written[v[i]] {
			safe[i] = b.copyOf(leaves[i].class(), v[i])
		}
		written[dst[i]] = true
	}
	return safe
}

// copyOf gives a register of its own that holds what r does.
func (b *builder) copyOf(c class, r int32) int32 {
	if b.fixed[r] {
		return r
	}
	t := b.newTemp(c)
	b.copyTo(c, t, r)
	return t
}

// uniformLoad is a load of the prologue: of what no thread can change.
type uniformLoad struct {
	object int
	offset int64
	leaf   leaf
}

// uniformLoad loads from a constant argument once for each simd-group.
func (b *builder) uniformLoad(object int, offset int64, l leaf) int32 {
	l.offset = 0
	key := uniformLoad{object, offset, l}
	if r, ok := b.uniforms[key]; ok {
		return r
	}
	r := b.size
	b.size += classSizes[l.class()]
	b.prologue = append(b.prologue, instruction{run: loadRun(l), d: r, a: b.pointer(object), imm: offset, pos: b.pos})
	b.program.hoisted = append(b.program.hoisted, hoistedLoad{object, offset + int64(sizes[l.kind])})
	b.uniforms[key] = r
	b.fixed[r], b.permanent[r] = true, true
	return r
}

func (b *builder) loadLeaf(l leaf, p place, offset int64) int32 {
	d := b.newTemp(l.class())
	b.emit(instruction{run: loadRun(l), d: d, a: p.pointer, b: p.index, c: p.indexed, target: p.scale, imm: offset})
	b.last = d
	return d
}

func (b *builder) storeLeaf(l leaf, p place, offset int64, v int32) {
	outer := b.pos
	b.pos = p.pos
	b.emit(instruction{run: storeRun(l), d: v, a: p.pointer, b: p.index, c: p.indexed, target: p.scale, imm: offset})
	b.pos = outer
}

// loads and stores are the operations for the scalars in memory.
var loads = [...]func(*frame, *instruction){
	msl.Bool: loadBool, msl.Char: loadInt8, msl.UChar: loadUint8, msl.Short: loadInt16, msl.UShort: loadUint16,
	msl.Int: load32, msl.UInt: load32, msl.Long: load64, msl.ULong: load64,
	msl.Half: loadHalf, msl.BFloat: loadBFloat, msl.Float: load32,
}

var stores = [...]func(*frame, *instruction){
	msl.Bool: storeBool, msl.Char: storeUint8, msl.UChar: storeUint8, msl.Short: storeUint16, msl.UShort: storeUint16,
	msl.Int: store32, msl.UInt: store32, msl.Long: store64, msl.ULong: store64,
	msl.Half: storeHalf, msl.BFloat: storeBFloat, msl.Float: store32,
}

func loadRun(l leaf) func(*frame, *instruction) { return loads[l.kind] }

func storeRun(l leaf) func(*frame, *instruction) { return stores[l.kind] }
