//go:build amd64 || arm64

package runtime

import (
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal"
)

var errNoMetal = metal.ErrNoDevice

func openMetal(index int, o driver.Options) (driver.Device, error) { return metal.Open(index, o) }

func metalDevices() ([]string, error) { return metal.Devices() }
