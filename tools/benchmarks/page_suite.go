package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/metalgen/metalgen/tools/benchmarks/suite"
)

// result is a kernel of the suite with its numbers.
type result struct {
	suite.Kernel
	page page
}

// Suite returns the kernels of the suite that were measured beside pocl, the slowest of ours first.
func (p page) Suite() []result {
	var list []result
	for _, k := range suite.Table {
		if r := (result{k, p}); r.ratio() > 0 {
			list = append(list, r)
		}
	}
	slices.SortFunc(list, func(a, b result) int { return -cmp.Compare(a.ratio(), b.ratio()) })
	return list
}

func (r result) seconds(on string) float64 {
	v, _ := r.page.value("suite", "Suite/"+r.Name, on+"-sec")
	return v
}

// to returns the time on one device to that on another, of the middle run, or 0 where one of the two is missing.
func (r result) to(one, other string) float64 {
	var list []float64
	for _, run := range r.page.Runs {
		units := run["suite"]["Suite/"+r.Name]
		if a, b := units[one+"-sec"], units[other+"-sec"]; a > 0 && b > 0 {
			list = append(list, a/b)
		}
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[len(list)/2]
}

func (r result) ratio() float64 { return r.to("metalgen", "pocl") }

// AVX2 returns the time with AVX2 alone to that with AVX-512.
func (r result) AVX2() string {
	if v := r.to("avx2", "metalgen"); v > 0 {
		return fmt.Sprintf("%.2f", v)
	}
	return nothing
}

// Ratio returns our time to pocl's.
func (r result) Ratio() string { return fmt.Sprintf("%.2f", r.ratio()) }

// Time returns the time on a device, or of the first call there.
func (r result) Time(on string) string {
	if v := r.seconds(on); v > 0 {
		return duration(v)
	}
	return nothing
}

// Share returns which part of what a kernel could reach at most it reaches.
func (r result) Share() string {
	peak := r.page.kernel("peak")
	switch {
	case r.Traffic > 0:
		return fmt.Sprintf("%.0f %% of a triad", 100*r.seconds("triad")/r.seconds("metalgen"))
	case r.Flops > 0 && r.Name != peak.Name:
		return fmt.Sprintf("%.0f %% of the peak", 100*r.Flops/r.seconds("metalgen")/peak.best(peak.Flops))
	default:
		return ""
	}
}

// best returns how much of something a kernel does in a second, on the faster of the two.
func (r result) best(much float64) float64 {
	return max(much/r.seconds("metalgen"), much/r.seconds("pocl"))
}

func (p page) kernel(name string) result {
	i := slices.IndexFunc(suite.Table, func(k suite.Kernel) bool { return k.Name == name })
	return result{suite.Table[i], p}
}

// Triad returns the gigabytes a second that a triad moves on a device.
func (p page) Triad(on string) string {
	triad := p.kernel("triad")
	return figure(triad.Traffic / triad.seconds(on) / 1e9)
}

// Peak returns the most operations in a second, in GFLOP/s.
func (p page) Peak() string {
	peak := p.kernel("peak")
	return figure(peak.best(peak.Flops) / 1e9)
}

// summary is the suite in a line.
type summary struct {
	Mean            string // of the ratios, geometric
	AVX2            string // of those of AVX2 alone to AVX-512, or ""
	Slower, Kernels int
}

// Summary returns the suite in a line, or nil where pocl is missing.
func (p page) Summary() *summary {
	list, logs, avx2 := p.Suite(), 0.0, 0.0
	if len(list) == 0 {
		return nil
	}
	s := &summary{Kernels: len(list)}
	for _, r := range list {
		logs += math.Log(r.ratio())
		avx2 += math.Log(r.to("avx2", "metalgen")) // of 0 where that is missing
		if r.ratio() > 1.2 {
			s.Slower++
		}
	}
	s.Mean = fmt.Sprintf("%.2f", math.Exp(logs/float64(len(list))))
	if mean := math.Exp(avx2 / float64(len(list))); mean > 0 {
		s.AVX2 = fmt.Sprintf("%.2f", mean)
	}
	return s
}

// Explained returns the kernels that take more than 1.2 times as long as pocl's.
func (p page) Explained() []result {
	return slices.DeleteFunc(p.Suite(), func(r result) bool { return r.ratio() <= 1.2 })
}

// Reason returns why a kernel is slower than pocl's.
func (r result) Reason() string { return cmp.Or(r.Why, "not known yet.") }

// extremes are a kernel of the best and one of the worst.
type extremes struct{ Best, Worst result }

// Extremes returns the five best and the five worst.
func (p page) Extremes() []extremes {
	var list []extremes
	all := p.Suite()
	for i := range min(5, len(all)/2) {
		list = append(list, extremes{Best: all[len(all)-1-i], Worst: all[i]})
	}
	return list
}
