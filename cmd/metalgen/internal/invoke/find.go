package invoke

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/binding"
)

// Find finds a kernel by its name in the source, or by its name in Go.
func Find(pkg *binding.Package, name string) (*binding.Source, *binding.Kernel, error) {
	var names []string
	var inGo struct {
		*binding.Source
		*binding.Kernel
	}
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			if k.Name == name {
				return s, k, nil
			}
			if k.Go == name {
				inGo.Source, inGo.Kernel = s, k
			}
			names = append(names, k.Name)
		}
	}
	if inGo.Kernel != nil {
		return inGo.Source, inGo.Kernel, nil
	}
	return nil, nil, fmt.Errorf("there is no kernel %s%s", name, near(name, names))
}
