package metal

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

var selSetBuffers = objc.Selector("setBuffers:offsets:withRange:", "vr^@r^Q{_NSRange=QQ}")

const wordSize = 8

// table is the encoder's table of buffers as one dispatch has it. It is on the tape,
// whose message reads it when it is replayed.
type table struct{ ids, offsets []uintptr }

// newTable records the message that sets all of the table. Metal wants every argument
// bound, so it has a placeholder for those that nothing is set for.
func (r *recorder) newTable(p *pipeline) table {
	n := p.table
	if n == 0 {
		return table{}
	}
	words, address := r.tape.Words(2 * n)
	t := table{ids: words[:n], offsets: words[n:]}
	for i := range t.ids {
		t.ids[i], t.offsets[i] = uintptr(p.placeholder.id), 0
	}
	r.tape.Message(0, selSetBuffers, address, address+uintptr(n)*wordSize, 0, uintptr(n))
	return t
}

// set binds an MTLBuffer to an argument.
func (t *table) set(a *driver.Arg, id, offset uintptr) {
	t.ids[a.Index], t.offsets[a.Index] = id, offset
}

// tableOf returns how many entries of the table a kernel needs.
func tableOf(k *driver.Kernel) int {
	n := 0
	for _, a := range argsOf(k, bindingBuffer) {
		n = max(n, a.Index+1)
	}
	return n
}
