package main

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// prose returns the paragraphs of all pages of Markdown in a folder, without code and tables, and of all comments in
// sources of Go.
func prose(folder string) ([]string, error) {
	var paragraphs []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || name == "gen" || name[0] == '.' && path != folder) {
			return filepath.SkipDir
		}
		extract := map[string]func(string) string{".md": unfenced, ".go": comments}[filepath.Ext(path)]
		if extract == nil {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		paragraphs = append(paragraphs, plain(extract(string(text)))...)
		return nil
	})
	if err == nil && len(paragraphs) == 0 {
		err = fmt.Errorf("no text in %s", folder)
	}
	return paragraphs, err
}

var (
	fenced = regexp.MustCompile("(?ms)^```.*?^```$")
	link   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	marks  = strings.NewReplacer("**", "", "`", "", "\n", " ", "\u00a0", " ")
)

// unfenced returns a page without its code.
func unfenced(page string) string { return fenced.ReplaceAllString(page, "") }

// comments returns the comments of a Go file that have lines of their own, and "" for a generated file.
func comments(source string) string {
	var text strings.Builder
	for line := range strings.Lines(source) {
		line = strings.TrimSpace(line)
		comment, ok := strings.CutPrefix(line, "// ")
		switch {
		case strings.HasSuffix(line, "DO NOT EDIT."):
			return ""
		case ok && !strings.HasPrefix(comment, "\t"):
			fmt.Fprintln(&text, comment)
		default:
			fmt.Fprintln(&text)
		}
	}
	return text.String()
}

// plain returns the paragraphs of a text. Points of lists are paragraphs, too.
func plain(text string) []string {
	text = strings.ReplaceAll("\n"+text, "\n- ", "\n\n")
	var paragraphs []string
	for p := range strings.SplitSeq(text, "\n\n") {
		p = strings.TrimSpace(p)
		if p == "" || strings.ContainsAny(p[:1], "|<#![") || strings.Contains(p, "\n|") {
			continue
		}
		p = strings.Join(strings.Fields(marks.Replace(link.ReplaceAllString(p, "$1"))), " ")
		if len(p) > 40 { // else hardly a sentence
			paragraphs = append(paragraphs, p)
		}
	}
	return paragraphs
}

// divide returns the text to learn from, and every twentieth paragraph of it, which is left out there.
func divide(paragraphs []string, r *rand.Rand) (known, unknown string) {
	r.Shuffle(len(paragraphs), func(i, j int) { paragraphs[i], paragraphs[j] = paragraphs[j], paragraphs[i] })
	for i, p := range paragraphs {
		if i%20 == 0 {
			unknown += p + "\n"
		} else {
			known += p + "\n"
		}
	}
	return known, unknown
}
