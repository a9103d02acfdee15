package temporary

import (
	"path/filepath"
	"testing"
)

func TestTarget(t *testing.T) {
	name := Name(filepath.Join("dir", "a_metal.go"))
	if dir, base := filepath.Split(name); filepath.Clean(dir) != "dir" || Target(base) != "a_metal.go" {
		t.Error(name)
	}
	for _, name := range []string{
		"a.go", ".a.go", ".a.go.swp", ".metalgen-0123456789abcdef", ".a.go.metalgen-123", ".a.go.metalgen-0123456789abcdef~",
	} {
		if got := Target(name); got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
