//go:build unix

package metal

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/pixel"
)

// What a GPU or a system may lack. Metal ends the process where a descriptor asks for that, so the driver has to know.

// examineWrap has a kernel write memory of the program's own.
func examineWrap(t *testing.T, open opener) {
	d := open(t, driver.Options{})
	file := pages(t, 1)
	m, err := d.WrapMemory(file, false)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Free)
	if err := batch(t, d, func(r driver.Recorder) error {
		return r.Record(raised(whole(m, 64), driver.Buffer{}))
	}); err != nil {
		t.Fatal(err)
	}
	if have := binary.LittleEndian.Uint32(file[60:]); have != 1 {
		t.Errorf("the last word is %d, want 1", have)
	}
}

// wasMade tells whether something was made. What the device lacks is an error that says so.
func wasMade(t *testing.T, what any, err error) bool {
	t.Helper()
	if errors.Is(err, errors.ErrUnsupported) {
		t.Logf("%+v: %v", what, err)
		return false
	}
	if err != nil {
		t.Errorf("%+v: %v", what, err)
	}
	return err == nil
}

func examineTextures(t *testing.T, open opener) {
	if n := texturesMade(t, open(t, driver.Options{})); n < 40 {
		t.Errorf("%d textures could be made", n)
	}
}

// texturesMade makes a texture of each format, for each use and number of samples that the runtime lets pass, and
// returns how many there are.
func texturesMade(t *testing.T, d *Device) (n int) {
	t.Helper()
	plain := driver.TextureSpec{Type: bind.Texture2D, Width: 4, Height: 4, Depth: 1, Length: 1, Levels: 1, Samples: 1}
	try := func(spec driver.TextureSpec) {
		tex, err := d.NewTexture(spec)
		if wasMade(t, spec, err) {
			tex.Free()
			n++
		}
	}
	for _, f := range pixel.Formats() {
		spec, uses := plain, f.Info().Uses
		spec.Format, spec.Usage = f, driver.TextureRead
		if uses&pixel.Write != 0 {
			spec.Usage |= driver.TextureWrite
		}
		try(spec)
		if uses&pixel.Atomic != 0 {
			atomic := spec
			atomic.Usage |= driver.TextureAtomic
			try(atomic)
		}
		for samples := 2; samples <= maxSamples; samples *= 2 {
			several := spec
			several.Type, several.Samples, several.Usage = bind.Texture2DMS, samples, driver.TextureRead
			try(several)
		}
	}
	return n
}

func examineSamplers(t *testing.T, open opener) {
	if n := samplersMade(t, open(t, driver.Options{})); n < 4 {
		t.Errorf("%d samplers could be made", n)
	}
}

// samplersMade makes a sampler of each address mode and border color, and returns how many there are.
func samplersMade(t *testing.T, d *Device) (n int) {
	t.Helper()
	for mode := bind.ClampToEdge; mode <= bind.ClampToBorder; mode++ {
		for border := bind.TransparentBlack; border <= bind.OpaqueWhite; border++ {
			if mode != bind.ClampToBorder && border != bind.TransparentBlack {
				continue
			}
			s := bind.Sampler{AddressT: mode, Border: border}
			_, err := d.samplers.of(d, samplerUse{Sampler: s})
			if wasMade(t, s, err) {
				n++
			}
		}
	}
	return n
}
