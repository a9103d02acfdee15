package runtime

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Devices that a program has where it imports their package, such as runtime/cuda.

// optional are the packages by the names of their devices.
var optional = map[string]string{"cuda": "github.com/metalgen/metalgen/runtime/cuda"}

// parseBackend returns which device of an optional package a name asks for, with number -1 for the first one.
func parseBackend(name string) (backend string, number int, ok bool) {
	backend, text, numbered := strings.Cut(name, ":")
	if optional[backend] == "" {
		return "", 0, false
	}
	if !numbered {
		return backend, -1, true
	}
	number, err := strconv.Atoi(text)
	return backend, number, err == nil && number >= 0
}

// openBackend opens a device of an optional package.
func openBackend(name string, number int, o Options, why string) (*Device, error) {
	for _, b := range driver.Backends() {
		if b.Name != name {
			continue
		}
		d, err := openDriver(o, func(o driver.Options) (driver.Device, error) { return b.Open(number, o) })
		switch {
		case err == nil:
			d.why = why
			return d, nil
		case errors.Is(err, b.None):
			return nil, fmt.Errorf("Open: %w: %w", ErrNoDevice, err)
		}
		return nil, fmt.Errorf("Open: %w", err)
	}
	return nil, fmt.Errorf("Open: %w: this program does not import %s, which has the devices %q", ErrNoDevice,
		optional[name], name)
}

// backendDevices returns the devices of optional packages.
func backendDevices() ([]DeviceInfo, error) {
	var list []DeviceInfo
	for _, b := range driver.Backends() {
		names, err := b.Devices()
		if err != nil && !errors.Is(err, b.None) {
			return nil, err
		}
		for i, name := range names {
			list = append(list, DeviceInfo{fmt.Sprintf("%s:%d", b.Name, i), name})
		}
	}
	return list, nil
}
