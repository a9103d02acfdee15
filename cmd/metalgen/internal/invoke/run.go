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

// Plan is a call that is ready for a device.
type Plan struct {
	kernel    *binding.Kernel
	described *bind.Kernel
	args      []argument
	outputs   []*output
	numbers   *numbers // the grid among them
}

// Run dispatches the kernel on a device, waits for it, and keeps what Save
// writes. It returns how long the device took, compiling included, and adds the call to a profile.
func (p *Plan) Run(ctx context.Context, dev *runtime.Device, profile *runtime.Profile) (time.Duration, error) {
	for _, a := range p.args {
		free, err := a.allocate(dev)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", p.kernel.Name, err)
		}
		defer free()
	}
	start := time.Now()
	batch := dev.NewBatch()
	c := batch.Call(p.described)
	for _, a := range p.args {
		if a.about().exists {
			a.pass(c)
		}
	}
	c.Dispatch(*p.numbers.grid)
	if err := batch.Run(ctx); err != nil {
		return 0, err
	}
	took := time.Since(start)
	profile.Add(batch.Result())
	for _, a := range p.args {
		if err := a.finish(p.numbers); err != nil {
			return 0, fmt.Errorf("%s: %w", p.kernel.Name, err)
		}
	}
	return took, nil
}

// Describe writes what is called with what, for people.
func (p *Plan) Describe(w io.Writer, dev *runtime.Device) error {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintf(tw, "%s, %s, on %v\n", p.kernel.Name, binding.FileLine(p.kernel.Pos), dev)
	fmt.Fprintf(tw, "  grid\t%v\n", *p.numbers.grid)
	for _, a := range p.args {
		if text := a.text(); text != "" {
			fmt.Fprintf(tw, "  %s\t%s\n", a.about().name(), text)
		}
	}
	return tw.Flush()
}
