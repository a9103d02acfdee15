package bind

import "reflect"

// Recorder records the calls of a batch, one after the other, for package runtime. It keeps its storage from call to
// call.
type Recorder[G any] struct {
	// Sparse is set if calls are not to run, so that their requirements do not matter.
	Sparse bool

	call Call[G]
}

// Dispatcher takes recorded calls: a batch of package runtime.
type Dispatcher[G any] interface {
	// Dispatch takes the call to run over grid g, which is valid until the next call begins.
	Dispatch(g *G)

	failer
}

// failer takes the mistake with which a call has ended.
type failer interface {
	// Fail takes any mistake.
	Fail(err error)

	// Refuse takes a requirement that the call does not meet, and what its terms are: "n_experts = 0".
	Refuse(r *Requirement, have string)
}

// Begin begins a call of k. The Dispatcher takes it when it ends.
func (r *Recorder[G]) Begin(k *Kernel, to Dispatcher[G]) {
	c := &r.call
	if c.to != to {
		c.to, c.fails = to, to
	}
	c.kernel = k
	if n := len(k.Args); n <= cap(c.slots) {
		c.slots = c.slots[:n]
	} else {
		c.slots = make([]Slot, n)
	}
	for i := range c.slots {
		c.slots[i].Set, c.slots[i].elements = false, 0
	}
	c.bytes, c.textures, c.samplers = c.bytes[:0], c.textures[:0], c.samplers[:0]
	c.next, c.open, c.sparse = 0, true, r.Sparse
}

// Call returns the call, which is the same at every Begin.
func (r *Recorder[G]) Call() *Call[G] { return &r.call }

// End ends the call. To set an argument after that is a mistake.
func (r *Recorder[G]) End() { r.call.open = false }

// Open reports whether a call has begun and not ended.
func (r *Recorder[G]) Open() bool { return r.call.open }

// Slots returns the arguments that were set, parallel to the Args of the kernel. It is valid until the next Begin.
func (r *Recorder[G]) Slots() []Slot { return r.call.slots }

// Slot is what a call set for one argument, if Set is true. Otherwise the rest is left from an earlier call.
type Slot struct {
	Set      bool
	elements int // how many are set

	View  View         // of a buffer
	Count int          // elements that a buffer needs, or that threadgroup memory has
	Bytes []byte       // of what is passed by value, as a function constant is
	Type  reflect.Type // of Bytes, nil where the caller does not know it

	Textures []Texture // the elements of an array of textures, or one
	Samplers []Sampler // the elements of an array of samplers, or one
}
