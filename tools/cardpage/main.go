// Command cardpage prints what ran on an NVIDIA card, as the last section of docs/cuda.md, from the files that run.sh
// has left in a folder; with -w it writes that section.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	page := flag.String("w", "", "the `FILE` whose last section to write")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: cardpage [-w FILE] LOGS")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := run(flag.Arg(0), *page); err != nil {
		fmt.Fprintln(os.Stderr, "cardpage:", err)
		os.Exit(1)
	}
}

func run(folder, page string) error {
	text, err := section(folder)
	switch {
	case err != nil:
		return err
	case page == "":
		fmt.Print(text)
		return nil
	}
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, _, found := strings.Cut(string(old), heading)
	if !found {
		return fmt.Errorf("%s has no section %q", page, strings.TrimSpace(heading))
	}
	return os.WriteFile(page, []byte(before+text), 0o666)
}

const heading = "## What ran on a card\n"

// group is a row of the table: files whose names begin alike.
type group struct{ prefix, what, command string }

var groups = []group{
	{"gen-", "numeric tests, images too", "`METALGEN_DEVICE=cuda go test ./gen_test`"},
	{"proj-", "kernels of ggml, MLX, Candle, mlx-native",
		"`METALGEN_DEVICE=cuda METALGEN_PROJECTS=... go test ./runtime/internal/cpu -run 'GGML\\|MLX\\|Candle\\|Native'`"},
	{"cuda-", "faults, kept batches, events, matrices, memory", "`METALGEN_CARD=1 go test ./runtime/internal/cuda`"},
	{"language-", "pointers and textures in buffers, textures, os_log",
		"`METALGEN_DEVICE=cuda go test ./runtime/internal/cpu -run 'InBuffersAre\\|Texel\\|Texture\\|Messages'`"},
	{"examples-", "examples", "`METALGEN_DEVICE=cuda go run -tags cuda ./examples/moe`, `nbody`, `image`"},
}

// outcome counts what the files of a group say.
type outcome struct {
	passed, skipped int
	failed          []string
}

func (o *outcome) String() string {
	text := fmt.Sprintf("%d pass", o.passed)
	if o.skipped > 0 {
		text += fmt.Sprintf(", %d with parts that were left out", o.skipped)
	}
	if len(o.failed) > 0 {
		text += fmt.Sprintf("; %d fail: %s", len(o.failed), strings.Join(o.failed, ", "))
	}
	return text
}

// outcomeOf reads the files of a group.
func outcomeOf(folder, prefix string) (o outcome, err error) {
	files, err := filepath.Glob(filepath.Join(folder, prefix+"*.txt"))
	for _, file := range files {
		bytes, err := os.ReadFile(file)
		if err != nil {
			return o, err
		}
		text := string(bytes)
		switch {
		case strings.Contains(text, "exit status ") || strings.Contains(text, "--- FAIL"):
			o.failed = append(o.failed, strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), prefix), ".txt"))
			continue
		case strings.Contains(text, "--- SKIP"):
			o.skipped++
		}
		o.passed++
	}
	return o, err
}

// section returns the text of the section.
func section(folder string) (string, error) {
	read := func(name string) string {
		bytes, _ := os.ReadFile(filepath.Join(folder, name))
		return string(bytes)
	}
	card := tableIn(read("card.txt"))
	if len(card) == 0 {
		return "", errors.New("card.txt has no table: did TestCardPage run?")
	}
	var b strings.Builder
	b.WriteString(heading + "\n")
	b.WriteString("`tools/cardpage/run.sh` runs it, and `cd tools && go run ./cardpage -w ../docs/cuda.md LOGS` writes " +
		"this\nsection.\n\n")
	b.WriteString(strings.Join(card, "\n") + "\n\n")
	if _, version, ok := strings.Cut(strings.TrimSpace(read("driver.txt")), ", "); ok {
		fmt.Fprintf(&b, "The driver is version %s.\n\n", version)
	}
	if notes := strings.TrimSpace(read("notes.txt")); notes != "" { // by those who ran it
		b.WriteString(notes + "\n\n")
	}
	b.WriteString("| what | command | outcome |\n|---|---|---|\n")
	if takes := regexp.MustCompile(`takes (\d+ of the \d+) kernels`).FindStringSubmatch(read("card.txt")); takes != nil {
		fmt.Fprintf(&b, "| the driver's compiler | `METALGEN_CARD=1 go test ./runtime/internal/cuda -run CardPage` | "+
			"takes %s kernels of shaders/ |\n", takes[1])
	}
	for _, g := range groups {
		o, err := outcomeOf(folder, g.prefix)
		if err != nil {
			return "", err
		}
		if o.passed+len(o.failed) > 0 {
			fmt.Fprintf(&b, "| %s | %s | %v |\n", g.what, g.command, &o)
		}
	}
	row, err := randomRow(folder)
	if err != nil {
		return "", err
	}
	b.WriteString(row)
	if speed := tableIn(read("speed.txt")); len(speed) > 0 {
		b.WriteString("\nThe speed of kernels, beside `gen_test/peers/card.cu`:\n\n" + strings.Join(speed, "\n") + "\n")
	}
	var costs []string
	for line := range strings.Lines(read("overhead.txt")) {
		before, _, ok := strings.Cut(line, ": ")
		if ok && !strings.HasPrefix(line, " ") && !strings.HasPrefix(before, "---") {
			costs = append(costs, "- "+strings.TrimSpace(line))
		}
	}
	if len(costs) > 0 {
		b.WriteString("\nWhat calls cost:\n\n" + strings.Join(costs, "\n") + "\n")
	}
	return b.String(), nil
}

// tableIn returns the lines of the table in a text.
func tableIn(text string) (lines []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

var (
	compared = regexp.MustCompile(`(\d+) compared; not supported: map\[(.*)\]`)
	lacking  = regexp.MustCompile(`(does not support .*?) yet:(\d+)`)
	differs  = regexp.MustCompile(`whole_test\.go:\d+: ((?:kernel|program) \d+): `)
)

// randomRow returns the row of random kernels and programs, "" where none were compared.
func randomRow(folder string) (string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "random-*.txt"))
	if err != nil {
		return "", err
	}
	all, missing, unfinished := 0, 0, 0
	var different []string
	for _, file := range files {
		bytes, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		text := string(bytes)
		for _, m := range compared.FindAllStringSubmatch(text, -1) {
			all += number(m[1])
			for _, l := range lacking.FindAllStringSubmatch(m[2], -1) {
				missing += number(l[2])
			}
		}
		for _, m := range differs.FindAllStringSubmatch(text, -1) {
			different = append(different, m[1])
		}
		if strings.Contains(text, "exit status 124") {
			unfinished++
		}
	}
	if len(files) == 0 {
		return "", nil
	}
	slices.SortFunc(different, cmp.Compare)
	text := fmt.Sprintf("%d compared, faults included", all)
	if missing > 0 {
		text += fmt.Sprintf("; %d of them need what the device lacks", missing)
	}
	switch len(different) {
	case 0:
		text += "; none differs"
	default:
		text += fmt.Sprintf("; %d differ: %s", len(different), strings.Join(different, ", "))
	}
	if unfinished > 0 {
		text += fmt.Sprintf("; %d of %d processes did not come to their end", unfinished, len(files))
	}
	return "| random kernels and programs, beside the CPU device | `METALGEN_CARD=1 go test ./runtime/internal/cuda " +
		"-run CPUDeviceDoes -kernels N` | " + text + " |\n", nil
}

func number(text string) (n int) {
	fmt.Sscan(text, &n)
	return n
}
