//go:build linux && (amd64 || arm64)

package metal

import (
	"debug/macho"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/bind"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/metal/metaltest"
)

// systems are the versions of macOS, each with what it compiles. macOS 13 has the class MTLArchitecture already, which
// came with macOS 14 to programs.
var systems = []struct {
	system   metaltest.System
	language driver.LanguageVersion
}{
	{metaltest.MacOS27, driver.MSL(4, 0)},
	{metaltest.MacOS26, driver.MSL(4, 0)},
	{metaltest.MacOS15, driver.MSL(3, 2)},
	{metaltest.MacOS14, driver.MSL(3, 1)},
	{metaltest.MacOS13, driver.MSL(3, 0)},
	{metaltest.MacOS12, driver.MSL(2, 4)},
}

const bfloatSource = "#include <metal_stdlib>\nusing namespace metal;\n" +
	"kernel void k(uint i [[thread_position_in_grid]]) { bfloat b = bfloat(i); }\n"

func TestSourcesAreCompiledAsTheNewestLanguageOfTheSystem(t *testing.T) {
	for _, c := range systems {
		t.Run(c.system.String(), func(t *testing.T) {
			d := start(t, metaltest.Options{System: c.system})
			if name, want := d.String(), "Fake GPU (metal, MSL "+c.language.String()+")"; name != want {
				t.Errorf("opened %s, want %s", name, want)
			}
			err := d.Prepare(kernelOf(bfloatSource), nil)
			switch {
			case c.language >= driver.MSL(3, 1) && err != nil:
				t.Errorf("bfloat: %v", err)
			case c.language < driver.MSL(3, 1) && (err == nil || !strings.Contains(err.Error(), "unknown type name 'bfloat'")):
				t.Errorf("bfloat: got %v", err)
			}
		})
	}
}

// Metal's compiler is not asked to compile what it cannot, so that its words for it do not matter.
func TestSourcesThatNeedANewerLanguageAreRefused(t *testing.T) {
	for _, c := range systems {
		t.Run(c.system.String(), func(t *testing.T) {
			d := start(t, metaltest.Options{System: c.system})
			k := kernelOf(bfloatSource)
			k.Library.Needs = bind.Language{Major: 3, Minor: 1, For: "bfloat", Pos: "k.metal:3"}
			err := d.Prepare(k, nil)
			if c.language >= driver.MSL(3, 1) {
				if err != nil {
					t.Error(err)
				}
				return
			}
			want := "k.metal:3: bfloat needs MSL 3.1, and the device compiles MSL " + c.language.String()
			if compile := (*driver.CompileError)(nil); !errors.As(err, &compile) || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
			if got := sentTo("MTLCompileOptions"); len(got) > 0 {
				t.Errorf("the compiler was asked: %q", got)
			}
		})
	}
}

func TestTheLanguageThatIsAskedForIsTheOneThatIsCompiled(t *testing.T) {
	for _, c := range []struct {
		asked driver.LanguageVersion
		want  string // the message, or the error
	}{
		{driver.MSL(3, 1), "setLanguageVersion: 196609"},
		{driver.MSL(3, 2), "setLanguageVersion: 196610"},
		{driver.MSL(4, 0), "MSL 4.0 is asked for, and the newest that this system compiles is 3.2"},
	} {
		t.Run(c.asked.String(), func(t *testing.T) {
			metaltest.Start(t, metaltest.Options{System: metaltest.MacOS15})
			d, err := OpenLibrary(fakePath(t), nil, -1, driver.Options{Language: c.asked})
			if err != nil {
				if err.Error() != c.want {
					t.Errorf("got %v, want %s", err, c.want)
				}
				return
			}
			defer d.Close()
			if err := d.Prepare(kernelOf(emptyKernel), nil); err != nil {
				t.Fatal(err)
			}
			if got := sentTo("MTLCompileOptions"); !slices.Equal(got, []string{c.want}) {
				t.Errorf("got %q, want %s", got, c.want)
			}
		})
	}
}

// The stamp is why the language is always set. Where Go changes it, what the fake takes for the default changes too:
// linkedLanguage of library.c.
func TestGoStampsExecutablesWithAnOldSystem(t *testing.T) {
	if !*long {
		t.Skip("compiles Go's runtime for another system: only with -long")
	}
	dir := t.TempDir()
	main := filepath.Join(dir, "main.go")
	if err := os.WriteFile(main, []byte("package main\n\nfunc main() {}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, arch := range []string{"arm64", "amd64"} {
		t.Run(arch, func(t *testing.T) {
			exe := filepath.Join(dir, arch)
			build := exec.CommandContext(t.Context(), "go", "build", "-o", exe, main)
			build.Env = append(os.Environ(), "GOOS=darwin", "GOARCH="+arch, "CGO_ENABLED=0")
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			minos, sdk := buildVersion(t, exe)
			if minos != "12.0" || sdk != "12.0" {
				t.Errorf("Go stamps minos %s and sdk %s, and no longer 12.0", minos, sdk)
			}
		})
	}
}

// buildVersion returns the versions of LC_BUILD_VERSION. Apple: mach-o/loader.h, struct build_version_command.
func buildVersion(t *testing.T, exe string) (minos, sdk string) {
	t.Helper()
	const buildVersionCommand = 0x32
	f, err := macho.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	version := func(n uint32) string { return driver.LanguageVersion(n>>16<<16 | n>>8&0xff).String() }
	for _, load := range f.Loads {
		raw := load.Raw()
		if binary.LittleEndian.Uint32(raw) == buildVersionCommand {
			return version(binary.LittleEndian.Uint32(raw[12:])), version(binary.LittleEndian.Uint32(raw[16:]))
		}
	}
	t.Fatal("no LC_BUILD_VERSION")
	return "", ""
}
