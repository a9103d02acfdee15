package gen_test

import (
	"os"
	"testing"

	_ "github.com/metalgen/metalgen/internal/ir/pass/verified"
)

// TestMain leaves lines of Go out of the messages that tests compare.
func TestMain(m *testing.M) {
	os.Setenv("METALGEN_LINES", "off")
	os.Exit(m.Run())
}
