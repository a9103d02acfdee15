package runtime

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// call is the call that a batch records: what was set, and the dispatch that is made of it. It is the
// [bind.Dispatcher] of what is recorded.
type call struct {
	batch    *Batch
	kernel   *bind.Kernel // that messages name
	form     *kernelForm
	recorded bind.Recorder[Grid]
	dispatch driver.Dispatch
	textures []boundTexture // the textures of the call
	nothing  bool           // it is of no threads: nothing is dispatched
	followed followed
}

var (
	errNoBatch = fmt.Errorf(
		"%w: the batch was not made by Device.NewBatch, or by that of a nil *Device", ErrNoDevice)
	errNilKernel     = errors.New("the *Kernel is nil")
	errNotDispatched = errors.New("the call was begun but not dispatched")
)

// noKernel is what messages about a nil *Kernel name.
var noKernel = bind.Kernel{Name: "call of no kernel"}

// Call begins a call of k, which ends with its Dispatch. The Call is valid until then. It is for generated functions;
// see package bind.
func (b *Batch) Call(k *bind.Kernel) *bind.Call[Grid] {
	if b == nil {
		panic("metalgen: Call on a nil *Batch; Device.NewBatch makes one")
	}
	b.call.begin(b, k)
	return b.call.recorded.Call()
}

// begin begins a call of k. After a mistake no call begins, and setting arguments does nothing.
func (c *call) begin(b *Batch, k *bind.Kernel) {
	if !c.beginOther(b, cmp.Or(k, &noKernel)) {
		return
	}
	if k == nil {
		c.Fail(errNilKernel)
		return
	}
	form, err := formOf(k)
	if err != nil {
		c.Fail(err)
		return
	}
	c.form = form
	c.recorded.Begin(k, c)
}

// beginOther ends the previous call and reports whether the batch can record another one. Messages name kernel k.
func (c *call) beginOther(b *Batch, k *bind.Kernel) bool {
	c.batch = b
	c.mustBeDispatched()
	c.kernel = k
	b.number++
	switch {
	case b.err != nil:
	case b.submitted:
		c.Fail(ErrSubmitted)
	case b.dev == nil:
		c.Fail(errNoBatch)
	case b.rec == nil && b.pipelines == nil:
		var err error
		if b.rec, err = b.dev.recorder(); err != nil {
			c.Fail(err)
		}
	}
	return b.err == nil
}

// mustBeDispatched makes a mistake of a call that was left open.
func (c *call) mustBeDispatched() {
	if c.recorded.Open() {
		c.recorded.End()
		c.Fail(errNotDispatched)
	}
}

// Dispatch checks the recorded call and passes it to the device, unless there is nothing to do.
func (c *call) Dispatch(g *Grid) {
	if c.batch.pipelines != nil {
		c.preload()
		return
	}
	if err := c.bind(g); err != nil {
		c.batch.fail(err)
		return
	}
	if c.nothing {
		return
	}
	if c.batch.dev.trace != nil {
		c.dispatch.For = c.batch.recording()
	}
	if err := c.batch.dev.record(c.batch.rec, &c.dispatch); err != nil {
		c.Fail(err)
		return
	}
	c.batch.recorded = true
	if c.batch.dev.measures {
		grid := Grid{Threadgroups: g.Threadgroups, Threads: g.Threads, Size: g.Size}
		c.batch.note(work{c.kernel.Name, grid, bytesOf(&c.dispatch)})
	}
	c.batch.noteCall()
}

// Fail makes err the mistake of the batch, unless it has one.
func (c *call) Fail(err error) {
	c.batch.fail(&CallError{Kernel: c.kernel.Name, Pos: c.kernel.Pos, Err: err})
}

// Refuse makes a requirement that the call does not meet the mistake of the batch.
func (c *call) Refuse(r *bind.Requirement, have string) {
	c.batch.fail(&RequireError{Kernel: c.kernel.Name, Need: r.Need, Pos: r.Pos, Have: have})
}

// bind checks the call, to run over grid g, and makes the dispatch of it. Calls are checked nowhere else: drivers rely
// on it.
func (c *call) bind(g *Grid) error {
	c.dispatch.Kernel = &c.form.kernel
	c.dispatch.Reset()
	c.textures = c.textures[:0]
	c.followed.reset()
	if err := c.bindArgs(c.form.first); err != nil {
		return err
	}
	if err := c.followOn(); err != nil {
		return err
	}
	var err error
	if c.nothing, err = c.checkGrid(g); err != nil {
		return err
	}
	if c.nothing {
		return c.idle(g)
	}
	if err := c.bindGrid(g); err != nil {
		return err
	}
	return c.bindArgs(c.form.last)
}

// bindArgs checks and binds some of the arguments.
func (c *call) bindArgs(args []formArg) error {
	slots := c.recorded.Slots()
	for i := range args {
		a := &args[i]
		if err := a.bind(c, a, &slots[a.slot]); err != nil {
			return err
		}
	}
	return nil
}

// indirectArg describes the Indirect of a Grid as if it were an argument.
var indirectArg = bind.Arg{
	Kind: bind.BufferArg, Name: "Grid.Indirect", Type: "uint[3]", Size: 12, Align: 4, Access: Read,
}

// bindGrid binds the grid, and the buffer of an indirect one.
func (c *call) bindGrid(g *Grid) error {
	to := &c.dispatch.Grid
	for i := range 3 { // see Grid.IsZero
		to.Threadgroups[i], to.Threads[i], to.Size[i] = g.Threadgroups[i], g.Threads[i], g.Size[i]
	}
	if to.Indirect.Memory != nil {
		to.Indirect = driver.Buffer{}
	}
	if c.batch.dev.sanitize&CheckGrid != 0 {
		to.Short = g.shortOf(c.kernel)
	}
	if !g.isIndirect() {
		return nil
	}
	v := g.Indirect.View()
	if err := c.hold(&indirectArg, &v, g.Indirect.mem, 1); err != nil {
		return err
	}
	to.Indirect = driver.Buffer{Memory: g.Indirect.mem.mem, Offset: v.Offset, Length: indirectArg.Size}
	return nil
}
