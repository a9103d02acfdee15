package cuda

import (
	"github.com/metalgen/metalgen/runtime/internal/cuda/libcuda"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// The graph of a kept batch has branches: calls that touch nothing that another one writes may run beside it. It is
// captured from streams of its own, so that nothing else which is sent meanwhile becomes part of it.

// maxBranches is how many calls may run at once.
const maxBranches = 8

// touch notes what a dispatch touches.
func (i *item) touch(from *driver.Dispatch) {
	for n := range from.Buffers {
		b := &from.Buffers[n]
		i.touchMemory(b.Memory, b.Offset, b.Length, b.Arg.Writes)
	}
	for n := range from.Textures {
		t := &from.Textures[n]
		i.touchTexture(t.Texture, t.Arg.Writes)
	}
	for n := range from.Resources {
		if r := &from.Resources[n]; r.Memory != nil {
			i.touchMemory(r.Memory, 0, r.Memory.(*memory).size, r.Writes)
		} else {
			i.touchTexture(r.Texture, r.Writes)
		}
	}
}

func (i *item) touchMemory(m driver.Memory, offset, length int, writes bool) {
	if length > 0 {
		start := at(m, offset)
		i.spans = append(i.spans, span{start, start + uint64(length), writes})
	}
}

// touchTexture notes the texels of all levels.
func (i *item) touchTexture(t driver.Texture, writes bool) {
	own := t.(*texture)
	for _, l := range own.levels {
		start := own.base + uint64(l.Offset)
		i.spans = append(i.spans, span{start, start + uint64(l.Slice*l.Depth*own.spec.Slices()), writes})
	}
}

// step is where an item is sent.
type step struct {
	branch int
	waits  []int // for these items, of other branches
	marked bool  // another item waits for it
}

// branches divides items. Each one comes after those before it that it conflicts with: in its branch, or by waiting.
func branches(items []*item) []step {
	steps := make([]step, len(items))
	memory := newTouched(items)
	var members [maxBranches][]int
	seen := make([][maxBranches]int, len(items)) // by item: how many members of each branch come before it, and it
	for n, i := range items {
		last := memory.before(i)
		best, latest := -1, -1
		for b, list := range members {
			if k := len(list); k > 0 && last[b] == k && list[k-1] > latest {
				best, latest = b, list[k-1]
			}
		}
		if best < 0 {
			best = idlest(members[:])
		}
		s := &steps[n]
		s.branch = best
		if list := members[best]; len(list) > 0 {
			seen[n] = seen[list[len(list)-1]]
		}
		for b, k := range last {
			if b == best || k <= seen[n][b] {
				continue
			}
			from := members[b][k-1]
			s.waits = append(s.waits, from)
			steps[from].marked = true
			for c, m := range seen[from] {
				seen[n][c] = max(seen[n][c], m)
			}
		}
		memory.add(i, best, len(members[best]))
		members[best] = append(members[best], n)
		seen[n][best] = len(members[best])
	}
	return steps
}

// idlest returns the branch whose last member came first.
func idlest(members [][]int) int {
	last := func(list []int) int {
		if len(list) == 0 {
			return -1
		}
		return list[len(list)-1]
	}
	best := 0
	for b := range members {
		if last(members[b]) < last(members[best]) {
			best = b
		}
	}
	return best
}

// sendBranches sends the items of a piece to the first streams of branches, which capture them.
func (r *recorder) sendBranches(p *piece, steps []step, used int) error {
	d := r.device
	if err := d.clearRecords(p, d.branches[0]); err != nil {
		return err
	}
	if used > 1 {
		if err := d.link(r.fork, d.branches[0], d.branches[1:used]...); err != nil {
			return err
		}
	}
	for n, i := range p.items {
		s := &steps[n]
		stream := d.branches[s.branch]
		for _, w := range s.waits {
			if result := d.lib.StreamWaitEvent(stream, p.marks[w]); result != libcuda.Success {
				return d.lib.Error("cuStreamWaitEvent", result)
			}
		}
		if err := r.sendItem(p, i, stream); err != nil {
			return err
		}
		if s.marked {
			if result := d.lib.EventRecord(p.marks[n], stream); result != libcuda.Success {
				return d.lib.Error("cuEventRecord", result)
			}
		}
	}
	for _, stream := range d.branches[1:used] {
		if err := d.link(r.fork, stream, d.branches[0]); err != nil {
			return err
		}
	}
	return d.readRecords(p, d.branches[0])
}

// prepareBranches finds where the items of a piece are sent, and makes the streams and the events that do not exist
// yet. Nothing else is sent to these streams.
func (r *recorder) prepareBranches(p *piece) (steps []step, used int, err error) {
	d := r.device
	steps, used = branches(p.items), 1
	events := []*libcuda.Event{&r.fork}
	p.marks = append(p.marks, make([]libcuda.Event, max(0, len(p.items)-len(p.marks)))...)
	for n, s := range steps {
		used = max(used, s.branch+1)
		if s.marked {
			events = append(events, &p.marks[n])
		}
	}
	for len(d.branches) < used {
		s, result := d.lib.StreamCreate()
		if result != libcuda.Success {
			return nil, 0, d.lib.Error("cuStreamCreate", result)
		}
		d.branches = append(d.branches, s)
	}
	return steps, used, d.makeEvents(events...)
}

// link has streams wait for what was sent to another one.
func (d *Device) link(e libcuda.Event, from libcuda.Stream, to ...libcuda.Stream) error {
	if result := d.lib.EventRecord(e, from); result != libcuda.Success {
		return d.lib.Error("cuEventRecord", result)
	}
	for _, stream := range to {
		if result := d.lib.StreamWaitEvent(stream, e); result != libcuda.Success {
			return d.lib.Error("cuStreamWaitEvent", result)
		}
	}
	return nil
}
