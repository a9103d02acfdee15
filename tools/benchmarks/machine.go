package main

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"time"
)

var (
	modelName = regexp.MustCompile(`(?m)^model name\s*: (.*)$`)
	flagsLine = regexp.MustCompile(`(?m)^flags\s*: (.*)$`)
)

// hasAVX512 reports whether the processor has AVX-512, as far as the system says.
func hasAVX512() bool {
	info, _ := os.ReadFile("/proc/cpuinfo")
	m := flagsLine.FindSubmatch(info)
	return m != nil && strings.Contains(string(m[1]), " avx512f ")
}

// thisMachine returns in a few words what was measured on what, and when.
func thisMachine(root string) (string, error) {
	cmd := exec.Command("git", "rev-parse", "--short=8", "HEAD")
	cmd.Dir = root
	commit, err := cmd.Output()
	if err != nil {
		return "", err
	}
	processor := runtime.GOARCH
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if m := modelName.FindSubmatch(info); m != nil {
			processor = string(m[1])
		}
	}
	if hasAVX512() {
		processor += " with AVX-512"
	}
	return fmt.Sprintf("%s, %d cores of %s, %s, %s, commit %s", time.Now().Format(time.DateOnly), runtime.NumCPU(),
		processor, runtime.GOOS, runtime.Version(), strings.TrimSpace(string(commit))), nil
}
