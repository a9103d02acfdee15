package runtime

import (
	"errors"
	"fmt"
)

// TextureRef is what a struct that kernels read from memory has in place of a texture: a TextureRef[Texture2D] where
// MSL has a texture2d. [Texture.Ref] returns one. The zero TextureRef is null.
//
// Like a [Pointer] it is a number to Go, which Metal calls the resource ID, and keeps no texture alive.
type TextureRef[T AnyTexture[T]] struct {
	_  [0]*T // a reference to one form of texture is not one to another
	id uint64
}

// IsNull reports whether r refers to nothing.
func (r TextureRef[T]) IsNull() bool { return r.id == 0 }

// ID returns the number that kernels see.
func (r TextureRef[T]) ID() uint64 { return r.id }

func (TextureRef[T]) reference() *referenceKind { return &textureRefs }

// Ref returns the reference to t, null for the zero Texture. It is valid until Free. If t was freed, or if its device
// has no such references, [UploadArguments] and calls refuse it.
func (t Texture[F]) Ref() TextureRef[Texture[F]] {
	if t.t == nil {
		return TextureRef[Texture[F]]{}
	}
	return TextureRef[Texture[F]]{id: t.t.id()}
}

// id returns the ID of the texture, or a number that leads nowhere.
func (t *texture) id() uint64 {
	number := freedNumber
	_ = t.guard(func() error { // else it was freed
		number = t.dev.addresses.ofTexture(t)
		return nil
	})
	return number
}

// textureRefs are the references that are TextureRefs.
var textureRefs = referenceKind{
	what: "a texture",
	bad: map[uint64]badNumber{
		freedNumber: {"one that was freed", ErrFreed},
		noNumber:    {"one of a device that has no textures in memory", errors.ErrUnsupported},
	},
	find: func(d *Device, id uint64) (target, bool) {
		t := d.addresses.findTexture(id)
		return target{texture: t}, t != nil
	},
}

// SamplerRef is what a struct that kernels read from memory has in place of a sampler. [Device.SamplerRef] returns one.
// The zero SamplerRef is null.
type SamplerRef struct{ id uint64 }

// IsNull reports whether r refers to nothing.
func (r SamplerRef) IsNull() bool { return r.id == 0 }

// ID returns the number that kernels see.
func (r SamplerRef) ID() uint64 { return r.id }

func (SamplerRef) reference() *referenceKind { return &samplerRefs }

// SamplerRef returns the reference to a sampler, which is valid until Close. It fails if Metal has no such sampler, and
// on a device whose buffers cannot hold samplers.
func (d *Device) SamplerRef(s Sampler) (SamplerRef, error) {
	id, err := d.samplerID(s)
	if err != nil {
		return SamplerRef{}, fmt.Errorf("SamplerRef: %w", err)
	}
	return SamplerRef{id}, nil
}

func (d *Device) samplerID(s Sampler) (uint64, error) {
	if d == nil {
		return 0, errNilDevice
	}
	if need, have := checkSampler(&s); need != "" {
		return 0, fmt.Errorf("need %s, have %s", need, have)
	}
	d.life.RLock()
	defer d.life.RUnlock()
	if d.closed {
		return 0, ErrClosed
	}
	id, err := d.drv.SamplerID(s)
	if err != nil {
		return 0, ours(err)
	}
	d.addresses.addSampler(id)
	return id, nil
}

// samplerRefs are the references that are SamplerRefs.
var samplerRefs = referenceKind{
	what: "a sampler",
	find: func(d *Device, id uint64) (target, bool) { return target{}, d.addresses.hasSampler(id) },
}
