package texture

import "errors"

// Sampler says how a texture is sampled. The zero value is MSL's default, but for MaxLOD.
type Sampler struct {
	Min, Mag      Filter
	Mip           MipFilter
	S, T, R       Address // one for each coordinate
	Border        Border
	Compare       Compare
	Pixel         bool    // coordinates count texels; else they are 0 to 1
	MinLOD        float32 // for samples that name no level
	MaxLOD        float32
	MaxAnisotropy int // needs gradients, which kernels have none of: it changes nothing here
}

// Filter is MTLSamplerMinMagFilter.
type Filter uint8

const (
	Nearest Filter = iota
	Linear
)

// MipFilter is MTLSamplerMipFilter.
type MipFilter uint8

const (
	MipNone MipFilter = iota // only level 0
	MipNearest
	MipLinear
)

// Address is MTLSamplerAddressMode: what is where a texture is not.
type Address uint8

const (
	ClampToEdge Address = iota
	MirrorClampToEdge
	Repeat
	MirroredRepeat
	ClampToZero
	ClampToBorder
)

// Border is MTLSamplerBorderColor.
type Border uint8

const (
	TransparentBlack Border = iota
	OpaqueBlack
	OpaqueWhite
)

// Compare is MTLCompareFunction, applied to the given value and that of the texel, in this order.
type Compare uint8

const (
	Never Compare = iota
	Less
	Equal
	LessEqual
	Greater
	NotEqual
	GreaterEqual
	Always
)

// Check returns an error if MSL leaves undefined what the sampler does.
func (s *Sampler) Check() error {
	zero, border := false, false
	for _, a := range []Address{s.S, s.T, s.R} {
		zero = zero || a == ClampToZero
		border = border || a == ClampToBorder
		if s.Pixel && a != ClampToEdge && a != ClampToZero && a != ClampToBorder {
			return errors.New("pixel coordinates need clamp_to_edge, clamp_to_zero or clamp_to_border")
		}
	}
	switch {
	case s.Pixel && s.Min != s.Mag:
		return errors.New("pixel coordinates need one filter for both min and mag")
	case s.Pixel && s.Mip != MipNone:
		return errors.New("pixel coordinates need mip_filter::none")
	case zero && border && s.Border != TransparentBlack:
		return errors.New("clamp_to_border beside clamp_to_zero needs border_color::transparent_black")
	case !(s.MinLOD <= s.MaxLOD):
		return errors.New("the least level of lod_clamp is above the largest")
	}
	return nil
}
