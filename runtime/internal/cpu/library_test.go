package cpu

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
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

// Macros of -D stand in front of the source, and are no lines of it.
func TestAnErrorQuotesTheLineOfItsFile(t *testing.T) {
	const line = "kernel void test(device uint* x) { x[0] = nothing; }"
	source := "#define N 4\n#line 1 \"test.metal\"\n" + line + "\n"
	var compile *driver.CompileError
	if err := execute(t, source, threads(1), []uint32{0}); !errors.As(err, &compile) {
		t.Fatal(err)
	}
	if quote := compile.Diagnostics[0].Quote; !strings.HasPrefix(quote, "\t"+line+"\n") {
		t.Errorf("got %q", quote)
	}
}
