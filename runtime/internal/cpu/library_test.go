package cpu

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestASourceOpensNoFile: local includes are flattened into it, so no file is looked for, be it there or not.
func TestASourceOpensNoFile(t *testing.T) {
	const kernel = "\nkernel void test(device uint* x) { x[0] = FOUND; }"
	there := filepath.Join(t.TempDir(), "there.h")
	if err := os.WriteFile(there, []byte("#define FOUND 1\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{there, there + ".not", "library_test.go"} {
		source := "#include \"" + file + "\"" + kernel
		want := "test.metal:1:10: cannot find \"" + file + "\""
		if err := execute(t, source, threads(1), []uint32{0}); err == nil || !strings.HasPrefix(err.Error(), want+"\n") {
			t.Errorf("%v, want %s", err, want)
		}
		x := []uint32{7}
		source = "#if __has_include(\"" + file + "\")\n#define FOUND 1\n#else\n#define FOUND 2\n#endif" + kernel
		if err := execute(t, source, threads(1), x); err != nil || x[0] != 2 {
			t.Errorf("%s: %d, %v", file, x[0], err)
		}
	}
}
