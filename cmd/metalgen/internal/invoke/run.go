package invoke

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// Run dispatches the kernel on a device, waits for it, and keeps what Save
// writes. It returns how long the device took, compiling included.
func (p *Plan) Run(ctx context.Context, dev *runtime.Device) (time.Duration, error) {
	memory := map[*binding.Arg]runtime.Buffer[byte]{}
	for _, a := range p.kernel.Args {
		b := p.buffers[a]
		if b == nil {
			continue
		}
		m, err := runtime.NewBuffer[byte](dev, bind.Mul(b.count, b.size))
		if err != nil {
			return 0, fmt.Errorf("%s: %s: %w", p.kernel.Name, nameOf(a), err)
		}
		defer m.Free()
		b.fill(m.Data())
		memory[a] = m
	}
	start := time.Now()
	batch := dev.NewBatch()
	p.record(batch.Call(p.described), memory)
	if err := batch.Run(ctx); err != nil {
		return 0, err
	}
	took := time.Since(start)
	for _, o := range p.outputs {
		b := p.buffers[o.arg]
		o.array = b.result(memory[o.arg].Data(), p.shape(b))
	}
	return took, nil
}

func (p *Plan) record(c *bind.Call[runtime.Grid], memory map[*binding.Arg]runtime.Buffer[byte]) {
	for _, a := range p.kernel.Args {
		if !p.exists(a) {
			continue
		}
		switch a.Kind {
		case binding.Buffer:
			c.Buffer(a.Index, memory[a].View().Elements(a.Size), p.needs[a])
		case binding.Value:
			if v := p.values[a]; v != nil {
				c.ValueBytes(a.Index, v.bytes)
			}
		case binding.Threadgroup:
			c.Threadgroup(a.Index, p.shared[a])
		}
	}
	for constant, v := range p.constants {
		c.ConstantBytes(constant.Index, v.bytes)
	}
	c.Dispatch(p.grid)
}

// shape is that of the file that a buffer is written to: what was given with it,
// or what the source states.
func (p *Plan) shape(b *buffer) []int {
	if b.shape != nil {
		return b.shape
	}
	n := &numbers{values: map[*binding.Arg][]byte{}, lens: map[*binding.Arg]int{}, grid: &p.grid}
	for a, v := range p.values {
		n.values[a] = v.bytes
	}
	for a, other := range p.buffers {
		n.lens[a] = other.count
	}
	total, dims := 1, []int{}
	for _, e := range factors(b.Arg) {
		dim, ok := n.eval(e)
		if !ok || dim < 0 {
			total = -1
			break
		}
		total, dims = bind.Mul(total, dim), append(dims, dim)
	}
	if total != b.count {
		dims = []int{b.count} // no product of dimensions after all
	}
	return append(dims, b.dims...)
}

// Describe writes what is called with what, for people.
func (p *Plan) Describe(w io.Writer, dev *runtime.Device) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(tw, "%s, %s, on %v\n", p.kernel.Name, binding.FileLine(p.kernel.Pos), dev)
	fmt.Fprintf(tw, "  grid\t%v\n", p.grid)
	for _, a := range p.kernel.Args {
		switch a.Kind {
		case binding.Buffer:
			fmt.Fprintf(tw, "  %s\t%s\n", nameOf(a), p.bufferText(a))
		case binding.Value:
			text := "left out"
			if v := p.values[a]; v != nil {
				text = a.Type + " " + v.text(v.bytes)
			}
			fmt.Fprintf(tw, "  %s\t%s\n", nameOf(a), text)
		case binding.Threadgroup:
			fmt.Fprintf(tw, "  %s\t%s[%d] of threadgroup memory\n", nameOf(a), a.Type, p.shared[a])
		}
	}
	if p.kernel.Uses != nil {
		for _, c := range p.kernel.Uses {
			text := "without a value"
			if v := p.constants[c]; v != nil {
				text = v.text(v.bytes)
			}
			fmt.Fprintf(tw, "  %s\t%s %s, a function constant\n", c.Name, c.Type, text)
		}
	}
	return tw.Flush()
}

func (p *Plan) bufferText(a *binding.Arg) string {
	b := p.buffers[a]
	if b == nil {
		return "left out"
	}
	text := fmt.Sprintf("%s[%d] from %s", a.Type, b.count, b.from)
	for _, o := range p.outputs {
		if o.arg == a {
			text += ", to " + o.name
		}
	}
	return text
}
