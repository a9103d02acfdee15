package invoke

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/binding"
)

// Find finds a kernel by its name in the source, or by its name in Go. Instances of
// kernel templates go by their host names. Of one that is left out, the error says why.
func Find(pkg *binding.Package, name string) (*binding.Source, *binding.Kernel, error) {
	var names []string
	var inGo struct {
		*binding.Source
		*binding.Kernel
	}
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			for _, k := range kernelsOf(k) {
				if k.Name == name {
					return s, k.kernel(), nil
				}
				if k.Go == name {
					inGo.Source, inGo.Kernel = s, k.kernel()
				}
				names = append(names, k.Name)
			}
		}
	}
	if inGo.Kernel != nil {
		return inGo.Source, inGo.Kernel, nil
	}
	for _, l := range pkg.LeftOut {
		if l.Name == name || l.Go == name {
			return nil, nil, fmt.Errorf("kernel %s is left out: %s (%s)", l.Name, l.Reason, binding.FileLine(l.Pos))
		}
		names = append(names, l.Name)
	}
	return nil, nil, fmt.Errorf("there is no kernel %s%s", name, near(name, names))
}

// callable is what can be run: a kernel, or an instance of a kernel template.
type callable struct {
	Name, Go string
	kernel   func() *binding.Kernel
}

func kernelsOf(k *binding.Kernel) []callable {
	if !k.IsFamily() {
		return []callable{{k.Name, k.Go, func() *binding.Kernel { return k }}}
	}
	list := make([]callable, len(k.Variants))
	for i, v := range k.Variants {
		list[i] = callable{v.Name, v.Go, func() *binding.Kernel { return k.Instance(v) }}
	}
	return list
}
