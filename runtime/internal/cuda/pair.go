package cuda

import "github.com/metalgen/metalgen/runtime/internal/driver"

// pair is memory of the GPU, and as much of the host that the first is copied to or from.
type pair struct{ gpu, host *memory }

// newPair returns memory of a size, for which gpu and host may add to where each of them is stored.
func (d *Device) newPair(size int, gpu, host driver.Storage) (p pair, err error) {
	onGPU, err := d.NewMemory(size, driver.StoragePrivate|gpu)
	if err != nil {
		return pair{}, err
	}
	onHost, err := d.NewMemory(size, driver.StorageShared|host)
	if err != nil {
		onGPU.Free()
		return pair{}, err
	}
	return pair{onGPU.(*memory), onHost.(*memory)}, nil
}

// free gives the memory back, if there is any.
func (p *pair) free() {
	if p.gpu != nil {
		p.gpu.Free()
		p.host.Free()
	}
	*p = pair{}
}
