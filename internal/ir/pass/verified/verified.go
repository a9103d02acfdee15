// Package verified has the verifier look at every kernel after every pass. Tests import it for that.
package verified

import (
	"github.com/metalgen/metalgen/internal/ir"
	"github.com/metalgen/metalgen/internal/ir/pass"
)

func init() { pass.Each = func(_ pass.Pass, k *ir.Kernel) error { return ir.Verify(k) } }
