//go:build metalgen_nocpu

package runtime

import "github.com/metalgen/metalgen/runtime/internal/driver"

func newCPU(driver.Options) (driver.Device, error) { return nil, errNoCPU }
