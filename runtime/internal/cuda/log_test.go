//go:build linux && (amd64 || arm64)

package cuda_test

import (
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/cpu"
	"github.com/metalgen/metalgen/runtime/internal/cuda/cudatest"
	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/driver/drivertest"
	"github.com/metalgen/metalgen/runtime/internal/logtext"
)

func TestMessagesAreThoseOfTheCPUDevice(t *testing.T) {
	for _, body := range []string{
		`	os_log_default.log("%u of %g", i, x[i]);`,
		`	if (lane % 3 == 1) os_log_default.log_error("third %u", i); os_log_default.log("all %lx", ulong(i) << 40);`,
		`	for (uint k = 0; k < lane % 4; k++) { os_log_default.log("%v2f", float2(i, k)); if (k == 1) break; }
	os_log_default.log_debug("unread"); os_log_default.log("%d|%*d", int(lane), 4, -7);`,
		`	if (lane < 5) os_log_default.log("before %u", i);
	threadgroup_barrier(mem_flags::mem_none);
	if (lane == 3) return;
	os_log_default.log("after %hhd", char(i * 3));`,
		`	switch (lane % 3) { case 0: os_log_default.log("zero"); case 1: os_log_default.log("one %u", i); break;
	default: os_log_default.log("none"); }`,
		`	for (uint k = 0; k < 70; k++) os_log_default.log("%u", k);`, // more than are kept
	} {
		t.Run(strings.TrimSpace(body), func(t *testing.T) {
			c := small(body)
			c.source = "#include <metal_logging>\n" + c.source
			want := &drivertest.Log{Level: slog.LevelInfo}
			reference := cpu.Open(driver.Options{Log: slog.New(want)})
			expected := c.on(t, reference)
			reference.Close()
			for seed := range uint64(3) {
				got := &drivertest.Log{Level: slog.LevelInfo}
				t.Run("", func(t *testing.T) {
					dev := open(t, cudatest.Options{Seed: seed}, driver.Options{Log: slog.New(got)})
					outcome := c.on(t, dev)
					if diff := outcome.differs(&expected); diff != "" {
						t.Error(diff)
					}
				})
				if !slices.Equal(got.Lines, want.Lines) || len(want.Lines) == 0 {
					t.Errorf("seed %d: got\n%s\nwant\n%s", seed, strings.Join(got.Lines, "\n"), strings.Join(want.Lines, "\n"))
				}
			}
		})
	}
}

func TestMessagesBeyondTheRoomAreCounted(t *testing.T) {
	log := &drivertest.Log{Level: slog.LevelInfo}
	dev := open(t, cudatest.Options{}, driver.Options{Log: slog.New(log)})
	b := newBatch(t, dev, `	for (uint k = 0; k < 260; k++) os_log_default.log("%u", k); y[i] = 1;`, grid, 1) // 16,640
	if err := b.run(t); err != nil || floats(b.y)[63] != 1 {
		t.Fatal(err, floats(b.y)[63])
	}
	last := log.Lines[len(log.Lines)-1]
	want := logtext.Dropped(64*260 - logtext.MaxMessages)
	if len(log.Lines) != logtext.MaxMessages+1 || !strings.Contains(last, want) {
		t.Errorf("%d messages, the last is %q, want %q", len(log.Lines), last, want)
	}
}

// TestMessagesThatNobodyReadsTakeNoMemory has a kernel that logs below the level of the program.
func TestMessagesThatNobodyReadsTakeNoMemory(t *testing.T) {
	log := &drivertest.Log{Level: slog.LevelInfo}
	dev := open(t, cudatest.Options{}, driver.Options{Log: slog.New(log)})
	b := newBatch(t, dev, `	os_log_default.log_debug("%u", i); y[i] = 1;`, grid, 0)
	before := dev.Memory().Allocated
	b.again(t)
	if more := dev.Memory().Allocated - before; more != 0 {
		t.Errorf("%d bytes more", more)
	}
	if err := b.run(t); err != nil || len(log.Lines) > 0 || floats(b.y)[63] != 1 {
		t.Errorf("%v, %q, %v", err, log.Lines, floats(b.y)[63])
	}
}

// TestMessagesTakeAsMuchMemoryAsTheyNeed has a kernel of 64 threads with one message each: the GPU's memory is shared.
func TestMessagesTakeAsMuchMemoryAsTheyNeed(t *testing.T) {
	log := &drivertest.Log{Level: slog.LevelInfo}
	dev := open(t, cudatest.Options{}, driver.Options{Log: slog.New(log)})
	b := newBatch(t, dev, `	os_log_default.log("%u", i); y[i] += 1;`, grid, 0)
	before := dev.Memory().Allocated
	for range 10 {
		b.again(t)
	}
	if more := dev.Memory().Allocated - before; more == 0 || more > 11*8<<10 {
		t.Errorf("%d bytes more", more)
	}
	if err := b.run(t); err != nil || len(log.Lines) != 640 || floats(b.y)[63] != 10 {
		t.Errorf("%v, %d lines, %v", err, len(log.Lines), floats(b.y)[63])
	}
}

func TestKeptBatchesLogEachTime(t *testing.T) {
	log := &drivertest.Log{Level: slog.LevelInfo}
	dev := open(t, cudatest.Options{}, driver.Options{Log: slog.New(log)})
	b := newBatch(t, dev, `	if (i == 40) os_log_default.log("%g", y[i]); y[i] += 1;`, grid, 2)
	for range 3 {
		b.Keep()
		if err := b.run(t); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, line := range log.Lines {
		text, _, _ := strings.Cut(line, " kernel=")
		got = append(got, text)
	}
	if want := []string{"INFO 0", "INFO 1", "INFO 2", "INFO 3", "INFO 4", "INFO 5"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}
