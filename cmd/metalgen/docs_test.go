package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestThePageOfMistakesPrintsWhatTheCommandPrints runs the kernels of docs/finding-mistakes.md as the page says, and
// compares the reports. Mended as the page says, the kernels run in silence.
func TestThePageOfMistakesPrintsWhatTheCommandPrints(t *testing.T) {
	if !hasCPU() {
		t.Skip("no CPU device in this version")
	}
	page, err := filepath.Abs(filepath.FromSlash("../../docs/finding-mistakes.md"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	blocks := fencedBlocks(strings.SplitAfter(string(text), "\n"))
	got, kernels := "", 0
	for i, b := range blocks {
		if b.language != "console" {
			got += b.text
			continue
		}
		kernels++
		command, _, _ := strings.Cut(b.text, "\n")
		args := strings.Fields(command)[2:] // behind $ metalgen
		name := args[slices.Index(args, "-in")+1]
		source, diff := blockBefore(t, blocks[:i], "metal"), blockBefore(t, blocks[i:i+4], "diff")
		writeFile(t, name, []byte(source))
		var stdout, stderr bytes.Buffer
		if status := run(args, &stdout, &stderr); status != exitError || stdout.Len() > 0 {
			t.Errorf("%s\nexit status %d, %s%s", command, status, &stdout, &stderr)
		}
		got += command + "\n" + stderr.String()
		stderr.Reset()
		writeFile(t, name, []byte(patched(t, source, diff)))
		if status := run(args, &stdout, &stderr); status != exitOK || stdout.Len()+stderr.Len() > 0 {
			t.Errorf("mended: %s\nexit status %d, %s%s", command, status, &stdout, &stderr)
		}
	}
	if kernels != 6 {
		t.Errorf("%d broken kernels, want 6", kernels)
	}
	if diff := cmp.Diff(string(text), got); diff != "" && !*update {
		t.Errorf("-want +got (go test -update writes what is got):\n%s", diff)
	}
	if *update {
		writeFile(t, page, []byte(got))
	}
}

// block is a fenced block of Markdown without its fences, or what is between two of them, with them.
type block struct{ language, text string }

func fencedBlocks(lines []string) []block {
	blocks := []block{{}}
	last := &blocks[0]
	for _, line := range lines {
		fence, isFence := strings.CutPrefix(line, "```")
		switch {
		case isFence && last.language == "":
			last.text += line
			blocks = append(blocks, block{language: strings.TrimSpace(fence)})
		case isFence:
			blocks = append(blocks, block{text: line})
		default:
			last.text += line
		}
		last = &blocks[len(blocks)-1]
	}
	return blocks
}

// blockBefore returns the last of the blocks that is in a language.
func blockBefore(t *testing.T, blocks []block, language string) string {
	t.Helper()
	for i := len(blocks) - 1; i >= 0; i-- {
		if blocks[i].language == language {
			return blocks[i].text
		}
	}
	t.Fatalf("there is no block of %s", language)
	return ""
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
