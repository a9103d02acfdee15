package main

import (
	"runtime/debug"
	"testing"
)

func TestTheVersionNamesTheCommit(t *testing.T) {
	tests := []struct {
		name, version string
		settings      []debug.BuildSetting
		want          string
	}{
		{"a test, or a build without a repository", "", nil, "(devel)"},
		{"a release", "v0.1.0", nil, "v0.1.0"},
		{"go tool, of a commit", "v0.0.0-20261122101112-1234567890ab", nil, "v0.0.0-20261122101112-1234567890ab"},
		{
			"go build, in a clone", "(devel)",
			[]debug.BuildSetting{
				{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "1234567890abcdef1234567890abcdef12345678"},
				{Key: "vcs.modified", Value: "false"},
			},
			"(devel) commit 1234567890ab",
		},
		{
			"go build, in a release's clone with changes", "v0.1.0",
			[]debug.BuildSetting{{Key: "vcs.revision", Value: "1234567890abcdef"}, {Key: "vcs.modified", Value: "true"}},
			"v0.1.0 commit 1234567890ab, modified",
		},
		{
			"go build, of a commit with changes", "v0.1.1-0.20261122101112-1234567890ab+dirty",
			[]debug.BuildSetting{
				{Key: "vcs.revision", Value: "1234567890abcdef1234567890abcdef12345678"}, {Key: "vcs.modified", Value: "true"},
			},
			"v0.1.1-0.20261122101112-1234567890ab+dirty",
		},
	}
	for _, test := range tests {
		info := &debug.BuildInfo{Main: debug.Module{Version: test.version}, Settings: test.settings}
		if got := built(info); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}
