package runtime

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// deviceVariable is the environment variable that chooses a device.
const deviceVariable = "METALGEN_DEVICE"

// Open opens Metal's default device where there is one, and the CPU device elsewhere. [Device.String] says which it
// opened, and why.
//
// A program that is built with the tag metalgen_nocpu has no CPU device: where there is no Metal device, Open fails
// with [ErrNoDevice], and so does whatever asks for the CPU device.
//
// The environment variable METALGEN_DEVICE chooses a device: "metal", "metal:1" or "cpu", or in a program that imports
// runtime/cuda "cuda" or "cuda:1". Where it asks for a device that does not exist, Open fails with [ErrNoDevice].
func Open() (*Device, error) { return OpenWith(Options{}) }

// OpenWith is [Open] with options.
func OpenWith(o Options) (*Device, error) {
	if err := o.fromEnvironment(); err != nil {
		return nil, err
	}
	want, why := o.Device, "as asked for"
	if want == "" {
		want, why = os.Getenv(deviceVariable), "as "+deviceVariable+" says"
	}
	index, ok := parseDevice(want, "metal")
	open, none := openMetal, errNoMetal
	if !ok {
		index, ok = parseDevice(want, "cuda")
		open, none = driver.CUDA.Open, driver.CUDA.None
	}
	switch {
	case !ok && o.Device == "":
		return nil, fmt.Errorf(`Open: %s=%s: need %s`, deviceVariable, want, deviceNames)
	case !ok:
		return nil, fmt.Errorf(`Open: device %q: need %s`, want, deviceNames)
	case want == "cpu":
		return openCPU(o, why)
	case o.cpuOnly() && want == "":
		return openCPU(o, "which alone has a sanitizer and schedules")
	case o.cpuOnly():
		return nil, fmt.Errorf("Open: device %q: only the CPU device has a sanitizer and schedules", want)
	case want == "":
		why = "the default device"
	}
	d, err := openDriver(o, func(o driver.Options) (driver.Device, error) { return open(index, o) })
	switch {
	case err == nil:
		d.why = why
		return d, nil
	case want == "" && errors.Is(err, none):
		d, cpuErr := openCPU(o, "as "+err.Error())
		if errors.Is(cpuErr, errNoCPU) {
			return nil, fmt.Errorf("%w, and %w", cpuErr, err)
		}
		return d, cpuErr
	case errors.Is(err, none):
		return nil, fmt.Errorf("Open: %w: %w", ErrNoDevice, err)
	default:
		return nil, fmt.Errorf("Open: %w", err)
	}
}

// errNoCPU is the error of programs without the CPU device.
var errNoCPU = fmt.Errorf(
	"%w: this program has no CPU device, as it was built with the tag metalgen_nocpu", ErrNoDevice)

func openCPU(o Options, why string) (*Device, error) {
	d, err := openDriver(o, newCPU)
	if err != nil {
		return nil, fmt.Errorf("Open: %w", err)
	}
	d.why = why
	return d, nil
}

const deviceNames = `"metal", "metal:1", "cuda", "cuda:1" and so on, "cpu" or nothing`

// parseDevice returns which device of a kind a name asks for, -1 being the default one.
func parseDevice(name, kind string) (index int, ok bool) {
	if name == "" || name == "cpu" || name == kind {
		return -1, true
	}
	number, ok := strings.CutPrefix(name, kind+":")
	index, err := strconv.Atoi(number)
	return index, ok && err == nil && index >= 0
}

// DeviceInfo names a device that [OpenWith] can open.
type DeviceInfo struct {
	Device string // for Options.Device and METALGEN_DEVICE: "metal:0", "cuda:0", "cpu"
	Name   string // for people: "Apple M3 Max"
}

// Devices returns the devices of this machine: those of Metal, in Metal's order, then those of runtime/cuda, if the
// program imports it, and then the CPU device, if the program has it.
func Devices() ([]DeviceInfo, error) {
	names, err := metalDevices()
	if err != nil && !errors.Is(err, errNoMetal) {
		return nil, fmt.Errorf("Devices: %w", err)
	}
	var list []DeviceInfo
	for i, name := range names {
		list = append(list, DeviceInfo{fmt.Sprintf("metal:%d", i), name})
	}
	names, err = driver.CUDA.Devices()
	if err != nil && !errors.Is(err, driver.CUDA.None) {
		return nil, fmt.Errorf("Devices: %w", err)
	}
	for i, name := range names {
		list = append(list, DeviceInfo{fmt.Sprintf("cuda:%d", i), name})
	}
	if cpu, err := newCPU(Options{}.driver()); err == nil {
		list = append(list, DeviceInfo{"cpu", cpu.String()})
	}
	return list, nil
}
