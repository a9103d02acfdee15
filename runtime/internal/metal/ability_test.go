//go:build linux && (amd64 || arm64)

package metal

import (
	"fmt"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// Neither more than there is is asked of a machine, which would end the process, nor less. There are 57 formats, 10 of
// them Apple's alone, 9 with components of 32 bits and 2 with atomics, and 8 samplers.
func TestADeviceHasAllThatItsMachineHas(t *testing.T) {
	const formats, apples, wide, atomics = 57, 10, 9, 2
	for _, c := range []struct {
		m                  metaltest.Machine
		s                  metaltest.System
		textures, samplers int
		readWrite          driver.ReadWriteTextures
	}{
		{metaltest.AnyMachine, metaltest.AnySystem, formats + 3*formats + atomics, 8, driver.ReadWriteAll},
		{metaltest.M1, metaltest.MacOS13, formats + 2*formats, 8, driver.ReadWriteAll},
		{metaltest.M1, metaltest.MacOS14, formats + 2*formats + atomics, 8, driver.ReadWriteAll},
		{metaltest.Intel, metaltest.MacOS14, 4*(formats-apples) + atomics, 8, driver.ReadWriteAll},
		{metaltest.VirtualARM, metaltest.MacOS15, formats + 2*(formats-wide), 4, driver.ReadWrite32},
		{metaltest.VirtualIntel, metaltest.MacOS15, formats - apples + formats - apples - wide, 4, driver.ReadWrite32},
	} {
		t.Run(fmt.Sprint(c.m, " ", c.s), func(t *testing.T) {
			d := start(t, metaltest.Options{Machine: c.m, System: c.s})
			if n := texturesMade(t, d); n != c.textures {
				t.Errorf("%d textures, want %d", n, c.textures)
			}
			if n := samplersMade(t, d); n != c.samplers {
				t.Errorf("%d samplers, want %d", n, c.samplers)
			}
			if r := d.Limits().ReadWrite; r != c.readWrite {
				t.Errorf("textures that are read and written: %d, want %d", r, c.readWrite)
			}
		})
	}
}
