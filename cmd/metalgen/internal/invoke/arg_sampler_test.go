package invoke

import (
	"math"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

func TestSamplerWords(t *testing.T) {
	for text, want := range map[string]runtime.Sampler{
		"nearest":                        {},
		"linear":                         {Min: runtime.Linear, Mag: runtime.Linear},
		"normalized,mip_none":            {},
		"pixel, clamp_to_zero":           {Pixel: true, Address: runtime.ClampToZero},
		"mip_nearest,repeat":             {Mip: runtime.MipNearest, Address: runtime.Repeat},
		"mip_linear,mirrored_repeat":     {Mip: runtime.MipLinear, Address: runtime.MirrorRepeat},
		"clamp_to_edge":                  {Address: runtime.ClampToEdge},
		"clamp_to_border,opaque_white":   {Address: runtime.ClampToBorder, Border: runtime.OpaqueWhite},
		"opaque_black":                   {Border: runtime.OpaqueBlack},
		"transparent_black":              {Border: runtime.TransparentBlack},
		"never":                          {Compare: runtime.CompareNever},
		"less":                           {Compare: runtime.CompareLess},
		"less_equal":                     {Compare: runtime.CompareLessEqual},
		"greater":                        {Compare: runtime.CompareGreater},
		"greater_equal":                  {Compare: runtime.CompareGreaterEqual},
		"equal":                          {Compare: runtime.CompareEqual},
		"not_equal":                      {Compare: runtime.CompareNotEqual},
		"always":                         {Compare: runtime.CompareAlways},
		"lod_clamp(0.5, 2),nearest":      {LODMin: 0.5, LODMax: 2},
		"lod_clamp(0,0)":                 {LODMax: math.SmallestNonzeroFloat32},
		"max_anisotropy(16)":             {MaxAnisotropy: 16},
		" linear , max_anisotropy ( 2 )": {Min: runtime.Linear, Mag: runtime.Linear, MaxAnisotropy: 2},
	} {
		if got, err := parseSampler(text); err != nil || got != want {
			t.Errorf("%s: got %+v, %v; want %+v", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"linear nearest":                      `need words such as linear, repeat or lod_clamp(0, 4), have "linear nearest"`,
		"linear,,nearest":                     `need words such as linear, repeat or lod_clamp(0, 4), have ",nearest"`,
		"(1)":                                 `need words such as linear, repeat or lod_clamp(0, 4), have "(1)"`,
		"lod_clamp(1,2":                       `need words such as linear, repeat or lod_clamp(0, 4), have "lod_clamp(1,2"`,
		"bicubic":                             `there is no word "bicubic" for a sampler`,
		"mirror_repeat":                       `there is no word "mirror_repeat" for a sampler; there is mirrored_repeat`,
		"linear(1)":                           "linear takes no numbers",
		"repeat,repeat":                       "repeat and repeat both say the address mode",
		"less,always":                         "less and always both say the comparison",
		"lod_clamp":                           `lod_clamp: need a number, have ""`,
		"lod_clamp(a,b)":                      `lod_clamp: need a number, have "a"`,
		"lod_clamp(-1,0)":                     "lod_clamp: need the lowest and the highest level, in this order",
		"lod_clamp(nan,1)":                    "lod_clamp: need the lowest and the highest level, in this order",
		"max_anisotropy(1.5)":                 "max_anisotropy: need a whole number from 1 to 16",
		"max_anisotropy(17)":                  "max_anisotropy: need a whole number from 1 to 16",
		"max_anisotropy(1),max_anisotropy(2)": "max_anisotropy and max_anisotropy both say max_anisotropy",
		"transparent_black,opaque_white,nearest ": "transparent_black and opaque_white both say the border",
	} {
		if _, err := parseSampler(text); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
