//go:build !metalgen_nocpu

package runtime

import (
	"github.com/metalgen/metalgen/runtime/internal/cpu"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

func newCPU(o driver.Options) (driver.Device, error) { return cpu.Open(o), nil }
