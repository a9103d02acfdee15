package metal

import "math/bits"

// arena holds the values of a batch, each at an offset that a constant argument
// may have, in buffers that are used again for the next one. They belong to the
// device and go with it.
type arena struct {
	pages []*memory // of arenaPage bytes, filled one after the other
	page  int
	used  int

	// large are of one value each that does not fit into a page. Where the next
	// batch has a larger one in the same place, another takes its place: sizes are
	// powers of 2, so that all the old ones together are smaller than the last one.
	large     []*memory
	largeUsed int
}

const arenaPage = 64 << 10

// put copies a value and returns where it is.
func (a *arena) put(d *Device, bytes []byte) (*memory, int, error) {
	if len(bytes) > arenaPage {
		return a.putLarge(d, bytes)
	}
	if a.used > arenaPage-len(bytes) {
		a.page, a.used = a.page+1, 0
	}
	if a.page == len(a.pages) {
		m, err := d.newKept(arenaPage)
		if err != nil {
			return nil, 0, err
		}
		a.pages = append(a.pages, m)
	}
	m, at := a.pages[a.page], a.used
	copy(m.bytes[at:], bytes)
	a.used = (at + len(bytes) + constantAlign - 1) &^ (constantAlign - 1)
	return m, at, nil
}

func (a *arena) putLarge(d *Device, bytes []byte) (*memory, int, error) {
	if a.largeUsed == len(a.large) {
		a.large = append(a.large, nil)
	}
	m := a.large[a.largeUsed]
	if m == nil || len(m.bytes) < len(bytes) {
		var err error
		if m, err = d.newKept(1 << bits.Len(uint(len(bytes)-1))); err != nil {
			return nil, 0, err
		}
		a.large[a.largeUsed] = m
	}
	a.largeUsed++
	copy(m.bytes, bytes)
	return m, 0, nil
}

func (a *arena) reset() { a.page, a.used, a.largeUsed = 0, 0, 0 }

// newKept makes memory that is released with the device.
func (d *Device) newKept(size int) (*memory, error) {
	m, err := d.newMemory(size)
	if err == nil {
		d.keep(m)
	}
	return m, err
}
