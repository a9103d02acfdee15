package runtime

import (
	"errors"
	"fmt"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// kernelForm is a kernel whose description was checked, in the form that drivers know.
type kernelForm struct {
	kernel driver.Kernel
	first  []formArg // those that are checked before the grid
	last   []formArg // those that are checked after it
}

// formArg is an argument of a kernelForm.
type formArg struct {
	*bind.Arg
	bind   func(c *call, a *formArg, s *bind.Slot) error // of its kind
	slot   int                                           // where in Args, and so in what a call sets
	driver *driver.Arg
}

// formOf returns the form of k. Drivers cache by its address, which is always the same.
func formOf(k *bind.Kernel) (*kernelForm, error) {
	form, err := k.Form(makeForm)
	if err != nil {
		return nil, err
	}
	return form.(*kernelForm), nil
}

func makeForm(k *bind.Kernel) (any, error) {
	if err := checkKernel(k); err != nil {
		return nil, err
	}
	form := &kernelForm{kernel: driver.Kernel{
		Name:    k.Name,
		Library: (*driver.Library)(k.Library),
		Pos:     k.Pos,
		Simd:    k.Simd,
	}}
	for i := range k.Args {
		a := &k.Args[i]
		kind := &argKinds[a.Kind]
		arg := formArg{Arg: a, bind: kind.bind, slot: i, driver: &driver.Arg{
			Index:    a.Index,
			Name:     a.Name,
			Type:     a.Type,
			Size:     a.Size,
			Fields:   a.Fields,
			Optional: a.Optional,
			Pos:      a.Pos,
		}}
		kind.describe(&form.kernel, arg.driver, a)
		if kind.afterGrid {
			form.last = append(form.last, arg)
		} else {
			form.first = append(form.first, arg)
		}
	}
	return form, nil
}

// checkKernel finds descriptions that would make no sense to a device.
func checkKernel(k *bind.Kernel) error {
	if k.Name == "" {
		return errors.New("the kernel has no Name")
	}
	if k.Library == nil || k.Library.Source == nil {
		return errors.New("the kernel has no Library, or one without Source")
	}
	for i := range k.Args {
		a := &k.Args[i]
		if err := checkArg(a); err != nil {
			return fmt.Errorf("description of %s: %w", a.Name, err)
		}
		for j := range k.Args[:i] {
			if b := &k.Args[j]; sharesIndex(a, b) {
				return fmt.Errorf("description of %s: index %d is that of %s as well", a.Name, a.Index, b.Name)
			}
		}
	}
	return nil
}
