package metal

// arena holds the values of a batch, each at an offset that a constant argument
// may have, in buffers that are used again for the next one.
type arena struct {
	pages []*memory
	page  int
	used  int
}

const arenaPage = 64 << 10

// put copies a value and says where it is.
func (a *arena) put(d *Device, bytes []byte) (*memory, int, error) {
	for a.page < len(a.pages) && a.used+len(bytes) > len(a.pages[a.page].bytes) {
		a.page, a.used = a.page+1, 0
	}
	if a.page == len(a.pages) {
		m, err := d.newMemory(max(arenaPage, len(bytes)))
		if err != nil {
			return nil, 0, err
		}
		d.keep(m)
		a.pages = append(a.pages, m)
	}
	m, at := a.pages[a.page], a.used
	copy(m.bytes[at:], bytes)
	a.used = (at + len(bytes) + constantAlign - 1) &^ (constantAlign - 1)
	return m, at, nil
}

func (a *arena) reset() { a.page, a.used = 0, 0 }
