package invoke

import (
	"fmt"

	"github.com/metalgen/metalgen/internal/binding"
)

// noHandle is what begins no texture and no sampler: there are no flags for them.
func noHandle(a *binding.Arg) (argument, error) {
	return nil, fmt.Errorf("metalgen run does not take %ss yet", a.Kind)
}
