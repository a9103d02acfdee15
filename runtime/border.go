package runtime

import "github.com/metalgen/metalgen/runtime/internal/driver"

// ours returns an error of a driver as users know it. An error of package driver becomes that of this package. An error
// that wraps such errors stays as it is, and wraps those of this package too.
func ours(err error) error {
	if err == nil {
		return nil
	}
	if e := translate(err); e != nil {
		return e
	}
	if list := translated(err, nil); len(list) > 0 {
		return &wrapping{err, list}
	}
	return err
}

// wrapping is an error that wraps errors of a driver. It wraps those of this package too.
type wrapping struct {
	error
	ours []error
}

func (w *wrapping) Unwrap() []error { return append([]error{w.error}, w.ours...) }

// translated appends to list the errors of a driver that err wraps, translated.
func translated(err error, list []error) []error {
	var inner []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		inner = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	}
	for _, err := range inner {
		if e := translate(err); e != nil {
			list = append(list, e)
		} else if err != nil {
			list = translated(err, list)
		}
	}
	return list
}

// translate returns an error of a driver as that of this package, and nil for any other.
func translate(err error) error {
	switch e := err.(type) {
	case *driver.Fault:
		f := Fault(*e)
		f.Err = ours(e.Err)
		return &f
	case *driver.StoppedError:
		return (*StoppedError)(e)
	case *driver.CompileError:
		c := &CompileError{File: e.File}
		for _, d := range e.Diagnostics {
			c.Diagnostics = append(c.Diagnostics, Diagnostic(d))
		}
		return c
	case *driver.Findings:
		return findings(e)
	case *driver.DriftError:
		return (*DriftError)(e)
	case *driver.MemoryError:
		return &MemoryError{Device: e.Device, Need: e.Need, Use: MemoryUse(e.Use)}
	case *driver.SimdWidthError:
		return (*SimdWidthError)(e)
	case *driver.GPUError:
		return &GPUError{Code: GPUErrorCode(e.Code), Kernels: e.Kernels, Msg: e.Msg}
	}
	switch err {
	case driver.ErrOutOfBounds:
		return ErrOutOfBounds
	case driver.ErrDivisionByZero:
		return ErrDivisionByZero
	case driver.ErrDivergentBarrier:
		return ErrDivergentBarrier
	}
	return nil
}
