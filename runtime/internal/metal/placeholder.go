package metal

import (
	"math/bits"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Metal wants every argument bound, to a buffer with room for one element of it. So
// where a call sets nothing for an argument, there is a placeholder, which holds the
// largest argument of its kernel.

// placeholderFor returns a placeholder for the arguments of a kernel. Where the one
// that there is does not suffice, another takes its place, and the old one stays for
// the pipelines that have it: sizes are powers of 2, so that all of them come to less
// than twice the largest.
func (d *Device) placeholderFor(k *driver.Kernel) (*memory, error) {
	size := sizeOfLargest(k)
	d.placeholders.mu.Lock()
	defer d.placeholders.mu.Unlock()
	if m := d.placeholders.largest; len(m.bytes) >= size {
		return m, nil
	}
	m, err := d.newKept(1 << bits.Len(uint(size-1)))
	if err != nil {
		return nil, err
	}
	d.placeholders.largest = m
	return m, nil
}

// sizeOfLargest returns that of one element of the largest buffer, or of the largest value.
func sizeOfLargest(k *driver.Kernel) int {
	size := 0
	for _, a := range argsOf(k, bindingBuffer) {
		size = max(size, a.Size)
	}
	return size
}
