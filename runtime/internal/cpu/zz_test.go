package cpu
import "testing"
func TestZZ(t *testing.T) {
	for _, src := range []string{
		`float w; y0 = sincos(x0, w); y1 = w`,
		`float w; y0 = modf(x0, w); y1 = w; y0 = sincos(x0, w); y1 = w`,
		`int w; y0 = frexp(x0, w); y1 = w; float z; y0 = sincos(x0, z); y1 = z`,
		`int w; y0 = ilogb(x0); float z; y0 = sincos(x0, z); y1 = z`,
		`int w; y0 = ilogb(x0)`,
	} {
	a := make([]float64, 300)
	for i := range a { a[i] = float64(i) }
	r := (&snippet{body: src, in: []*scalar{floatType}, out: []*scalar{floatType,floatType}, n: 1}).run(t, cellsOf(a))
	t.Log(numbersOf(r[0])[:5], numbersOf(r[1])[:5])
	}
}
