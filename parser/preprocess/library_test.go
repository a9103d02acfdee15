package preprocess

import (
	"strings"
	"testing"
)

func TestHeadersOfTensorsAreReadAndStayOutOfTheFlattenedSource(t *testing.T) {
	const source = "#define Rows 3\n#define T\n#include <metal_tensor>\n#include <metal_tensor>\nint x;\n"
	unit, errs := files{"main.metal": source}.preprocess(Options{})
	if errs != nil {
		t.Fatal(errs)
	}
	if unit.Flat != source {
		t.Errorf("the flattened source is\n%s", unit.Flat)
	}
	text := spell(unit.Tokens)
	if n := strings.Count(text, "dynamic_extent ="); n != 1 {
		t.Errorf("the header is there %d times", n)
	}
	if !strings.Contains(text, "typename T,") {
		t.Error("a macro of the source has changed the header")
	}
	last := unit.Tokens[len(unit.Tokens)-1].Pos
	if first := unit.Tokens[0].Pos; !InLibrary(first) || InLibrary(last) || first.Filename != "<metal_tensor>" {
		t.Errorf("the first token is at %v, the last at %v", first, last)
	}
}

func TestHeadersOfTensorsAreEmptyBeforeMetal4(t *testing.T) {
	for version, want := range map[int]string{320: "", 400: "tensors"} {
		source := "#include <MetalPerformancePrimitives/MetalPerformancePrimitives.h>\n#ifdef __HAVE_TENSOR__\ntensors\n#endif\n"
		unit, errs := files{"main.metal": source}.preprocess(Options{Version: version})
		if errs != nil {
			t.Fatal(errs)
		}
		var own []Token
		for _, token := range unit.Tokens {
			if !InLibrary(token.Pos) {
				own = append(own, token)
			}
		}
		if got := spell(own); got != want || len(own) == len(unit.Tokens) != (want == "") {
			t.Errorf("version %d: %q and %d tokens", version, got, len(unit.Tokens))
		}
	}
}

func TestEveryHeaderOfTheLibraryIsThere(t *testing.T) {
	for name := range libraryHeaders {
		source := "#include <" + name + ">\n"
		unit, errs := files{"main.metal": source}.preprocess(Options{})
		if errs != nil || len(unit.Tokens) == 0 {
			t.Errorf("%s: %d tokens, %v", name, len(unit.Tokens), errs)
		}
	}
}
