package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"text/template"
)

//go:embed page.md.tmpl
var text string

// A page is what the template is given.
type page struct {
	Best   numbers
	Runs   []numbers // each by itself
	Where  string
	Rounds int
}

// writePage writes docs/benchmarks.md, and the best and the worst of the suite between two comments of README.md.
func writePage(root string, p page) error {
	t, err := template.New("").Parse(text)
	if err != nil {
		return err
	}
	var whole, extremes bytes.Buffer
	if err := t.Execute(&whole, p); err != nil {
		return err
	}
	if err := t.ExecuteTemplate(&extremes, "extremes", p); err != nil {
		return err
	}
	readme := filepath.Join(root, "README.md")
	old, err := os.ReadFile(readme)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(old, []byte("<!-- benchmarks -->\n"))
	_, after, ends := bytes.Cut(rest, []byte("<!-- end of benchmarks -->\n"))
	if !found || !ends {
		return errors.New("README.md has no place for the benchmarks")
	}
	new := fmt.Appendf(nil, "%s<!-- benchmarks -->\n%s<!-- end of benchmarks -->\n%s", before, &extremes, after)
	if err := os.WriteFile(readme, new, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "docs", "benchmarks.md"), whole.Bytes(), 0o644)
}

const nothing = "–"

func (p page) value(run, benchmark, unit string) (float64, bool) {
	v, found := p.Best[run][benchmark][unit]
	return v, found && v != 0
}

// Time returns how long a round of a benchmark takes.
func (p page) Time(run, benchmark string) string { return p.timeOf(run, benchmark, "sec/op") }

// Dispatch returns how long one dispatch takes of a benchmark that makes many in a round.
func (p page) Dispatch(run, benchmark string) string { return p.timeOf(run, benchmark, "sec/dispatch") }

func (p page) timeOf(run, benchmark, unit string) string {
	v, found := p.value(run, benchmark, unit)
	if !found {
		return nothing
	}
	return duration(v)
}

// duration returns seconds in the unit that suits them.
func duration(v float64) string {
	for _, u := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if v >= u.size {
			return figure(v/u.size) + " " + u.name
		}
	}
	return figure(v*1e9) + " ns"
}

// Rate returns a number in a unit of the benchmark's own, such as GFLOP/s.
func (p page) Rate(run, benchmark, unit string) string {
	v, found := p.value(run, benchmark, unit)
	if !found {
		return nothing
	}
	return figure(v)
}

// Ratio returns how many times as long one takes as the other.
func (p page) Ratio(run, long, short string) string {
	a, _ := p.value(run, long, "sec/op")
	b, found := p.value(run, short, "sec/op")
	if !found {
		return nothing
	}
	return strconv.FormatFloat(a/b, 'f', 2, 64)
}

// figure returns a number with as many digits as these measurements deserve.
func figure(v float64) string {
	switch {
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// A row is a benchmark and what a table calls it.
type row struct{ Name, Go string }

// Kernels returns those of gen_test that have benchmarks.
func (page) Kernels() []row {
	return []row{
		{"fused_norm_add_f32", "FusedNormAddF32"},
		{"swiglu_fused", "SwigluFused"},
		{"dequant_matvec_4bit", "DequantMatvec4bit"},
		{"dequant_matvec_4bit_v3", "DequantMatvec4bitV3"},
		{"mla_sdpa_folded", "MlaSdpaFolded"},
	}
}

// Images returns the operations on images that other packages have, too.
func (page) Images() []row {
	return []row{
		{"bilinear, from 1 MP", "ResizeBilinear/from1MP"},
		{"bilinear, from 16 MP", "ResizeBilinear/from16MP"},
		{"Lanczos, from 1 MP", "ResizeLanczos/from1MP"},
		{"Lanczos, from 16 MP", "ResizeLanczos/from16MP"},
		{"Gaussian blur of nine texels", "Blur9"},
	}
}

// Functions returns the functions of the Metal library that are compared with package math.
func (page) Functions() []string { return []string{"exp", "sin", "log", "tanh"} }

// Cores returns the number of cores of the benchmarks.
func (page) Cores() int { return runtime.GOMAXPROCS(0) }
