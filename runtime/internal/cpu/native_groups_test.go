package cpu

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/metalgen/metalgen/runtime/internal/driver"
)

// TestNativeCodeGoesFromThreadgroupToThreadgroup as the interpreter does: what threads know of where they are, memory
// of the threadgroup that is new each time, faults far into a grid, and instructions that only the interpreter knows.
func TestNativeCodeGoesFromThreadgroupToThreadgroup(t *testing.T) {
	t.Parallel()
	const most = 4096
	grids := []driver.Grid{
		{Threadgroups: [3]int{23, 1, 1}, Threads: [3]int{96, 1, 1}},
		{Threadgroups: [3]int{1, 19, 1}, Threads: [3]int{16, 4, 1}},
		{Threadgroups: [3]int{1, 1, 9}, Threads: [3]int{32, 2, 2}},
		{Threadgroups: [3]int{7, 5, 3}, Threads: [3]int{8, 4, 1}, Size: [3]int{50, 18, 3}},
		{Threadgroups: [3]int{40, 2, 1}, Threads: [3]int{1, 1, 1}},
	}
	bodies := []string{
		"x[at] = p.x + p.y * 100 + p.z * 10000 + g.x * 7 + g.y * 11 + g.z * 13 + l.x + size.x;",
		`threadgroup uint s[70]; uint before = s[l.x]; threadgroup_barrier(mem_flags::mem_threadgroup);
			s[l.x] = p.x; threadgroup_barrier(mem_flags::mem_threadgroup); x[at] = before + s[l.x];`,
		"threadgroup uint s[9]; if (l.x > 90) s[3] = 5; threadgroup_barrier(mem_flags::mem_none); x[at] = s[8] + s[0];",
		"if (g.x == 13 && l.x == 40) x[at + 8192] = 3; else x[at] = p.x;",
		"if (g.y == 17 || g.z == 5 && l.y == 1) { x[at | 4096] = p.y; }",
		`if (g.x == 12 && l.x > 33) threadgroup_barrier(mem_flags::mem_none); x[at] = g.x + 1;`,
		`if (p.x % 50 == 49) os_log_default.log("thread %u %u", p.x, p.y); x[at] = p.z + 3;`,
		`x[at] = 1; threadgroup_barrier(mem_flags::mem_none);
			if (p.x % 50 == 49) os_log_default.log("after %u %u", p.x, p.y); x[at] += p.z;`,
	}
	for _, body := range bodies {
		source := `#include <metal_logging>
			kernel void test(device uint* x, uint3 p [[thread_position_in_grid]],
				uint3 l [[thread_position_in_threadgroup]], uint3 g [[threadgroup_position_in_grid]],
				uint3 size [[threads_per_grid]]) {
				uint at = (p.z * size.y + p.y) * size.x + p.x;
				` + body + " }"
		for _, grid := range grids {
			var messages []string
			err := nativeDiffers(t, func(dev *Device) ([]uint64, error) {
				var log strings.Builder
				dev.logger = func() *slog.Logger { return slog.New(slog.NewTextHandler(&log, nil)) }
				x := make([]float32, most)
				err := executeOn(t.Context(), t, dev, source, grid, x)
				if err != nil { // how far others have come is chance
					clear(x)
				}
				lines := strings.Split(log.String(), "\n")
				for i, line := range lines {
					_, lines[i], _ = strings.Cut(line, "msg=")
				}
				messages = append(messages, strings.Join(lines, "\n"))
				return bitsOfAll(x), err
			})
			if err != nil {
				t.Errorf("%s\n%v\n%v", body, grid, err)
			}
			for _, m := range messages[1:] {
				if m != messages[0] {
					t.Errorf("%s\n%v logs\n%s\nand\n%s", body, grid, messages[0], m)
				}
			}
		}
	}
}
