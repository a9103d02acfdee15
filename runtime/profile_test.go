package runtime_test

import (
	"regexp"
	"testing"

	"github.com/metalgen/metalgen/runtime"
)

func TestAProfileAddsUpTheCallsOfKernels(t *testing.T) {
	dev, err := runtime.OpenWith(runtime.Options{Device: "cpu", Times: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	x, y := newBuffer[float32](t, dev, 100), newBuffer[float32](t, dev, 64)
	var profile runtime.Profile
	b := dev.NewBatch()
	for range 2 {
		doubling("false")(b, x, y, 64, runtime.Grid{})
		runtime.Copy(b, x.Slice(0, 10), y.Slice(0, 10))
		doubling("false")(b, x, y, 64, runtime.Grid{})
		mustRun(t, b)
		list := b.Result().Dispatches()
		if len(list) != 3 || list[0].Bytes != 512 || list[1].Bytes != 80 || list[2].Grid.Size[0] != 64 {
			t.Errorf("measured %+v", list)
		}
		profile.Add(b.Result())
	}
	kernels, calls, share := map[string]int{}, 0, 0.0
	for _, k := range profile.Kernels() {
		kernels[k.Kernel] = k.Bytes
		calls, share = calls+k.Calls, share+k.Share
	}
	if calls != 6 || kernels["twice"] != 4*512 || kernels["Copy"] != 160 || share < 0.999 || share > 1.001 {
		t.Errorf("got %+v", profile.Kernels())
	}
	table := regexp.MustCompile("^kernel +calls +time +share +MB +GB/s\n" +
		`(\w+ +\d +\S+s +[\d.]+% +[\d.e-]+ +[\d.e+-]+\n){2}$`)
	if s := profile.String(); !table.MatchString(s) {
		t.Errorf("printed\n%s", s)
	}
	if s := (&runtime.Profile{}).String(); s != "kernel  calls  time  share  MB  GB/s\n" {
		t.Errorf("empty: %q", s)
	}
}
