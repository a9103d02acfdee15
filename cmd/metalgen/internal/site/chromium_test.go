package site

import (
	"context"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/templates"
)

// keys is a script that uses a page as someone does who has a keyboard only, and leaves what it saw in the page.
const keys = `addEventListener("load", () => {
	const input = document.querySelector("input"), seen = [];
	const press = (target, key) =>
		target.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true}));
	const chosen = () => document.querySelector("[aria-selected]")?.textContent ?? "none";
	press(document.body, "/");
	seen.push(document.activeElement === input ? "focused" : "not focused");
	input.value = "rms norm";
	input.dispatchEvent(new Event("input"));
	seen.push(chosen());
	press(input, "ArrowDown");
	seen.push(chosen());
	press(input, "ArrowUp");
	seen.push(chosen());
	press(input, "Escape");
	seen.push(document.querySelector("#results").hidden ? "hidden" : "shown");
	press(document.body, "/");
	input.value = "no such kernel";
	input.dispatchEvent(new Event("input"));
	seen.push(document.querySelector("#results").textContent);
	document.body.append("SEEN " + seen.join("; ") + " END");
});`

// phone is a script that looks at a page as a phone shows it. A page has no scripts but those of files.
const phone = `addEventListener("load", () => {
	const details = document.querySelector(".beside details"), seen = [];
	seen.push(details.open ? "open" : "closed");
	details.querySelector("summary").click();
	seen.push(details.open ? "open" : "closed");
	const link = details.querySelector("li a").getBoundingClientRect();
	seen.push(link.width > 0 && link.right <= innerWidth ? "listed" : "not listed");
	const code = document.querySelector("pre.golang");
	seen.push(code.scrollWidth > code.clientWidth && getComputedStyle(code).overflowX === "auto" ? "scrolls" : "does not");
	seen.push(document.documentElement.scrollWidth <= innerWidth ? "fits" : "too wide");
	const inline = document.createElement("script");
	inline.textContent = "document.title = 'run'";
	addEventListener("securitypolicyviolation", e => {
		seen.push(e.effectiveDirective + " kept");
		document.body.append("SEEN " + seen.join("; ") + " END");
	});
	document.body.append(inline);
});`

// TestInChromium opens pages from disk: the search finds, keys work, and nothing is said on the console.
func TestInChromium(t *testing.T) {
	browser := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			browser = found
			break
		}
	}
	if browser == "" {
		t.Skip("no chromium and no google-chrome")
	}
	dir := t.TempDir()
	files, _ := build(t, generate.Config{In: "testdata"})
	for _, f := range files {
		add := func(name, script string) {
			page := append(f.Data[:len(f.Data):len(f.Data)], "<script src=\""+name+".js\"></script>"...)
			dir := path.Dir(f.Name)
			files = append(files, templates.File{Name: path.Join(dir, name+".html"), Data: page},
				templates.File{Name: path.Join(dir, name+".js"), Data: []byte(script)})
		}
		switch f.Name {
		case "index.html":
			add("keys", keys)
		case "tour.metal/RmsNorm.html":
			add("narrow", phone)
		}
	}
	writeTree(t, dir, files)
	for _, test := range []struct {
		page string
		want string // of the document, once the page has done what it does
	}{
		{"index.html?q=RMS%20f16", `id="result-0" tabindex="-1" aria-selected="true"><span>rms_norm_f16</span>` +
			`<small>instance of rms_norm</small>`},
		{"keys.html", "SEEN focused; rms_norm[^;]*; rms_norm_f..instance of rms_norm; rms_norm[^;]*; hidden; " +
			"Nothing found END"},
		{"tour.metal/narrow.html", "SEEN closed; open; listed; scrolls; fits; script-src-elem kept END"},
		{"tour.metal/RmsNorm.html", `<a href="../tour.metal/RmsNorm.html" aria-current="page">rms_<wbr>norm</a>`},
	} {
		t.Run(test.page, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			size := "1200,900"
			if strings.Contains(test.page, "narrow") {
				size = "390,844"
			}
			var console, document strings.Builder
			c := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
				"--window-size="+size, "--enable-logging=stderr", "--user-data-dir="+t.TempDir(),
				"file://"+filepath.ToSlash(dir)+"/"+test.page)
			c.Stdout, c.Stderr = &document, &console
			c.Cancel, c.WaitDelay = func() error { return c.Process.Kill() }, time.Second
			if err := c.Run(); ctx.Err() != nil {
				t.Fatal("the page does not end")
			} else if err != nil {
				t.Skipf("%s does not run here: %v\n%s", browser, err, &console)
			}
			if !regexp.MustCompile(test.want).MatchString(document.String()) {
				t.Errorf("got %s\nwant %s", &document, test.want)
			}
			for line := range strings.Lines(console.String()) {
				asked := strings.Contains(test.page, "narrow") // for a message about a script that may not run
				if strings.Contains(line, "CONSOLE") && !asked {
					t.Error(line)
				}
			}
		})
	}
}
