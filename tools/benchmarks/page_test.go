package main

import (
	"bytes"
	"strings"
	"testing"
	"text/template"
)

func TestRatiosAreThoseOfTheMiddleRun(t *testing.T) {
	p := page{Best: numbers{}}
	for _, run := range []struct{ ours, theirs, avx2 float64 }{{4, 2, 5}, {3, 6, 6}, {1, 1, 4}} {
		n := numbers{}
		for _, kernel := range []string{"Suite/triad", "Suite/peak"} {
			n.note("suite", kernel, "metalgen-sec", run.ours)
			n.note("suite", kernel, "pocl-sec", run.theirs)
			n.note("suite", kernel, "avx2-sec", run.avx2)
		}
		p.Runs = append(p.Runs, n)
		p.Best.join(n)
	}
	var out bytes.Buffer
	if err := template.Must(template.New("").Parse(text)).Execute(&out, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"the middle one of 3 runs", "Geometric mean 1.00", "they take 2.00 times as long",
		"| 1.00 | 1.0 s | 1.0 s | – | 2.00 |",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the page does not say %q:\n%s", want, out.String())
		}
	}
}
