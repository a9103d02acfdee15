package runtime

// MemoryUse is how much memory a device has.
type MemoryUse struct {
	Recommended int // bytes that all buffers and textures may have together before the device gets slow; 0 if not known
	Allocated   int // bytes that those of this process have
	Reusable    int // of these, bytes of freed buffers that the device keeps for others; see Options.Reuse
}

// Trim releases the memory of freed buffers that the device keeps for others. What is in use stays.
func (d *Device) Trim() {
	if d == nil {
		return
	}
	d.life.RLock()
	defer d.life.RUnlock()
	if !d.closed {
		d.drv.Trim()
	}
}

// Memory returns how much memory the device has, and how much of it is in use. All is 0 for a device that is nil or
// closed. The CPU device counts what its buffers and textures have, without memory that was wrapped.
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
