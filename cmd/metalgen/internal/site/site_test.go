package site

import (
	"bytes"
	"flag"
	"fmt"
	"html"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/metalgen/metalgen/cmd/metalgen/internal/generate"
	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/templates"
)

var update = flag.Bool("update", false, "write what is got into testdata")

// build returns the site of a directory, and what it is made of.
func build(t *testing.T, cfg generate.Config) ([]templates.File, []*generate.Loaded) {
	t.Helper()
	all, err := generate.Run(cfg, func(string) (string, error) { return "gen", nil }, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range all {
		for _, e := range l.Errors {
			if !e.Warning {
				t.Fatal(l.Describe(e))
			}
		}
	}
	files, err := Build("site", all)
	if err != nil {
		t.Fatal(err)
	}
	return files, all
}

// ofShaders is what build returns of the sources of this repository.
func ofShaders(t *testing.T) ([]templates.File, []*generate.Loaded) {
	built.Do(func() { built.files, built.all = build(t, generate.Config{In: "../../../../shaders"}) })
	return built.files, built.all
}

var built struct {
	sync.Once
	files []templates.File
	all   []*generate.Loaded
}

// writeTree writes files below a directory.
func writeTree(t *testing.T, dir string, files []templates.File) {
	t.Helper()
	for _, f := range files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGolden compares the pages of testdata/tour.metal, which has one of everything, with those in testdata/tour.txtar.
func TestGolden(t *testing.T) {
	files, _ := build(t, generate.Config{In: "testdata"})
	got := &txtar.Archive{}
	for _, f := range files {
		if f.Name != "style.css" && f.Name != "site.js" { // they are in assets
			got.Files = append(got.Files, txtar.File{Name: f.Name, Data: f.Data})
		}
	}
	name := filepath.Join("testdata", "tour.txtar")
	if *update {
		if err := os.WriteFile(name, txtar.Format(got), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(txtar.Format(got))); diff != "" {
		t.Errorf("-want +got (go test -update writes what is got):\n%s", diff)
	}
}

func TestTheSameSourcesMakeTheSameBytes(t *testing.T) {
	first, all := build(t, generate.Config{In: "testdata"})
	again, _ := build(t, generate.Config{In: "testdata"})
	third, err := Build("site", all)
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range first {
		if !bytes.Equal(f.Data, again[i].Data) || !bytes.Equal(f.Data, third[i].Data) {
			t.Errorf("%s differs", f.Name)
		}
	}
}

var (
	hrefs = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	ids   = regexp.MustCompile(` id="([^"]*)"`)
)

// TestLinksResolve follows each link of each page, and looks for its anchor.
func TestLinksResolve(t *testing.T) {
	tree := t.TempDir()
	odd := []byte("kernel void foo_bar(device float* x) {}\nkernel void foobar(device float* x) {}\n")
	writeTree(t, tree, []templates.File{
		{Name: "norm.metal", Data: []byte("struct P { uint n; };\nkernel void f(constant P& p, device float* x) {}\n")},
		{Name: "sub/norm.metal", Data: []byte("struct P { uint m; };\nkernel void f(constant P& p, device float* x) {}\n")},
		{Name: "sub/a # b?%c.metal", Data: odd},
	})
	tour, _ := build(t, generate.Config{In: "testdata"})
	several, _ := build(t, generate.Config{In: tree, Recursive: true})
	ours, _ := ofShaders(t)
	for _, files := range [][]templates.File{tour, several, ours} {
		anchors := map[string]map[string]bool{}
		for _, f := range files {
			anchors[f.Name] = map[string]bool{}
			for _, m := range ids.FindAllStringSubmatch(string(f.Data), -1) {
				id := html.UnescapeString(m[1])
				if anchors[f.Name][id] {
					t.Errorf("%s: two elements are %q", f.Name, id)
				}
				anchors[f.Name][id] = true
			}
		}
		for _, f := range files {
			for _, m := range hrefs.FindAllStringSubmatch(string(f.Data), -1) {
				link, err := url.Parse(html.UnescapeString(m[1]))
				if err != nil || link.Host != "" || link.RawQuery != "" {
					t.Errorf("%s: %s leads out of the site", f.Name, m[1])
					continue
				}
				if link.Scheme == "data" {
					continue
				}
				to := f.Name
				if link.Path != "" {
					to = path.Join(path.Dir(f.Name), link.Path)
				}
				if there, ok := anchors[to]; !ok || link.Fragment != "" && !there[link.Fragment] {
					t.Errorf("%s: %s leads nowhere", f.Name, m[1])
				}
			}
		}
	}
}

// TestCommentsOfEveryFormDescribe looks for the description of a source on its page and in the index, and for the first
// sentence of a kernel's.
func TestCommentsOfEveryFormDescribe(t *testing.T) {
	for _, comment := range []string{"// Sums of rows.", "/// Sums of rows.", "/** Sums of rows. */"} {
		dir := t.TempDir()
		source := comment + "\n\n/// Is sum = x . y of rows. And more.\nkernel void f() {}\n"
		writeTree(t, dir, []templates.File{{Name: "a.metal", Data: []byte(source)}})
		files, _ := build(t, generate.Config{In: dir})
		for _, f := range files {
			if f.Name != "index.html" && f.Name != "a.metal.html" {
				continue
			}
			text := string(f.Data)
			if !strings.Contains(text, "Sums of rows.") || !strings.Contains(text, "sum = x . y of rows.<") {
				t.Errorf("%s: %s lacks it, or the sentence:\n%s", comment, f.Name, text)
			}
		}
	}
}

// TestSourcesAreOnlyText builds the pages of a source that tries to be more, wherever it may put text.
func TestSourcesAreOnlyText(t *testing.T) {
	const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>"'` + "`</code></pre>--><b>\u202e"
	source := `// ` + evil + `
constant bool flag [[function_constant(0)]]; // ` + evil + `
enum E { One }; // ` + evil + `
struct P { uint n; /* a */ E e; }; // ` + evil + `
/// ` + evil + `
// metalgen:grid (p.n, 1, 1)
kernel void f(constant P& p, // ` + evil + `
    device float* x [[function_constant(flag)]], // [p.n] ` + evil + `
    uint i [[thread_position_in_grid]]) { const char* s = "` + strings.ReplaceAll(evil, `"`, `\"`) + `"; }
template <typename T> kernel void g(device T* x) {}
template [[host_name("` + strings.ReplaceAll(evil, `"`, `\"`) + `")]] kernel void g<float>(device float*);
template [[host_name("javascript:alert(3)")]] kernel void g<half>(device half*);
`
	dir := t.TempDir()
	writeTree(t, dir, []templates.File{{Name: "<img src=x onerror=alert(4)>\u202e.metal", Data: []byte(source)}})
	files, _ := build(t, generate.Config{In: dir})
	tag, quoted := regexp.MustCompile(`<[a-zA-Z][^<>]*>`), regexp.MustCompile(`"[^"]*"`)
	for _, f := range files {
		text := string(f.Data)
		switch {
		case strings.Contains(text, "\u202e"):
			t.Errorf("%s: a character that turns the direction of text", f.Name)
		case f.Name == "found.js" && strings.ContainsAny(text, "<>&"):
			t.Errorf("%s: what ends a script is in it", f.Name)
		case path.Ext(f.Name) == ".html":
			for _, m := range tag.FindAllString(text, -1) {
				if strings.HasPrefix(m, "<img") || strings.Contains(quoted.ReplaceAllString(m, ""), "onerror") {
					t.Errorf("%s: %s", f.Name, m)
				}
			}
			if n := strings.Count(text, "<script"); n != 2 {
				t.Errorf("%s: %d scripts", f.Name, n)
			}
		}
	}
}

// TestEveryByteIsDrawnOnce adds up the boxes of pictures. Fields of unions share bytes, and are not looked at.
func TestEveryByteIsDrawnOnce(t *testing.T) {
	drawn := 0
	_, tour := build(t, generate.Config{In: "testdata"})
	_, ours := ofShaders(t)
	for _, l := range append(tour, ours...) {
		for _, s := range l.Package.Sources {
			for _, st := range s.Structs {
				if st.Union {
					continue
				}
				drawn++
				l := newLayout(st)
				per := map[int]int{} // pixels of a row
				for _, b := range l.Boxes {
					per[b.Y] += b.W
					if many := regexp.MustCompile(`: (\d+) rows like this`).FindStringSubmatch(b.Name); many != nil {
						var n int
						fmt.Sscan(many[1], &n)
						per[b.Y] = n * b.W
					}
				}
				sum := 0
				for _, w := range per {
					sum += w
				}
				if want := st.Size * 8 * rowWidth / l.rowBits; sum != want {
					t.Errorf("%s: boxes for %d pixels, want %d", st.Name, sum, want)
				}
			}
		}
	}
	if drawn < 8 {
		t.Errorf("%d structs", drawn)
	}
}

// TestAHugeStructHasASmallPicture draws structs that no page has room for.
func TestAHugeStructHasASmallPicture(t *testing.T) {
	field := func(name string, offset, size int) *binding.Field {
		t := binding.Array{Len: size, Elem: binding.Int8}
		return &binding.Field{Name: name, Type: "char", GoType: t, Offset: offset, Size: size}
	}
	const half = 1<<39 + 3
	large := &binding.Struct{Name: "Large", Size: 1 << 40}
	large.Fields = []*binding.Field{field("a", 0, half), field("b", half, 1<<40-half)}
	if l := newLayout(large); l == nil || len(l.Rows) > 12 {
		t.Errorf("%+v", l)
	}
	many := &binding.Struct{Name: "Many", Size: 1 << 20}
	shared := &binding.Struct{Name: "Shared", Size: 4, Union: true}
	for i := range 1 << 16 {
		many.Fields = append(many.Fields, field("f", 16*i, 16))
		shared.Members = append(shared.Members, field("f", 0, 4))
	}
	for _, st := range []*binding.Struct{many, shared} {
		if newLayout(st) != nil {
			t.Errorf("%s has a picture", st.Name)
		}
	}
}

// TestKernelsOnOneLine builds the pages of a source whose kernels share a line: none of them has all of it.
func TestKernelsOnOneLine(t *testing.T) {
	var source strings.Builder
	source.WriteString(strings.Repeat("// a comment\n", 1000))
	for i := range 100 {
		fmt.Fprintf(&source, "kernel void k%d(device float* x) {} ", i)
	}
	dir := t.TempDir()
	writeTree(t, dir, []templates.File{{Name: "a.metal", Data: []byte(source.String())}})
	files, _ := build(t, generate.Config{In: dir})
	for _, f := range files {
		if len(f.Data) > 8000 && strings.HasPrefix(f.Name, "a.metal/") && f.Name != "a.metal/K0.html" {
			t.Errorf("%s: %d bytes", f.Name, len(f.Data))
		}
	}
}

// TestASiteOfNothing builds the site of a source without a kernel that is bound.
func TestASiteOfNothing(t *testing.T) {
	dir := t.TempDir()
	source := "kernel void k(device float* x [[stage_in]]) {}\n"
	writeTree(t, dir, []templates.File{{Name: "a.metal", Data: []byte(source)}})
	files, _ := build(t, generate.Config{In: dir})
	for name, want := range map[string]string{
		"found.js":   "const found = [];\n",
		"index.html": "<h2>Left out</h2>",
	} {
		i := slices.IndexFunc(files, func(f templates.File) bool { return f.Name == name })
		if !strings.Contains(string(files[i].Data), want) {
			t.Errorf("%s: %s\nwant %s", name, files[i].Data, want)
		}
	}
}

func TestParagraphs(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"One.\nTwo.", "p(One.|Two.)"},
		{"One.\n\nTwo.", "p(One.) p(Two.)"},
		{"List:\n- a\n  more\n- b\n\nEnd", "p(List:) ul(a|more; b) p(End)"},
		{"- a\n\n- b", "ul(a) ul(b)"},
		{"Copies `a` to `b`.", "p(Copies <a> to <b>.)"},
		{"A ` alone", "p(A ` alone)"},
		{"As [Scale], not as [n].", "p(As <Scale!>, not as [n].)"},
		{"A table:\n\n\ta  b\n\t c d\n\n\te\nEnd.", "p(A table:) pre(a  b| c d||e) p(End.)"},
		{"", ""},
	} {
		show := func(spans []span) string {
			s := ""
			for _, p := range spans {
				if p.Href != "" {
					p.Text += "!"
				}
				if p.Code {
					p.Text = "<" + p.Text + ">"
				}
				s += strings.ReplaceAll(p.Text, "\n", "|")
			}
			return s
		}
		var got []string
		lead := func(name string) string { return map[string]string{"Scale": "Scale.html"}[name] }
		for _, p := range paragraphs(strings.Split(test.in, "\n"), lead) {
			switch {
			case p.Pre != "":
				got = append(got, "pre("+strings.ReplaceAll(p.Pre, "\n", "|")+")")
				continue
			case p.Items == nil:
				got = append(got, "p("+show(p.Text)+")")
				continue
			}
			var items []string
			for _, i := range p.Items {
				items = append(items, show(i))
			}
			got = append(got, "ul("+strings.Join(items, "; ")+")")
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%q: got %s, want %s", test.in, s, test.want)
		}
	}
}

// TestPagesOfShaders reports pages that are missing, or too large.
func TestPagesOfShaders(t *testing.T) {
	files, all := ofShaders(t)
	want := []string{"found.js", "index.html", "site.js", "style.css"}
	for _, s := range all[0].Package.Sources {
		want = append(want, s.File+".html")
		for _, k := range s.Kernels {
			want = append(want, s.File+"/"+k.Go+".html")
		}
	}
	slices.Sort(want)
	var got []string
	for _, f := range files {
		got = append(got, f.Name)
		if !fs.ValidPath(f.Name) || len(f.Data) > 200_000 {
			t.Errorf("%s has %d bytes", f.Name, len(f.Data))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAPageHasWhatCallsNeed(t *testing.T) {
	files, _ := ofShaders(t)
	for _, f := range files {
		if strings.HasSuffix(f.Name, "MoeGate.html") {
			if !strings.Contains(string(f.Data), "<code>hidden_dim &gt; 0</code>") {
				t.Errorf("%s has no requirement", f.Name)
			}
			return
		}
	}
	t.Error("there is no page of MoeGate")
}
