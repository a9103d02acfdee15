package main

import (
	"flag"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
)

const versionHelp = `Version prints the version of metalgen, with the commit where the build knows it,
the version of Go that built it, and the system that it runs on.
`

// version prints which metalgen this is.
func version(*flag.FlagSet) action {
	return func(_ []string, stdout, _ io.Writer) error {
		info, ok := debug.ReadBuildInfo()
		if !ok {
			info = &debug.BuildInfo{GoVersion: runtime.Version()}
		}
		_, err := fmt.Fprintf(stdout, "metalgen %s %s %s/%s\n", built(info), info.GoVersion, runtime.GOOS, runtime.GOARCH)
		return err
	}
}

// built returns the version and the commit of a build: "v0.1.0", "(devel) commit 1234567890ab, modified". The version
// of a commit that is no release has the commit in it.
func built(info *debug.BuildInfo) string {
	text := info.Main.Version
	if text == "" {
		text = "(devel)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	if commit = commit[:min(12, len(commit))]; !strings.Contains(text, commit) {
		text += " commit " + commit
		if settings["vcs.modified"] == "true" {
			text += ", modified"
		}
	}
	return text
}
