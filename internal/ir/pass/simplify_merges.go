package pass

import "github.com/metalgen/metalgen/internal/ir"

// maxRounds bounds how often merges of merges are looked at: what is left is right, only not as simple as it could be.
const maxRounds = 4

// merges replaces the results of constructs and the parameters of loops that are the same value on each way.
func (s *simplifier) merges() {
	e := edgesOf(s.Kernel)
	m := &mergeFinder{simplifier: s, edges: e, place: make([]int32, s.Values()), from: make([]int32, s.Labels()),
		to: make([]int32, s.Labels())}
	for body := range s.Bodies() {
		m.number(body)
	}
	for range maxRounds {
		m.changed = false
		for _, in := range m.constructs {
			m.construct(in)
		}
		if !m.changed {
			return
		}
	}
}

// mergeFinder knows where values are assigned: construct l has those that are assigned from place from[l] to to[l].
type mergeFinder struct {
	*simplifier
	edges      *edges
	place      []int32
	from, to   []int32
	next       int32
	constructs []*ir.Instr
	changed    bool
}

func (m *mergeFinder) number(r *ir.Region) {
	m.assign(r.Params)
	for _, in := range r.Code {
		if len(in.Regions) > 0 {
			m.constructs = append(m.constructs, in)
			m.next++
			m.from[in.Label()] = m.next
			for _, inner := range in.Regions {
				m.number(inner)
			}
			m.to[in.Label()] = m.next
			m.next++
		}
		m.assign(in.Results)
	}
}

func (m *mergeFinder) assign(list []ir.Value) {
	for _, v := range list {
		m.next++
		m.place[v] = m.next
	}
}

// inside reports whether a value is assigned within a construct.
func (m *mergeFinder) inside(v ir.Value, label int) bool {
	return m.place[v] > m.from[label] && m.place[v] <= m.to[label]
}

func (m *mergeFinder) construct(in *ir.Instr) {
	label := in.Label()
	if in.Op == ir.OpLoop {
		m.same(in.Regions[0].Params, in.Args, m.edges.again[label], label)
	}
	if leaves := m.edges.leave[label]; len(leaves) > 0 {
		m.same(in.Results, nil, leaves, label)
	}
}

// same replaces those of a list of merged values that are one value on all paths: first, if it is not nil, or what
// terminators hand on.
func (m *mergeFinder) same(merged, first []ir.Value, ways []*ir.Instr, label int) {
	for i, v := range merged {
		if m.replacement[v] != 0 {
			continue
		}
		var only ir.Value
		if first != nil {
			only = m.of(first[i])
		}
		one := true
		for _, way := range ways {
			switch a := m.of(way.Args[i]); {
			case a == v || a == only:
			case only == 0:
				only = a
			default:
				one = false
			}
		}
		if one && only != 0 && only != v && !m.inside(only, label) {
			m.replacement[v], m.changed = only, true
		}
	}
}
