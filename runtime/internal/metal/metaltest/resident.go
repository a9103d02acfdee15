//go:build linux && (amd64 || arm64)

package metaltest

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// residentKind is no kind of argument, but of what kernels may reach besides: what the
// encoder was told to use.
var residentKind = argKind{
	number: 101,
	read: func(d *Dispatch, r *argRecord) {
		d.Resources = append(d.Resources, driver.Resource{
			Memory: r.memory(), Writes: r.writes != 0,
			Arg: &driver.Arg{Name: fmt.Sprintf("MTLBuffer#%d", r.number)}, Element: -1,
		})
	},
	bind: func(to *driver.Dispatch, from *Dispatch) { to.Resources = from.Resources },
}
