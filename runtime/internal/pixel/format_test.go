package pixel

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A name says where the components are: all of one width, or each with its own.
var (
	uniformName = regexp.MustCompile(`^([A-Z]+|Depth)(8|16|32)(Unorm|Snorm|Uint|Sint|Float)(_sRGB)?$`)
	packedName  = regexp.MustCompile(`^((?:[A-Z]+\d+)+)(Unorm|Uint|Float|_XR)(_sRGB)?$`)
	packedField = regexp.MustCompile(`([A-Z]+)(\d+)`)
)

func layoutOfName(t *testing.T, name string) string {
	var fields []string
	add := func(letters, bits string) {
		for _, c := range strings.ToLower(letters) {
			fields = append(fields, string(c)+bits)
		}
	}
	if m := uniformName.FindStringSubmatch(name); m != nil {
		add(strings.TrimSuffix(m[1], "epth"), m[2])
		return strings.Join(fields, " ")
	}
	m := packedName.FindStringSubmatch(name)
	if m == nil {
		t.Fatalf("%s is no name of a format", name)
	}
	for _, f := range packedField.FindAllStringSubmatch(m[1], -1) {
		add(f[1], f[2])
	}
	return strings.Join(fields, " ")
}

func TestLayoutsAreWhatTheNamesSay(t *testing.T) {
	// Formats whose names leave something out: a shared width, the padding.
	exceptions := map[string]string{
		"ABGR4Unorm":     "a4 b4 g4 r4",
		"RGB9E5Float":    "r9 g9 b9 e5",
		"BGR10_XR":       "b10 g10 r10 _2",
		"BGR10_XR_sRGB":  "b10 g10 r10 _2",
		"BGRA10_XR":      "_6 b10 _6 g10 _6 r10 _6 a10",
		"BGRA10_XR_sRGB": "_6 b10 _6 g10 _6 r10 _6 a10",
	}
	for _, row := range table {
		want, ok := exceptions[row.Name]
		if !ok {
			want = layoutOfName(t, row.Name)
		}
		if row.Layout != want {
			t.Errorf("%s: layout %q, want %q", row.Name, row.Layout, want)
		}
		total := 0
		for field := range strings.FieldsSeq(row.Layout) {
			n, err := strconv.Atoi(field[1:])
			if err != nil {
				t.Fatal(err)
			}
			total += n
		}
		if i := row.Format.Info(); i.Size*8 != total {
			t.Errorf("%s: %d bytes, its layout has %d bits", row.Name, i.Size, total)
		}
		if !strings.EqualFold(row.Name, row.Swift) {
			t.Errorf("%s is called %s in Swift", row.Name, row.Swift)
		}
	}
}

func TestNamesAndNumbersFindTheirFormat(t *testing.T) {
	seen := map[Format]bool{}
	for _, f := range Formats() {
		if seen[f] {
			t.Errorf("%v is in the table twice", f)
		}
		seen[f] = true
		i := f.Info()
		if i == nil || i.Format != f || f.String() != i.Name {
			t.Fatalf("%d has the row %+v", f, i)
		}
		for _, name := range []string{i.Name, i.Swift, strings.ToUpper(i.Name)} {
			if g, ok := Lookup(name); !ok || g != f {
				t.Errorf("%s finds %v", name, g)
			}
		}
	}
	for _, f := range []Format{0, 2, 21, 130, 253, 556, 65535} {
		if f.Info() != nil {
			t.Errorf("there is no format %d", f)
		}
	}
	if got := Format(253).String(); got != "Format(253)" {
		t.Error(got)
	}
	if f, ok := Lookup("rgba8"); ok {
		t.Errorf("rgba8 finds %v", f)
	}
}

// The lists of Apple's Metal Feature Set Tables and of MTLReadWriteTextureTier.
func TestUsesAreThoseOfTheFeatureSetTables(t *testing.T) {
	integers := regexp.MustCompile(`[US]int$`)
	packed16 := regexp.MustCompile(`^(B5G6R5|A1BGR5|ABGR4|BGR5A1)Unorm$`)
	depth := regexp.MustCompile(`^Depth`)
	readWrite := regexp.MustCompile(
		`^(R32(Float|Uint|Sint)|RGBA32(Float|Uint|Sint)|RGBA16(Float|Uint|Sint)|RGBA8(Unorm|Uint|Sint)|` +
			`R16(Float|Uint|Sint)|R8(Unorm|Uint|Sint)|A8Unorm)$`)
	apple := regexp.MustCompile(`^(R8|RG8)Unorm_sRGB$|_XR|^(B5G6R5|A1BGR5|ABGR4|BGR5A1)Unorm$`)
	noBuffer := regexp.MustCompile(`_sRGB$|_XR|^RGB9E5|^BGR10A2`)
	for _, f := range Formats() {
		i, name := f.Info(), f.String()
		want := Use(0)
		set := func(u Use, on bool) {
			if on {
				want |= u
			}
		}
		set(Filter, !integers.MatchString(name))
		set(Write, !packed16.MatchString(name) && !depth.MatchString(name))
		set(ReadWrite, readWrite.MatchString(name))
		set(Atomic, f == R32Uint || f == R32Sint)
		buffer := !noBuffer.MatchString(name) && !packed16.MatchString(name) && !depth.MatchString(name)
		set(BufferRead, buffer)
		set(BufferWrite, buffer && f != BGRA8Unorm)
		set(Apple, apple.MatchString(name))
		if i.Uses != want {
			t.Errorf("%s: uses %07b, want %07b", name, i.Uses, want)
		}
	}
}

func TestTypesAreWhatKernelsDeclare(t *testing.T) {
	got := map[Type][]string{}
	half := 0
	for _, f := range Formats() {
		i := f.Info()
		got[i.Type] = append(got[i.Type], i.Name)
		if i.Half {
			half++
			if i.Type != Floating || strings.Contains(i.Name, "32Float") {
				t.Errorf("%s cannot be read as half", i.Name)
			}
		}
	}
	for typ, suffix := range map[Type]string{Signed: "Sint", Unsigned: "Uint"} {
		for _, name := range got[typ] {
			if !strings.HasSuffix(name, suffix) {
				t.Errorf("%s has the type %d", name, typ)
			}
		}
	}
	if want := []string{"Depth16Unorm", "Depth32Float"}; !slices.Equal(got[Depth], want) {
		t.Errorf("depth formats: %v", got[Depth])
	}
	if len(got[Signed]) != 9 || len(got[Unsigned]) != 10 || half != len(got[Floating])-3 {
		t.Errorf("%v, %d half", slices.Collect(maps.Values(got)), half)
	}
}
