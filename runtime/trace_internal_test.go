package runtime

import (
	"slices"
	"testing"
	"time"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// clock is a device where only the clock is asked.
type clock struct{ driver.Device }

func (clock) Clock() time.Duration { return time.Hour }

func TestATraceLeavesOutDispatchesThatDidNotRun(t *testing.T) {
	var names []string
	tr := &tracer{drv: clock{}, hooks: []func(Event){func(e Event) { names = append(names, e.Kind.String()+" "+e.Name) }}}
	r := Result{Start: 1, End: 2, dispatches: []DispatchTimes{{Kernel: "first", Start: 1, End: 2}, {Kernel: "second"}}}
	tr.waited(1, time.Now(), &r)
	if want := []string{"dispatch first", "batch ", "wait "}; !slices.Equal(names, want) {
		t.Errorf("got %q, want %q", names, want)
	}
}
