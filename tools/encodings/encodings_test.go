// Package encodings holds a script that compares the driver with Apple's headers, and its test.
package encodings

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// headersVariable names a folder with Apple's headers, as encodings.py takes it.
const headersVariable = "METALGEN_HEADERS"

// run runs the script on the driver in root.
func run(t *testing.T, root string) (out string, ok bool) {
	t.Helper()
	headers := os.Getenv(headersVariable)
	if headers == "" {
		t.Skip(headersVariable + " names no folder with Apple's headers")
	}
	c := exec.CommandContext(t.Context(), "/usr/bin/python3", "-B", "encodings.py", headers)
	c.Env = append(os.Environ(), "METALGEN_ROOT="+root)
	bytes, err := c.CombinedOutput()
	return string(bytes), err == nil
}

func TestTheDriverAgreesWithTheHeaders(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out, ok := run(t, root)
	t.Log(out)
	if !ok || strings.Count(out, " 0 mistakes\n") != 2 {
		t.Error("it does not")
	}
}

// What the tables say of the driver is there. It needs no headers.
func TestTheTablesNameWhatTheDriverHas(t *testing.T) {
	c := exec.CommandContext(t.Context(), "python3", "-B", "-c", "import declarations as d; d.constants(); d.guards()")
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	if out, err := c.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestMistakesAreFound(t *testing.T) {
	for _, c := range []struct{ name, file, old, new, want string }{
		{"the types of a selector", "runtime/internal/metal/selectors.go", `"newBufferWithLength:options:", "@QQ"`,
			`"newBufferWithLength:options:", "@QI"`,
			"newBufferWithLength:options:: declared as @QI, and the headers have @QQ in MTLDevice"},
		{"the name of one that is joined", "runtime/internal/metal/blit.go", `sourceSize:"+` + "\n\t\t" + `"toTexture:`,
			`sourceSize:"+` + "\n\t\t" + `"intoTexture:`,
			"intoTexture:destinationSlice:destinationLevel:destinationOrigin:: receivers.txt has no receiver"},
		{"one that is not understood", "runtime/internal/metal/blit.go", `"toTexture:`, `to+"Texture:`,
			"this is no declaration of a message"},
		{"a pixel format", "runtime/internal/pixel/format.go", "RGBA8Unorm      Format = 70", "RGBA8Unorm      Format = 72",
			"RGBA8Unorm: 72, and MTLPixelFormatRGBA8Unorm is 70"},
		{"an option", "runtime/internal/metal/pipeline.go", "optionBufferTypeInfo    = 1 << 1",
			"optionBufferTypeInfo    = 1 << 3",
			"optionBufferTypeInfo: 8, and MTLPipelineOptionBufferTypeInfo is 2"},
		{"a type of data", "runtime/internal/metal/datatype.go", `{81, "long`, `{82, "long`,
			"long1: 82, and MTLDataTypeLong is 81"},
		{"a version of the language", "runtime/internal/metal/language.go", "driver.MSL(3, 2)", "driver.MSL(3, 3)",
			"MSL(3, 3): 196611, and MTLLanguageVersion3_3 is None"},
		{"a message that is newer than it says", "runtime/internal/metal/memory.go", `SelectorSince(13, "gpuAddress"`,
			`Selector("gpuAddress"`, "gpuAddress came with macOS 13: want SelectorSince(13"},
		{"a guard that is gone", "runtime/internal/metal/options.go", "options.Responds(selSetMathMode)", "true",
			"setMathMode: came with macOS 15, and its guard is missing: options.Responds(selSetMathMode) in "},
		{"a guard of an enumerator", "runtime/internal/metal/ability.go", "on.kernel >= kernelOfMacOS14", "true",
			"MTLTextureUsageShaderAtomic came with macOS 14, and its guard is missing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			for _, folder := range []string{
				"internal/texture", "runtime/bind", "runtime/internal/objc", "runtime/internal/metal",
				"runtime/internal/driver", "runtime/internal/pixel",
			} {
				if err := copyGo(filepath.Join(root, folder), filepath.Join("../..", folder)); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join(root, c.file)
			text, err := os.ReadFile(file)
			if err != nil || !strings.Contains(string(text), c.old) {
				t.Fatalf("%v, or %s has no %q", err, c.file, c.old)
			}
			if err := os.WriteFile(file, []byte(strings.Replace(string(text), c.old, c.new, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, ok := run(t, root); ok || !strings.Contains(out, c.want) {
				t.Errorf("want %q in\n%s", c.want, out)
			}
		})
	}
}

// copyGo copies the Go files of a folder.
func copyGo(to, from string) error {
	files, err := filepath.Glob(filepath.Join(from, "*.go"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o700); err != nil {
		return err
	}
	for _, file := range files {
		bytes, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, filepath.Base(file)), bytes, 0o600); err != nil {
			return err
		}
	}
	return nil
}
