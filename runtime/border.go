package runtime

import (
	"errors"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// ours returns an error of a driver as users know it. An error of package driver becomes that of this package. An error
// that wraps such errors stays as it is, and wraps those of this package too.
func ours(err error) error { return oursAt(err, func(int) CallSite { return CallSite{} }) }

// oursAt is ours for the error of a batch, of whose calls at returns where they were recorded.
func oursAt(err error, at func(call int) CallSite) error {
	if err == nil {
		return nil
	}
	if e := translate(err, at); e != nil {
		return e
	}
	if several, ok := err.(interface{ Unwrap() []error }); ok && errors.Join(several.Unwrap()...).Error() == err.Error() {
		var list []error
		for _, one := range several.Unwrap() {
			list = append(list, oursAt(one, at))
		}
		return errors.Join(list...)
	}
	if list := translated(err, nil, at); len(list) > 0 {
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
func translated(err error, list []error, at func(call int) CallSite) []error {
	var inner []error
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		inner = []error{e.Unwrap()}
	case interface{ Unwrap() []error }:
		inner = e.Unwrap()
	}
	for _, err := range inner {
		if e := translate(err, at); e != nil {
			list = append(list, e)
		} else if err != nil {
			list = translated(err, list, at)
		}
	}
	return list
}

// translate returns an error of a driver as that of this package, and nil for any other.
func translate(err error, at func(call int) CallSite) error {
	switch e := err.(type) {
	case *driver.Fault:
		return &Fault{e.Kernel, e.Pos, e.Msg, e.Thread, e.Group, ours(e.Err), at(e.Call)}
	case *driver.StoppedError:
		return &StoppedError{e.Kernel, e.Pos, e.Thread, e.Group, e.Err, at(e.Call)}
	case *driver.CallError:
		return &CallError{Kernel: e.Kernel, Pos: e.Pos, Err: ours(e.Err), Call: at(e.Call)}
	case *driver.CompileError:
		c := &CompileError{File: e.File}
		for _, d := range e.Diagnostics {
			c.Diagnostics = append(c.Diagnostics, Diagnostic(d))
		}
		return c
	case *driver.Findings:
		return findings(e, at)
	case *driver.DriftError:
		return (*DriftError)(e)
	case *driver.MemoryError:
		return &MemoryError{Device: e.Device, Need: e.Need, Use: MemoryUse(e.Use)}
	case *driver.SimdWidthError:
		return (*SimdWidthError)(e)
	case *driver.GPUError:
		return &GPUError{GPUErrorCode(e.Code), e.Kernels, e.Msg, at(e.First), at(e.Last)}
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
