package pass

import (
	"os"
	"testing"

	"github.com/metalgen/metalgen/internal/ir"
)

func TestMain(m *testing.M) {
	Each = func(_ Pass, k *ir.Kernel) error { return ir.Verify(k) }
	os.Exit(m.Run())
}
