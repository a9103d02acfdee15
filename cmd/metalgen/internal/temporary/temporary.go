// Package temporary names files that are written beside others and become them at the end, so that a run that is
// killed leaves no half-written file, and the next run knows what it has left.
package temporary

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
)

var form = regexp.MustCompile(`^\.(.+)\.metalgen-[0-9a-f]{16}$`)

// Name returns a new name for a file that is to become target.
func Name(target string) string {
	dir, base := filepath.Split(target)
	return filepath.Join(dir, fmt.Sprintf(".%s.metalgen-%016x", base, rand.Uint64()))
}

// Target returns what the file with a name, without directories, was to become; "" for other files.
func Target(name string) string {
	if m := form.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}
