package runtime

// MemoryUse is how much memory a device has.
type MemoryUse struct {
	Recommended int // bytes that all buffers and textures may have together before the device gets slow
	Allocated   int // bytes that those of this process have
}

// Memory returns how much memory the device has, and how much of it is in use. All is 0 for a device that is nil or
// closed, and for the CPU device, whose memory is that of Go.
func (d *Device) Memory() MemoryUse {
	if d == nil {
		return MemoryUse{}
	}
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return MemoryUse{}
	}
	return MemoryUse(d.drv.Memory())
}
