package main

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWhatAWordMayBecome(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "in/a.metal", []byte(`
kernel void add() {}
template <typename T> kernel void copy(device T* x) {}
template [[host_name("copy_f32")]] kernel void copy<float>(device float* x);
template [[host_name("copy_i32")]] kernel void copy<int>(device int* x);
`))
	writeFile(t, "in/c.metal", []byte(`
#ifndef D
#include <metal_stdlib>
constant bool fancy [[function_constant(0)]];
struct P { uint n; float eps; };
kernel void scale(device const float* src, constant float& by, constant P& p, device float* y, threadgroup float* tile,
	uint i [[thread_position_in_grid]]) { if (fancy) y[i] = src[i]; }
#endif
`))
	writeFile(t, "in/b.metal", []byte("#ifdef B\nkernel void sub() {}\n#endif\n"))
	tests := []struct{ line, want string }{
		{"l", "list"},
		{"ver", "version"},
		{"help ", "init list vet"},
		{"help v", "vet version"},
		{"help vet ", ""},
		{"-ig", "-ignore"},
		{"-i", "-ignore -in"},
		{"list -j", "-json"},
		{"list --j", ""},
		{"list -r -j", "-json"},
		{"list x -j", ""},
		{"frobnicate -", ""},
		{"-in ", ":dirs"},
		{"-in=", ":dirs"},
		{"-in a -out ", ":dirs"},
		{"-pkg ", ""},
		{"run -in ", ":files"},
		{"run -o ", ""},
		{"run -o x=", ":files"},
		{"run -arg x=y", ":files"},
		{"run -const x=", ""},
		{"run -device ", "cpu metal"},
		{"run -device=m", "-device=metal"},
		{"list -std metal3", "metal3.0 metal3.1 metal3.2"},
		{"run -sanitize=ra", "-sanitize=race -sanitize=race-simdgroup"},
		{"run -sanitize=race,b", "-sanitize=race,barrier"},
		{"run -sanitize -sc", "-schedule"},
		{"run -kernel ", ""},
		{"run -in nowhere -kernel ", ""},
		{"run -in in -kernel ", "add copy_f32 copy_i32 scale"},
		{"run -in in -grid nonsense -D B -D D -kernel ", "add copy_f32 copy_i32 sub"},
		{"run -in in/b.metal -D B=1 -kernel=", "-kernel=sub"},
		{"run -in in -kernel copy", "copy_f32 copy_i32"},
		{"completion ", "bash zsh fish"},
		{"run -in in/c.metal -arg ", ""},
		{"run -in in/c.metal -kernel scale -arg ", "src= by= p= p.n= p.eps= y="},
		{"run -in in/c.metal -kernel scale -arg=p", "-arg=p= -arg=p.n= -arg=p.eps="},
		{"run -in in/c.metal -kernel scale -arg y=zeros -arg p=zeros -arg ", "src= by= p.n= p.eps="},
		{"run -in in/c.metal -kernel scale -o ", "y="},
		{"run -in in/c.metal -kernel scale -shared ", "tile="},
		{"run -in in/c.metal -kernel scale -const ", "fancy="},
		{"run -in in/c.metal -kernel scale -arg by=", ":files"},
	}
	for _, test := range tests {
		var got []string
		for _, c := range candidates(strings.Split(test.line, " ")) {
			got = append(got, c.word)
		}
		if test.line == "help " && len(got) > 3 {
			got = got[:3]
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("metalgen %s: %v, want %s", test.line, got, test.want)
		}
	}
}

// TestAllThatHelpNamesIsCompleted reads what help prints.
func TestAllThatHelpNamesIsCompleted(t *testing.T) {
	words := func(pattern, help string) (all []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(help, -1) {
			all = append(all, m[1])
		}
		return all
	}
	printed := func(args ...string) string {
		var stdout, stderr bytes.Buffer
		if status := run(args, &stdout, &stderr); status != exitOK || stderr.Len() > 0 {
			t.Fatalf("metalgen %v: exit status %d: %s", args, status, &stderr)
		}
		return stdout.String()
	}
	check := func(what string, want []string, line ...string) {
		got := words(`(?m)^(\S+)`, printed(slices.Concat([]string{"completion", "words"}, line)...))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -help +completion:\n%s", what, diff)
		}
	}
	commands := words(`(?m)^  ([a-z]+) `, printed("help"))
	if len(commands) < 6 {
		t.Fatalf("the commands are %v", commands)
	}
	check("the commands", commands, "")
	const flags = `(?m)^  (-\w+)(?: \S+)?(?:\t|\n    \t)`
	check("metalgen", words(flags, printed("-help")), "-")
	for _, name := range commands {
		check(name, words(flags, printed("help", name)), name, "-")
	}
}
