package runtime

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// Profile adds up the time of batches by kernels. It needs a device that measures calls, see [Options].Times:
//
//	var profile mtl.Profile
//	... b.Run(ctx) ...
//	profile.Add(b.Result())
//	fmt.Print(&profile)
//
// The zero Profile is empty. A Profile is not for concurrent use.
type Profile struct{ byKernel map[string]*KernelTimes }

// KernelTimes are the calls of one kernel in a [Profile].
type KernelTimes struct {
	Kernel string
	Calls  int
	Time   time.Duration // of all calls
	Share  float64       // of the time of all kernels, 0 to 1
	Bytes  int           // that the calls read and wrote at least, see [DispatchTimes]
}

// BytesPerSecond returns how many bytes the calls read and wrote per second, or 0 if that is unknown.
func (k KernelTimes) BytesPerSecond() float64 {
	if k.Time <= 0 {
		return 0
	}
	return float64(k.Bytes) / k.Time.Seconds()
}

// Add adds the calls of a batch that ran.
func (p *Profile) Add(r Result) {
	if p.byKernel == nil {
		p.byKernel = map[string]*KernelTimes{}
	}
	for _, d := range r.dispatches {
		if d.End == 0 {
			continue
		}
		k := p.byKernel[d.Kernel]
		if k == nil {
			k = &KernelTimes{Kernel: d.Kernel}
			p.byKernel[d.Kernel] = k
		}
		k.Calls, k.Time, k.Bytes = k.Calls+1, k.Time+d.Duration(), k.Bytes+d.Bytes
	}
}

// Kernels returns the kernels that were added, the slowest first.
func (p *Profile) Kernels() []KernelTimes {
	var list []KernelTimes
	total := time.Duration(0)
	for _, k := range p.byKernel {
		list = append(list, *k)
		total += k.Time
	}
	for i := range list {
		list[i].Share = float64(list[i].Time) / float64(max(total, 1))
	}
	slices.SortFunc(list, func(a, b KernelTimes) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), strings.Compare(a.Kernel, b.Kernel))
	})
	return list
}

// String returns a table with a line for each kernel.
func (p *Profile) String() string {
	var s strings.Builder
	w := tabwriter.NewWriter(&s, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "kernel\tcalls\ttime\tshare\tMB\tGB/s")
	for _, k := range p.Kernels() {
		fmt.Fprintf(w, "%s\t%d\t%v\t%.1f%%\t%.3g\t%.3g\n", k.Kernel, k.Calls, k.Time.Round(time.Microsecond), 100*k.Share,
			float64(k.Bytes)/1e6, k.BytesPerSecond()/1e9)
	}
	_ = w.Flush() // to a strings.Builder
	return s.String()
}

// work is what a recorded call is to do, for [DispatchTimes].
type work struct {
	kernel string
	grid   Grid
	bytes  int
}

// note keeps what was recorded, where the device measures it.
func (b *Batch) note(w work) {
	if b.dev.measures {
		b.work = append(b.work, w)
	}
}

// bytesOf returns how many bytes a dispatch reads and writes at least, if it does what its shapes say.
func bytesOf(d *driver.Dispatch) int {
	n := 0
	count := func(a *driver.Arg, bytes int) {
		if a.Reads {
			n += bytes
		}
		if a.Writes {
			n += bytes
		}
	}
	for i := range d.Buffers {
		b := &d.Buffers[i]
		bytes := b.Length
		if b.Shaped {
			bytes = b.Shape
		}
		count(b.Arg, bytes)
	}
	return n
}
