package preprocess

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestInclude(t *testing.T) {
	for _, test := range []struct {
		name  string
		files files
		opt   Options
		want  string
		errs  string
	}{
		{"beside the includer", files{
			"main.metal": "#include \"lib/a.h\"\n", "lib/a.h": "#include \"b.h\"\n", "lib/b.h": "near", "b.h": "far",
		}, Options{}, "near", ""},
		{"directories in order", files{
			"main.metal": "#include \"a.h\"\n#include <b.h>\n", "one/b.h": "one", "two/a.h": "a", "two/b.h": "two",
		}, Options{Include: []string{"one", "two"}}, "a one", ""},
		{"in brackets not beside the includer", files{
			"main.metal": "#include <a.h>\n", "a.h": "a",
		}, Options{}, "", "main.metal:1:10: cannot find <a.h>"},
		{"up and down", files{
			"main.metal": "#include \"./x/../a.h\"\n@", "a.h": "@",
		}, Options{}, "", "a.h:1:1: stray character '@'\nmain.metal:2:1: stray character '@'"},
		{"by a macro", files{
			"main.metal": "#define Q \"a.h\"\n#define A <b.h>\n#include Q\n#include A\n", "a.h": "a", "inc/b.h": "b",
		}, Options{Include: []string{"inc"}}, "a b", ""},
		{"#pragma once", files{
			"main.metal": "#include \"a.h\"\n#include \"./a.h\"\n#include <a.h>\n", "a.h": "#pragma once\na",
		}, Options{Include: []string{"."}}, "a", ""},
		{"guard", files{
			"main.metal": "#include \"a.h\"\n#include \"a.h\"\n#undef A\n#include \"a.h\"\n",
			"a.h":        "// a\n#ifndef A\n#define A\na\n#endif // A\n",
		}, Options{}, "a a", ""},
		{"not a guard", files{
			"main.metal": "#include \"a.h\"\n#include \"a.h\"\n", "a.h": "#ifndef A\n#define A\na\n#else\nb\n#endif\n",
		}, Options{}, "a b", ""},
		{"no guard after the first", files{
			"main.metal": "#include \"a.h\"\n#include \"a.h\"\n",
			"a.h":        "#ifndef A\n#define A\na\n#endif\n#ifndef B\nb\n#endif\n",
		}, Options{}, "a b b", ""},
		{"#import", files{
			"main.metal": "#import \"a.h\"\n#import \"a.h\"\n#include \"a.h\"\n#import <metal_stdlib>\n", "a.h": "a",
		}, Options{}, "a", ""},
		{"headers of the compiler", files{
			"main.metal": "#include <metal_stdlib>\n#include <simd/simd.h>\n#include <metal_anything>\n" +
				"#include \"metal_math\"\n" +
				"#include <stdint.h>\n#include <TargetConditionals.h>\n#include <MetalPerformancePrimitives/Other.h>\n",
		}, Options{}, "", ""},
		{"a file hides one of them", files{
			"main.metal": "#include \"metal_math\"\n#include <metal_stdlib>\n", "metal_math": "mine", "metal_stdlib": "no",
		}, Options{Include: []string{"."}}, "mine", ""},
		{"a file that only sounds like one of them", files{
			"main.metal": "#include <metal_float64>\n#include \"metal_event\"\n", "inc/metal_float64": "mine",
			"metal_event": "too",
		}, Options{Include: []string{"inc"}}, "mine too", ""},
		{"a call does not reach out of its file", files{
			"main.metal": "#define f(x) [x]\n#include \"a.h\"\n(1)\n#include \"b.h\"\n1)", "a.h": "f\n", "b.h": "f(",
		}, Options{}, "f (1) 1)", "b.h:1:1: the call of macro f is not closed by )"},
		{"conditions end with their file", files{
			"main.metal": "#if 1\n#include \"a.h\"\nb\n#endif\n", "a.h": "#if 0\na",
		}, Options{}, "b", "a.h:1:1: #if without #endif"},
		{"two of one name", files{
			"main.metal": "#include \"inc/b.h\"\n", "a.h": "@", "inc/b.h": "#include <b.h>\n#include \"b2.h\"\n",
			"inc2/b.h": "@", "inc/b2.h": "#include <inc/b.h>\n", "inc2/inc/b.h": "@",
		}, Options{Include: []string{"inc2"}}, "", "b.h:1:1: stray character '@'\ninc2/inc/b.h:1:1: stray character '@'"},
	} {
		unit, errs := test.files.preprocess(test.opt)
		if got := errs.Error(); got != test.errs {
			t.Errorf("%s: errors\n%s\nwant\n%s", test.name, got, test.errs)
		}
		if got := spell(unit.Tokens); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestEndlessIncludes: recursion ends with an error, and soon.
func TestEndlessIncludes(t *testing.T) {
	chain := files{"main.metal": "#include \"0.h\"\n"}
	tree := files{"main.metal": "#include \"0.h\"\n"}
	for i := range 300 {
		chain[fmt.Sprintf("%d.h", i)] = fmt.Sprintf("#include \"%d.h\"\n", i+1)
		tree[fmt.Sprintf("%d.h", i)] = strings.Repeat(fmt.Sprintf("#include \"%d.h\"\n", min(i+1, 40)), 2)
	}
	tree["40.h"] = ""
	for _, test := range []struct {
		name  string
		files files
		want  string
	}{
		{"itself", files{"main.metal": "\n#include \"main.metal\"\n"},
			"main.metal:2:10: #include is nested more than 200 deep: main.metal includes main.metal"},
		{"each other, twice", files{
			"main.metal": "#include \"a.h\"\n", "a.h": "#include \"b.h\"\n#include \"b.h\"\n",
			"b.h": "#include \"a.h\"\n#include \"a.h\"\n"},
			"b.h:1:10: #include is nested more than 200 deep: a.h includes b.h includes a.h"},
		{"a chain", chain,
			"199.h:1:10: #include is nested more than 200 deep: ... 193.h includes 194.h includes 195.h includes 196.h " +
				"includes 197.h includes 198.h includes 199.h includes 200.h"},
		{"a tree", tree, "38.h:1:10: more than 4096 inclusions"},
		{"a large file", files{"main.metal": strings.Repeat("#include \"a.h\"\n", 40), "a.h": strings.Repeat(" ", 1<<20)},
			"main.metal:17:10: inclusions add up to more than 16 MB"},
	} {
		_, errs := test.files.preprocess(Options{})
		if got := errs.Error(); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// TestUnreadable: an error other than that there is no such file ends the search.
func TestUnreadable(t *testing.T) {
	forbidden := func(path string) ([]byte, error) {
		if path == "main.metal" {
			return []byte("#include \"a.h\"\n"), nil
		}
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrPermission}
	}
	for path, want := range map[string]string{
		"main.metal":  "main.metal:1:10: cannot read \"a.h\": permission denied",
		"other.metal": "main.metal: cannot read the source: permission denied",
	} {
		_, errs := Run("main.metal", path, &Options{ReadFile: forbidden, Include: []string{"inc"}})
		if got := errs.Error(); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
