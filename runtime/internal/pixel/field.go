package pixel

// Field is a component of a texel, for devices that convert in code of their own.
type Field struct {
	To       int // 0 for red to 3 for alpha
	Word     int // which 32 bits of the texel have it; no component is in two of them
	Shift    int
	Bits     int
	Encoding Encoding // Unorm of the alpha of SRGB
}

// Fields returns the components of a texel.
func (i *Info) Fields() []Field {
	list := make([]Field, len(i.components))
	for n, c := range i.components {
		list[n] = Field{int(c.to), int(c.word), int(c.shift), int(c.bits), i.Encoding}
		if c.to == alpha {
			list[n].Encoding = i.Encoding.Linear()
		}
	}
	return list
}

// Curve returns what the codes of a byte are on the curve of sRGB, and the least numbers that become 1, 2 and so on.
func Curve() (linear []uint32, threshold []float32) {
	c := srgbCurve()
	return c.linear, c.threshold
}

// ExtendedCurve returns the same for the codes of 10 bits that BGR10_XR_sRGB has.
func ExtendedCurve() (linear []uint32, threshold []float32) {
	c := extendedCurve()
	return c.linear, c.threshold
}
