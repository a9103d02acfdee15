package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// found is what an editor makes of a line.
type found struct {
	File      string
	Line, Col int
	Warning   bool
	Message   string
}

// foundInBoth is what editors find in the output of metalgen vet, and of generating, for the source of the page.
var foundInBoth = map[string][]found{
	"vet -in shaders": {{"shaders/scale.metal", 2, 10, false, "unknown name bye"}},
	"-in shaders -out gen": {{"shaders/scale.metal", 1, 1, true, "nothing states the grid of a kernel (metalgen:grid " +
		"(x, y, z) would) or the shape of a buffer (metalgen:shape x [length] would); -quiet ends this warning"}},
}

// editorsPage writes the files of docs/editors.md into the current directory.
func editorsPage(t *testing.T) {
	t.Helper()
	page, err := os.ReadFile(filepath.FromSlash("../../docs/editors.md"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	for _, b := range fencedBlocks(strings.SplitAfter(string(page), "\n")) {
		if b.file != "" {
			writeFile(t, filepath.FromSlash(b.file), []byte(b.text))
		}
	}
}

// vsCode is what the test reads of a tasks.json.
type vsCode struct {
	Tasks []struct {
		Command        string
		Args           []string
		ProblemMatcher struct {
			Pattern struct {
				Regexp                                string
				File, Line, Column, Severity, Message int
			}
			Background struct{ BeginsPattern, EndsPattern string }
		}
	}
}

func TestVSCodeFindsWhatThePageSays(t *testing.T) {
	editorsPage(t)
	text, err := os.ReadFile(filepath.FromSlash(".vscode/tasks.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tasks vsCode
	if err := json.Unmarshal(text, &tasks); err != nil {
		t.Fatal(err)
	}
	if len(tasks.Tasks) != 2 {
		t.Fatalf("%d tasks, want 2", len(tasks.Tasks))
	}
	for _, task := range tasks.Tasks {
		p := task.ProblemMatcher.Pattern
		for command, want := range foundInBoth {
			out, _ := exec.Command("metalgen", strings.Fields(command)...).CombinedOutput()
			var got []found
			for line := range strings.Lines(string(out)) {
				if m := regexp.MustCompile(p.Regexp).FindStringSubmatch(strings.TrimRight(line, "\r\n")); m != nil {
					got = append(got, found{m[p.File], number(t, m[p.Line]), number(t, m[p.Column]),
						m[p.Severity] == "warning", m[p.Message]})
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("metalgen %s: -want +got:\n%s", command, diff)
			}
		}
	}
	watch := tasks.Tasks[1]
	if watch.Command != "go" || strings.Join(watch.Args[:2], " ") != "tool metalgen" {
		t.Errorf("the command is %s %v", watch.Command, watch.Args)
	}
	begins := regexp.MustCompile(watch.ProblemMatcher.Background.BeginsPattern)
	ends := regexp.MustCompile(watch.ProblemMatcher.Background.EndsPattern)
	var passes []string
	for line := range strings.Lines(watched(t, watch.Args[2:])) {
		if begins.MatchString(line) {
			passes = append(passes, "begins")
		}
		if ends.MatchString(line) {
			passes = append(passes, "ends")
		}
	}
	if got := strings.Join(passes, " "); got != "begins ends begins ends begins ends" {
		t.Errorf("the passes are %s", got)
	}
}

func number(t *testing.T, digits string) (n int) {
	t.Helper()
	if err := json.Unmarshal([]byte(digits), &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// watched returns what metalgen -watch prints when the source, which has a mistake, is mended and broken again.
func watched(t *testing.T, args []string) string {
	t.Helper()
	said, err := os.Create("said")
	if err != nil {
		t.Fatal(err)
	}
	defer said.Close()
	cmd := exec.Command("metalgen", args...)
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	broken, err := os.ReadFile("shaders/scale.metal")
	if err != nil {
		t.Fatal(err)
	}
	steps := []struct{ source, until string }{
		{string(broken), "(?m)^metalgen: nothing was written$"},
		{strings.Replace(string(broken), "bye", "by", 1), "(?m)^mended; gen: 1 kernel from 1 file, "},
		{string(broken), "(?s)mended.*metalgen: nothing was written"},
	}
	for i, step := range steps {
		if i > 0 {
			writeFile(t, "shaders/scale.metal", []byte(step.source))
		}
		for tries := 0; ; tries++ {
			text, err := os.ReadFile("said")
			if err != nil || tries == 6000 {
				t.Fatalf("%v: no %s in\n%s", err, step.until, text)
			}
			if regexp.MustCompile(step.until).Match(text) {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
	text, err := os.ReadFile("said")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestVimFindsWhatThePageSays(t *testing.T) {
	vim, err := exec.LookPath("vim")
	if err != nil {
		if vim, err = exec.LookPath("nvim"); err != nil {
			t.Skip("there is neither vim nor nvim")
		}
	}
	if out, err := exec.Command(vim, "--version").Output(); err != nil || strings.Contains(string(out), "-eval") {
		t.Skip("this vim evaluates no expressions")
	}
	editorsPage(t)
	for command, want := range foundInBoth {
		// The page's tool is that of a module. Here it is the command itself.
		writeFile(t, "check.vim", []byte(`
set runtimepath+=. shellpipe=>%s\ 2>&1
compiler metalgen
if &makeprg !~# '^go tool metalgen '
  cquit
endif
let &makeprg = 'metalgen `+command+`'
silent make!
let found = map(filter(getqflist(), 'v:val.valid'), {_, e -> {'File': bufname(e.bufnr), 'Line': e.lnum, 'Col': e.col,
      \ 'Warning': e.type ==# 'w' ? v:true : v:false, 'Message': e.text}})
call writefile([json_encode(found)], 'found.json')
qall!
`))
		cmd := exec.Command(vim, "-Nu", "NONE", "-i", "NONE", "-es", "-S", "check.vim")
		cmd.Env = append(os.Environ(), "TERM=dumb")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		text, err := os.ReadFile("found.json")
		if err != nil {
			t.Fatal(err)
		}
		var got []found
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("metalgen %s: -want +got:\n%s", command, diff)
		}
	}
}
