package cpu

import "github.com/metalgen/metalgen/parser"

// masks says which lanes are active, as the constructs around what is being lowered
// leave them.
type masks struct {
	*assembler
	constructs []*construct // the innermost last
	pushed     int32
}

// newMasks returns the masks of a kernel: lanes leave its only construct for good.
func newMasks(asm *assembler) *masks {
	kernel := &construct{kind: kernelConstruct, id: 1, resume: newLabel(), active: asm.extend(maskClass, 1)}
	return &masks{assembler: asm, constructs: []*construct{kernel}, pushed: 1}
}

// construct is a statement that changes which lanes are active, or an inlined call.
// entry is the mask from before it, without the lanes that will not go on behind it;
// active the mask inside, without those that go on at its end or next turn.
type construct struct {
	kind          constructKind
	entry, active int32
	resume        *label // where lanes go on that leave what is inside
	result        value  // of a call
	pos           parser.Pos
	id            int32

	barrier   bool // it has a barrier in it
	count     int32
	ifBarrier []prepared // to do where it has
}

type constructKind uint8

const (
	branchConstruct constructKind = iota
	loopConstruct
	switchConstruct
	callConstruct
	kernelConstruct
)

// scope returns the mask of the innermost construct: of the lanes in which what is
// declared here lives.
func (m *masks) scope() int32 { return m.constructs[len(m.constructs)-1].active }

// resume returns the label at which lanes go on that leave the inside of the innermost
// construct.
func (m *masks) resume() *label { return m.constructs[len(m.constructs)-1].resume }

// push opens a construct with masks of its own.
func (m *masks) push(kind constructKind) *construct {
	m.pushed++
	c := &construct{kind: kind, pos: m.pos, resume: newLabel(), id: m.pushed}
	c.entry, c.active = m.allocate(maskClass), m.allocate(maskClass)
	m.constructs = append(m.constructs, c)
	return c
}

func (m *masks) pop() {
	c := m.constructs[len(m.constructs)-1]
	m.constructs = m.constructs[:len(m.constructs)-1]
	m.giveBack(maskClass, c.entry)
	m.giveBack(maskClass, c.active)
}

// leave makes the active lanes leave all constructs inside the innermost one that ends
// accepts, and that one too unless they stay. It reports whether there is such a one.
func (m *masks) leave(ends func(*construct) bool, stay bool) bool {
	var slots []int32
	for i := len(m.constructs) - 1; i >= 0; i-- {
		c := m.constructs[i]
		if ends(c) {
			if !stay {
				slots = append(slots, c.active)
			}
			m.program.leaves = append(m.program.leaves, slots)
			m.jump(instruction{flow: flowLeave, imm: int64(len(m.program.leaves) - 1)}, m.resume())
			return true
		}
		slots = append(slots, c.entry, c.active)
	}
	return false
}

// branch calls then to lower what the lanes do where cond holds and, with hasElse,
// otherwise for what the other lanes do.
func (m *masks) branch(cond int32, then, otherwise func(), hasElse bool) {
	if is, ok := m.decided(cond); ok {
		switch {
		case is:
			then()
		case hasElse:
			otherwise()
		}
		return
	}
	outer := m.resume()
	m.decides("branches on it", cond)
	if hasElse && !m.isTemp(cond) && !m.permanent[cond] {
		// then may change the variable that decides
		kept := m.newTemp(maskClass)
		m.copyTo(maskClass, kept, cond)
		cond = kept
	}
	c := m.push(branchConstruct)
	end := newLabel()
	if !hasElse {
		c.resume = end
	}
	m.jump(instruction{flow: flowIf, a: cond, d: c.entry, b: c.active}, c.resume)
	m.entered(c)
	then()
	if hasElse {
		m.here(c.resume)
		c.resume = end
		m.jump(instruction{flow: flowElse, a: cond, d: c.entry, b: c.active}, end)
		m.entered(c)
		otherwise()
	}
	m.here(end)
	m.pop()
	m.jump(instruction{flow: flowEnd, d: c.entry}, outer)
}
