package runtime

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

var samplerKind = argKind{
	table: &argTable{last: 15},
	check: func(*bind.Arg) error { return nil },
	describe: func(k *driver.Kernel, arg *driver.Arg, a *bind.Arg) {
		arg.Count = max(a.Count, 1)
		k.Samplers = append(k.Samplers, arg)
	},
	bind: bindSamplers,
}

func bindSamplers(c *call, a *formArg, s *bind.Slot) error {
	if !s.Set {
		return c.notSet(a.Arg)
	}
	for i := range s.Samplers {
		sampler := &s.Samplers[i]
		if need, have := checkSampler(sampler); need != "" {
			return ofElement(c.bad(a.Arg, need, have, nil), a.Arg, i)
		}
		c.dispatch.Samplers = append(c.dispatch.Samplers,
			driver.SamplerArg{Arg: a.driver, Element: i, Sampler: *sampler})
	}
	return nil
}

// checkSampler returns what is wrong with a sampler, by the rules of MTLSamplerDescriptor: Metal aborts the process.
func checkSampler(s *bind.Sampler) (need, have string) {
	for _, field := range []struct {
		name        string
		value, last uint8
	}{
		{"Min", uint8(s.Min), uint8(bind.Linear)},
		{"Mag", uint8(s.Mag), uint8(bind.Linear)},
		{"Mip", uint8(s.Mip), uint8(bind.MipLinear)},
		{"Address", uint8(s.Address), uint8(bind.ClampToBorder)},
		{"AddressS", uint8(s.AddressS), uint8(bind.ClampToBorder)},
		{"AddressT", uint8(s.AddressT), uint8(bind.ClampToBorder)},
		{"AddressR", uint8(s.AddressR), uint8(bind.ClampToBorder)},
		{"Border", uint8(s.Border), uint8(bind.OpaqueWhite)},
		{"Compare", uint8(s.Compare), uint8(bind.CompareAlways)},
	} {
		if field.value > field.last {
			return "a sampler whose " + field.name + " is one of the constants", strconv.Itoa(int(field.value))
		}
	}
	switch {
	case s.MaxAnisotropy < 0 || s.MaxAnisotropy > 16:
		return "a sampler whose MaxAnisotropy is 0 to 16", strconv.Itoa(s.MaxAnisotropy)
	case !(s.LODMin >= 0) || s.LODMax != 0 && !(s.LODMax >= s.LODMin):
		return "a sampler whose levels of detail are in order", fmt.Sprintf("%v to %v", s.LODMin, s.LODMax)
	case s.Border != bind.TransparentBlack && hasAddress(s, bind.ClampToZero) && hasAddress(s, bind.ClampToBorder):
		return "a sampler with ClampToZero and ClampToBorder whose Border is TransparentBlack", "another"
	case s.Pixel:
		return checkPixelSampler(s)
	}
	return "", ""
}

func hasAddress(s *bind.Sampler, m bind.AddressMode) bool {
	all := s.Addresses()
	return slices.Contains(all[:], m)
}

// checkPixelSampler returns what is wrong with a sampler whose coordinates count texels. Apple:
// MTLSamplerDescriptor.normalizedCoordinates.
func checkPixelSampler(s *bind.Sampler) (need, have string) {
	switch {
	case s.Min != s.Mag:
		return "a sampler of Pixel coordinates with one filter for Min and Mag", "two"
	case s.Mip != bind.MipNone:
		return "a sampler of Pixel coordinates without a mip filter", "one with Mip"
	case s.MaxAnisotropy > 1:
		return "a sampler of Pixel coordinates with a MaxAnisotropy of 1", strconv.Itoa(s.MaxAnisotropy)
	}
	for _, m := range s.Addresses() {
		if m != bind.ClampToEdge && m != bind.ClampToZero && m != bind.ClampToBorder {
			return "a sampler of Pixel coordinates that clamps them", "one that repeats or mirrors"
		}
	}
	return "", ""
}
