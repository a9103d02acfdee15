package fmath

import "math"

// logTable cuts [0.695, 1.391) into 32 pieces, even in the bits of a float64, and
// has for each c = 1/(its middle), -ln(c) and -log2(c). The piece around 1 has
// c = 1: there x*c-1 is exact and the logarithm keeps its relative precision.
// |x*c-1| is at most 1/64 throughout.
var logTable = [32]struct{ inv, ln, log2 float64 }{
	{0x1.6c16c16c16c17p+0, -0x1.68ac83e9c6a15p-2, -0x1.042bd4b9a7c99p-1},
	{0x1.642c8590b2164p+0, -0x1.522ae0738a3d7p-2, -0x1.e7df5fe538ab3p-2},
	{0x1.5c9882b931057p+0, -0x1.3c25277333183p-2, -0x1.c819dc2d45fe4p-2},
	{0x1.5555555555555p+0, -0x1.269621134db91p-2, -0x1.a8ff971810a5dp-2},
	{0x1.4e5e0a72f0539p+0, -0x1.1178e8227e47ap-2, -0x1.8a8980abfbd30p-2},
	{0x1.47ae147ae147bp+0, -0x1.f991c6cb3b37ap-3, -0x1.6cb0f6865c8ebp-2},
	{0x1.4141414141414p+0, -0x1.d1037f2655e7bp-3, -0x1.4f6fbb2cec598p-2},
	{0x1.3b13b13b13b14p+0, -0x1.a93ed3c8ad9e5p-3, -0x1.32bfee370ee6ap-2},
	{0x1.3521cfb2b78c1p+0, -0x1.823c16551a3c0p-3, -0x1.169c05363f157p-2},
	{0x1.2f684bda12f68p+0, -0x1.5bf406b543db0p-3, -0x1.f5fd8a9063e32p-3},
	{0x1.29e4129e4129ep+0, -0x1.365fcb0159014p-3, -0x1.bfc67a7fff4cap-3},
	{0x1.2492492492492p+0, -0x1.1178e8227e47ap-3, -0x1.8a8980abfbd30p-3},
	{0x1.1f7047dc11f70p+0, -0x1.da7276384469ep-4, -0x1.563dc29ffacafp-3},
	{0x1.1a7b9611a7b96p+0, -0x1.9335e5d594988p-4, -0x1.22dadc2ab3496p-3},
	{0x1.15b1e5f75270dp+0, -0x1.4d3115d207eacp-4, -0x1.e0b1ae8f2fd56p-4},
	{0x1.1111111111111p+0, -0x1.08598b59e3a06p-4, -0x1.7d60496cfbb4bp-4},
	{0x1.0c9714fbcda3bp+0, -0x1.894aa149fb34bp-5, -0x1.1bb32a60054a2p-4},
	{0x1.0842108421084p+0, -0x1.0415d89e74440p-5, -0x1.77394c9d958d0p-5},
	{0x1.0410410410410p+0, -0x1.0205658935837p-6, -0x1.743ee861f353fp-6},
	{0x1.0000000000000p+0, 0, 0},
	{0x1.f07c1f07c1f08p-1, 0x1.f829b0e7832f8p-6, 0x1.6bad3758efd81p-5},
	{0x1.e1e1e1e1e1e1ep-1, 0x1.f0a30c01162a8p-5, 0x1.663f6fac91318p-4},
	{0x1.d41d41d41d41dp-1, 0x1.6f0d28ae56b4ep-4, 0x1.08c588cda79e5p-3},
	{0x1.c71c71c71c71cp-1, 0x1.e27076e2af2eap-4, 0x1.5c01a39fbd68bp-3},
	{0x1.bacf914c1bad0p-1, 0x1.29552f81ff521p-3, 0x1.acf5e2db4ec91p-3},
	{0x1.af286bca1af28p-1, 0x1.5ff3070a793d6p-3, 0x1.fbc16b902680dp-3},
	{0x1.a41a41a41a41ap-1, 0x1.9525a9cf456b6p-3, 0x1.24407ab0e073ap-2},
	{0x1.999999999999ap-1, 0x1.c8ff7c79a9a20p-3, 0x1.49a784bcd1b8ap-2},
	{0x1.8f9c18f9c18fap-1, 0x1.fb9186d5e3e29p-3, 0x1.6e221cd9d0cddp-2},
	{0x1.8618618618618p-1, 0x1.1675cababa60fp-2, 0x1.91bba891f170ap-2},
	{0x1.7d05f417d05f4p-1, 0x1.2e8e2bae11d31p-2, 0x1.b47ebf73882a1p-2},
	{0x1.745d1745d1746p-1, 0x1.4618bc21c5ec2p-2, 0x1.d6753e032ea0ep-2},
}

const (
	logOff = 0x3fe6400000000000 // the bits of the lowest x in logTable

	ln2    = 0x1.62e42fefa39efp-1
	log10e = 0x1.bcb7b1526e50ep-2

	// (ln(1+r)-r)/r^2 for |r| <= 1/64, to 2^-35.6 of ln(1+r).
	lnP0 = -0x1.ffffffeaa844fp-2
	lnP1 = 0x1.5555550d494f1p-2
	lnP2 = -0x1.000aab6a75357p-2
	lnP3 = 0x1.99b4c2683d4b0p-3

	// The same for log2, the leading term being r/ln(2).
	log2e  = 0x1.71547652b82fep+0
	log2P0 = -0x1.7154764352f04p-1
	log2P1 = 0x1.ec709d5baf258p-2
	log2P2 = -0x1.7163daec58860p-2
	log2P3 = 0x1.278a5c72df6b1p-2
)

// Logarithm is what a logarithm of a positive finite x is computed from: with the bits u of x as a
// float64, and t = u - 0x3fe6400000000000,
//
//	i = t>>47 mod 32, and k = t>>52, with the sign
//	r = m * Inverse[i] - 1, of the m with the bits u - k<<52
//	((k*Scale + Log[i]) + (r*Lead + r*r * (P[0] + r*(P[1] + r*(P[2] + r*P[3]))))) * Times
type Logarithm struct {
	Scale, Lead, Times float64
	P                  [4]float64
	Inverse, Log       [32]float64
}

// The logarithms of three bases. Where a factor is 1 the functions below leave it out.
var (
	LogE   = logarithm(ln2, 1, 1, [...]float64{lnP0, lnP1, lnP2, lnP3}, true)
	LogTwo = logarithm(1, log2e, 1, [...]float64{log2P0, log2P1, log2P2, log2P3}, false)
	LogTen = logarithm(ln2, 1, log10e, LogE.P, true)
)

// logarithm makes a table of -ln or, without natural, of -log2.
func logarithm(scale, lead, times float64, p [4]float64, natural bool) *Logarithm {
	l := &Logarithm{Scale: scale, Lead: lead, Times: times, P: p}
	for i, e := range logTable {
		l.Inverse[i], l.Log[i] = e.inv, e.log2
		if natural {
			l.Log[i] = e.ln
		}
	}
	return l
}

// ln64 returns ln(x) for a finite x > 0 that is not a float64 subnormal, to 2^-35.
func ln64(x float64) float64 {
	u := math.Float64bits(x)
	t := u - logOff
	e := &logTable[t>>47%32]
	r := float64(math.Float64frombits(u-t&(0xfff<<52))*e.inv) - 1
	return float64(float64(int64(t)>>52)*ln2) + e.ln +
		(r + float64(r*r*(lnP0+float64(r*(lnP1+float64(r*(lnP2+float64(r*lnP3))))))))
}

// log264 returns log2(x) under the terms of ln64.
func log264(x float64) float64 {
	u := math.Float64bits(x)
	t := u - logOff
	e := &logTable[t>>47%32]
	r := float64(math.Float64frombits(u-t&(0xfff<<52))*e.inv) - 1
	return float64(int64(t)>>52) + e.log2 +
		(float64(r*log2e) + float64(r*r*(log2P0+float64(r*(log2P1+float64(r*(log2P2+float64(r*log2P3))))))))
}

// logSpecial is any logarithm of what is not a positive finite number.
//
//go:noinline
func logSpecial(x float32) float32 {
	switch {
	case x == 0:
		return float32(math.Inf(-1))
	case x < 0:
		return float32(math.NaN())
	}
	return x + x
}

// Log returns the natural logarithm of x, to 0.51 ulp (MSL: 4).
func Log(x float32) float32 {
	v := float64(x)
	if math.Float64bits(v)-1 >= inf64-1 {
		return logSpecial(float32(v))
	}
	return float32(ln64(v))
}

// Log2 returns the binary logarithm of x, to 0.51 ulp (MSL: 4); it is exact for
// powers of two.
func Log2(x float32) float32 {
	v := float64(x)
	if math.Float64bits(v)-1 >= inf64-1 {
		return logSpecial(float32(v))
	}
	return float32(log264(v))
}

// Log10 returns the decimal logarithm of x, to 0.51 ulp (MSL: 4).
func Log10(x float32) float32 {
	v := float64(x)
	if math.Float64bits(v)-1 >= inf64-1 {
		return logSpecial(float32(v))
	}
	return float32(ln64(v) * log10e)
}

// LogLanes is Log for every lane.
func LogLanes(d, s *[Lanes]float32) {
	_, _ = d[0], s[0]
	for i := range d {
		x := float64(s[i])
		if math.Float64bits(x)-1 >= inf64-1 {
			d[i] = logSpecial(float32(x))
			continue
		}
		d[i] = float32(ln64(x))
	}
}

// Log2Lanes is Log2 for every lane.
func Log2Lanes(d, s *[Lanes]float32) {
	_, _ = d[0], s[0]
	for i := range d {
		x := float64(s[i])
		if math.Float64bits(x)-1 >= inf64-1 {
			d[i] = logSpecial(float32(x))
			continue
		}
		d[i] = float32(log264(x))
	}
}
