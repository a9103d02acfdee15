package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPagesOfDocsAreTrue does what the pages of docs/ show, all of them in one module, each in a folder of its name.
// What it does with a fenced block is in the block's first line:
//
//	```LANGUAGE FILE   writes the file
//	```go              declarations of the tests of the module, in which gen is what shaders/ of the page becomes
//	```diff            changes the last file, with which the last command is silent
//	```console         runs what follows "$ ", and compares what it prints
//	```sh              runs each line in a module of the page's own, where it has to succeed
//
// Other blocks are for people, and so are the lines of notRun. A page that needs checkouts of other projects, ../ggml
// say, is left out where the environment variable METALGEN_PROJECTS ("ggml=dir mlx=dir") does not name them.
func TestPagesOfDocsAreTrue(t *testing.T) {
	if !hasCPU() {
		t.Skip("no CPU device in this version")
	}
	if testing.Short() {
		t.Skip("runs the go command")
	}
	if runtime.GOOS == "windows" {
		t.Skip("the commands are those of a Unix shell")
	}
	pages, err := filepath.Glob(filepath.FromSlash("../../docs/*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal("no pages: ", err)
	}
	module := newModule(t)
	t.Run("page", func(t *testing.T) { // which ends when all pages are done
		for _, file := range pages {
			name := strings.TrimSuffix(filepath.Base(file), ".md")
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				for project, dir := range checkouts(t, file) {
					if dir == "" {
						t.Skip("METALGEN_PROJECTS names no checkout of ", project)
					}
				}
				doPage(t, file, module, name)
			})
		}
	})
	for _, command := range []string{"go test -mod=mod -bench . -benchtime 1x .", "go build ./..."} {
		if out, err := docsCommand(module, command); err != nil {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
	for _, file := range pages {
		doShell(t, file, module)
	}
}

// notRun says why lines of a page are not run, by how they begin.
var notRun = map[string]string{
	"git clone https:": "needs a network: .ci/run clones this repository, and README's commands work there",
	"mkdir saxpy":      "the page goes on in that folder, which is there",
	"cd saxpy":         "see mkdir",
	"xcrun ":           "needs Xcode",
}

// doShell runs the sh blocks of a page in a module that has the files and the tests of this page alone.
func doShell(t *testing.T, file, module string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimSuffix(filepath.Base(file), ".md")
	dir := ""
	for _, b := range fencedBlocks(strings.SplitAfter(string(text), "\n")) {
		if b.language != "sh" {
			continue
		}
		for line := range strings.Lines(b.text) {
			if isNotRun(line) {
				continue
			}
			if dir == "" {
				dir = moduleOfPage(t, module, name)
			}
			if out, err := docsCommand(dir, strings.TrimSpace(line)); err != nil || strings.Contains(out, "no tests to run") {
				t.Errorf("%s: %s: %v\n%s", file, line, err, out)
			}
		}
	}
}

func isNotRun(line string) bool {
	for begin := range notRun {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return false
}

// moduleOfPage copies what a page has written out of the module of all pages.
func moduleOfPage(t *testing.T, module, name string) string {
	t.Helper()
	dir := t.TempDir()
	for _, file := range []string{"go.mod", "go.sum", "README_test.go", name + "_test.go"} {
		text, err := os.ReadFile(filepath.Join(module, file))
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, file), text)
	}
	if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(module, name))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestReadmeIsTrueAndShort holds what README.md shows against the files that it is from. .ci/run runs its two commands.
func TestReadmeIsTrueAndShort(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("runs commands of a Unix shell")
	}
	const root = "../.."
	text, err := os.ReadFile(filepath.FromSlash(root + "/README.md"))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 120 {
		t.Errorf("%d lines, want 120 at most", n)
	}
	for _, link := range regexp.MustCompile(`\]\(([^)]*)\)|href="([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(link[1]+link[2]))); err != nil {
			t.Error(err)
		}
	}
	from := []string{"shaders/norm.metal", "gen/norm_metal.go", "doc_test.go"} // where the code of a language is, in order
	for _, b := range fencedBlocks(strings.SplitAfter(string(text), "\n")) {
		switch b.language {
		case "metal", "go":
			source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(from[0])))
			if err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.text) {
				line = strings.Join(strings.Fields(line), " ")
				if line != "..." && !strings.Contains(strings.Join(strings.Fields(string(source)), " "), line) {
					t.Errorf("%s has no %q", from[0], line)
				}
			}
			from = from[1:]
		case "console":
			commands := strings.ReplaceAll(b.text, "../reference", filepath.ToSlash(t.TempDir())+"/reference")
			got, _ := runConsole(root, commands)
			if diff := cmp.Diff(commands, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		}
	}
	if len(from) > 0 {
		t.Errorf("no code from %q", from)
	}
}

// TestEnginesImportTheRuntimeAsMtl looks at all that an engine may be written after. RATIONALE.md says why.
func TestEnginesImportTheRuntimeAsMtl(t *testing.T) {
	const root = "../../"
	var files []string
	for _, pattern := range []string{"examples/*/*.go", "examples/*/*/*.go", "runtime/example*_test.go", "doc_test.go",
		"cmd/metalgen/start/*.go.tmpl", "runtime/runtimetest/example*_test.go"} {
		matches, err := filepath.Glob(filepath.FromSlash(root + pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, matches...)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		const path = `"github.com/metalgen/metalgen/runtime"`
		if before, _, ok := strings.Cut(string(text), path); ok && !strings.HasSuffix(before, "mtl ") &&
			!strings.HasPrefix(before, "// Code generated") {
			t.Errorf("%s: want mtl %s", file, path)
		}
	}
}

var otherProject = regexp.MustCompile(`\.\./(ggml|mlx)\b`)

// checkouts returns the folders of the projects that a page needs, and leaves out those that are not here.
func checkouts(t *testing.T, page string) map[string]string {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	dirs := make(map[string]string)
	for _, match := range otherProject.FindAllStringSubmatch(string(text), -1) {
		dirs[match[1]] = projects()[match[1]]
	}
	return dirs
}

// projects returns the checkouts that METALGEN_PROJECTS names.
func projects() map[string]string {
	dirs := make(map[string]string)
	for _, entry := range strings.Fields(os.Getenv("METALGEN_PROJECTS")) {
		name, dir, _ := strings.Cut(entry, "=")
		dirs[name] = dir
	}
	return dirs
}

// doPage does the blocks of a page in their order. With -update it writes what commands print into the page.
func doPage(t *testing.T, file, module, name string) {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(module, name)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	var got, declarations, lastFile, lastCommand string
	for _, b := range fencedBlocks(strings.SplitAfter(string(text), "\n")) {
		switch {
		case b.file != "":
			lastFile = filepath.Join(dir, filepath.FromSlash(b.file))
			writeFile(t, lastFile, []byte(b.text))
		case b.language == "go":
			declarations += b.text + "\n"
		case b.language == "diff":
			source, err := os.ReadFile(lastFile)
			if err != nil {
				t.Fatal(err)
			}
			writeFile(t, lastFile, []byte(patched(t, string(source), b.text)))
			if out, err := docsCommand(dir, lastCommand); err != nil || out != "" {
				t.Errorf("mended: %s: %v\n%s", lastCommand, err, out)
			}
		case b.language == "console":
			b.text, lastCommand = runConsole(dir, b.text)
		}
		got += b.text
	}
	if diff := cmp.Diff(string(text), got); diff != "" {
		if *update {
			writeFile(t, file, []byte(got))
		} else {
			t.Errorf("-want +got (go test -update writes what is got):\n%s", diff)
		}
	}
	if declarations != "" {
		writeFile(t, filepath.Join(module, name+"_test.go"), testsOfPage(t, name, declarations))
	}
	if _, err := os.Stat(filepath.Join(dir, "shaders")); err == nil {
		if out, err := docsCommand(dir, "metalgen -in shaders -out gen -quiet"); err != nil {
			t.Errorf("metalgen: %v\n%s", err, out)
		}
	}
}

// runConsole runs the commands of a console block. It returns the block with what they print, and the last command.
func runConsole(dir, block string) (printed, last string) {
	for i, part := range strings.Split("\n"+block, "\n$ ") {
		if i == 0 {
			continue // before the first command
		}
		command, shown, _ := strings.Cut(part, "\n")
		out, _ := docsCommand(dir, command) // which may fail, and says why
		if shown = strings.TrimSuffix(shown, "\n"); isPrinted(shown, strings.TrimSuffix(out, "\n")) {
			out = shown + "\n"
		}
		printed += "$ " + command + "\n" + strings.TrimPrefix(out, "\n")
		last = command
	}
	return printed, last
}

var printedTimes = regexp.MustCompile(`\b\d+(\.\d+)?(s|ms|µs|ns)\b`)

// isPrinted reports whether a page shows what a command has printed. Times may differ, and a line of three dots stands
// for any lines.
func isPrinted(shown, printed string) bool {
	pattern := regexp.QuoteMeta(printedTimes.ReplaceAllString("\n"+shown+"\n", "0s"))
	pattern = strings.ReplaceAll(pattern, "\n"+regexp.QuoteMeta("...")+"\n", "\n(.*\n)*")
	return regexp.MustCompile("^" + pattern + "$").MatchString(printedTimes.ReplaceAllString("\n"+printed+"\n", "0s"))
}

// docsCommand runs a command on the CPU device and without a network. The clone of this repository, ../metalgen to
// the pages, is where it is.
func docsCommand(dir, command string) (string, error) {
	root, err := filepath.Abs(filepath.FromSlash("../.."))
	if err != nil {
		return "", err
	}
	command = strings.ReplaceAll(command, "../metalgen", root)
	command = otherProject.ReplaceAllStringFunc(command, func(at string) string { return projects()[at[len("../"):]] })
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "METALGEN_") })
	cmd.Env = append(cmd.Env, "METALGEN_DEVICE=cpu", "METALGEN_LINES=off",
		"GOFLAGS=-vet=all -ldflags=-w", "GOPROXY=off", "GOSUMDB=off", "GOWORK=off", "GOTOOLCHAIN=local")
	out, err := cmd.CombinedOutput()
	return strings.ReplaceAll(string(out), root, "../metalgen"), err
}

// testsOfPage returns declarations as a Go file with the imports that they need.
func testsOfPage(t *testing.T, page, declarations string) []byte {
	imports := map[string]string{
		"gen":         "engine/" + page + "/gen",
		"mtl":         "github.com/metalgen/metalgen/runtime",
		"runtimetest": "github.com/metalgen/metalgen/runtime/runtimetest",
		"fakemetal":   "github.com/metalgen/metalgen/runtime/runtimetest/fakemetal",
		"float16":     "github.com/x448/float16",
	}
	for _, path := range []string{"bytes", "context", "errors", "fmt", "image", "image/color", "image/png", "log/slog",
		"math", "math/rand/v2", "os", "slices", "strings", "sync", "syscall", "testing", "time"} {
		name := strings.TrimSuffix(path, "/v2")
		imports[name[strings.LastIndex(name, "/")+1:]] = path
	}
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, page+".md", "package docs\n"+declarations, 0)
	if err != nil {
		t.Fatal(err)
	}
	needed := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && imports[x.Name] != "" {
				needed[x.Name] = true
			}
		}
		return true
	})
	text := "package docs\n\nimport (\n"
	for _, name := range slices.Sorted(maps.Keys(needed)) {
		text += fmt.Sprintf("\t%s %q\n", name, imports[name])
	}
	// The tests of all pages are one package, above their folders.
	declarations = strings.ReplaceAll(declarations, `"-in", "shaders", "-out", "gen"`,
		fmt.Sprintf("%q, %q, %q, %q", "-in", page+"/shaders", "-out", page+"/gen"))
	return []byte(text + ")\n\n" + declarations)
}

// block is a fenced block of Markdown without its fences, or what is between two of them, with them.
type block struct{ language, file, text string }

func fencedBlocks(lines []string) []block {
	blocks := []block{{}}
	last := &blocks[0]
	inside := false
	for _, line := range lines {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && !inside:
			last.text += line
			language, file, _ := strings.Cut(strings.TrimSpace(fence), " ")
			blocks = append(blocks, block{language: language, file: file})
			inside = true
		case isFence:
			blocks = append(blocks, block{text: line})
			inside = false
		default:
			last.text += line
		}
		last = &blocks[len(blocks)-1]
	}
	return blocks
}

// patched returns a text after a diff without positions.
func patched(t *testing.T, text, diff string) string {
	t.Helper()
	var before, after string
	for line := range strings.Lines(diff) {
		if line[0] != '+' {
			before += line[1:]
		}
		if line[0] != '-' {
			after += line[1:]
		}
	}
	if strings.Count(text, before) != 1 {
		t.Fatalf("not once in the source:\n%s", before)
	}
	return strings.Replace(text, before, after, 1)
}
