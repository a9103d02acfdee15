// Package features knows what the Metal Shading Language has not always had, and since which version it has that.
package features

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/metalgen/metalgen/internal/msl/library"
	"github.com/metalgen/metalgen/parser"
	"github.com/metalgen/metalgen/parser/preprocess"
)

// Version is a version of the language, as __METAL_VERSION__ has it: 310 is 3.1.
type Version int

// String returns, say, "3.1".
func (v Version) String() string { return fmt.Sprintf("%d.%d", v/100, v%100/10) }

// Versions are those that are known, the oldest first. Every system on which Go programs
// run has the first.
var Versions = []Version{240, 300, 310, 320, preprocess.NewestVersion}

// feature is what the language has not always had. A use is one of the names, followed by one of
// follow where that is not empty.
type feature struct {
	version Version
	section string // of the Metal Shading Language Specification, version 4
	names   string
	follow  string
}

// features are those that came after the first of Versions. Recursion, for one, did not.
var features = []feature{
	{300, "2.6", "atomic_float", ""},
	{300, "4.7", "object_data mem_object_data", ""},
	{300, "2.20.1", "mesh_grid_properties", ""},
	{310, "2.1", "bfloat", ""},
	{310, "2.2", "bfloat2 bfloat3 bfloat4", ""},
	{310, "2.2.3", "packed_bfloat2 packed_bfloat3 packed_bfloat4", ""},
	{310, "2.4", "simdgroup_bfloat8x8", ""},
	{310, "6.5", "nextafter", "("},
	{310, "6.5", "MAXBFLOAT HUGE_VALBF M_E_BF M_LOG2E_BF M_LOG10E_BF M_LN2_BF M_LN10_BF M_PI_BF M_PI_2_BF " +
		"M_PI_4_BF M_1_PI_BF M_2_PI_BF M_2_SQRTPI_BF M_SQRT2_BF M_SQRT1_2_BF", ""},
	{320, "2.9", "memory_coherence memory_coherence_threadgroup memory_coherence_device", ""},
	{320, "4.8", "coherent", "("},
	{320, "6.15.1", "memory_order_seq_cst", ""},
	{320, "6.15.2", "thread_scope thread_scope_thread thread_scope_simdgroup thread_scope_threadgroup " +
		"thread_scope_device", ""},
	{320, "6.15.3", "atomic_thread_fence", "("},
	{320, "6.19", "os_log os_log_default log_type_debug log_type_info log_type_default log_type_error " +
		"log_type_fault", ""},
	{400, "2.21", "dextents tensor_handle tensor_inline tensor_offset cooperative_tensor", ""},
	{400, "5.1.3", "required_threads_per_threadgroup", "("},
	{400, "5.1.12", "user_annotation", "("},
	{400, "6.14.1", "unpack_snorm10a2_to_float", "("},
	{400, "6.14.2", "pack_float_to_snorm10a2", "("},
	{400, "7", "mpp", ":: {"},
}

// phrase is a feature that is no name: tokens that start with begin. find returns
// what messages call it, or "".
type phrase struct {
	version Version
	section string
	begin   string
	find    func(tokens []parser.Token, i int) string
}

var phrases = append(ulongTextures(), []phrase{
	{300, "2.6", "atomic", func(tokens []parser.Token, i int) string {
		if spells(tokens[i+1:], "<", "float", ">") {
			return "atomic<float>"
		}
		return ""
	}},
	{310, "6.12", ".", func(tokens []parser.Token, i int) string {
		if i+2 < len(tokens) && strings.HasPrefix(tokens[i+1].Text, "atomic_") && tokens[i+2].Is("(") {
			return tokens[i+1].Text + " of a texture"
		}
		return ""
	}},
	{320, "1.5.4", "[", func(tokens []parser.Token, i int) string {
		if isLambda(tokens, i) {
			return "a lambda expression"
		}
		return ""
	}},
}...)

// ulongTextures are the textures with elements of ulong.
func ulongTextures() []phrase {
	var list []phrase
	for name, t := range library.TextureTypes {
		if t.Depth {
			continue
		}
		list = append(list, phrase{310, "6.12", name, func(tokens []parser.Token, i int) string {
			if spells(tokens[i+1:], "<", "ulong") || spells(tokens[i+1:], "<", "uint64_t") {
				return name + "<ulong>"
			}
			return ""
		}})
	}
	return list
}

// spells reports whether tokens begin with some.
func spells(tokens []parser.Token, texts ...string) bool {
	return len(tokens) >= len(texts) && !slices.ContainsFunc(texts, func(text string) bool {
		is := tokens[0].Is(text)
		tokens = tokens[1:]
		return !is
	})
}

// isLambda reports whether the bracket at i begins a lambda: it stands where an operand
// does, is no attribute, and has arguments or a body after it.
func isLambda(tokens []parser.Token, i int) bool {
	if i == 0 || i+1 == len(tokens) || tokens[i+1].Is("[") {
		return false
	}
	if before := &tokens[i-1]; before.Kind == parser.Ident && !before.Is("return") ||
		before.Is("[") || before.Is("]") || before.Is(")") {
		return false
	}
	last := parser.Closing(tokens, i, len(tokens))
	return last > 0 && last+1 < len(tokens) && (tokens[last+1].Is("(") || tokens[last+1].Is("{"))
}

// Need is the first use of a feature in a source.
type Need struct {
	Version Version
	Section string // of the Metal Shading Language Specification
	What    string // "bfloat"
	Pos     parser.Pos
}

// use is what the tables say of a name or of the beginning of a phrase.
type use struct {
	*feature
	phrase *phrase
}

// featureUses has features and phrases by their first tokens. Most tokens begin none, which a
// bit of beginsUse for each first byte and length shows without a look into the map.
var featureUses, beginsUse = func() (map[string]use, [256]uint64) {
	by, seen := map[string]use{}, [256]uint64{}
	add := func(text string, u use) {
		by[text] = u
		seen[text[0]] |= 1 << (len(text) & 63)
	}
	for i := range features {
		for name := range strings.FieldsSeq(features[i].names) {
			add(name, use{feature: &features[i]})
		}
	}
	for i := range phrases {
		add(phrases[i].begin, use{phrase: &phrases[i]})
	}
	return by, seen
}()

// Of returns the features that tokens use, each with its first use. The tokens are pieces of a source, as some version
// of the language reads it. What the source declares itself, as declares reports, is no feature.
func Of(declares func(name string) bool, pieces ...[]parser.Token) []Need {
	var needs []Need
	seen := map[string]bool{}
	for _, tokens := range pieces {
		for i := range tokens {
			t := &tokens[i]
			if len(t.Text) == 0 || beginsUse[t.Text[0]]>>(len(t.Text)&63)&1 == 0 {
				continue
			}
			u, ok := featureUses[t.Text]
			if !ok || seen[t.Text] || preprocess.InLibrary(t.Pos) {
				continue
			}
			if n, ok := u.need(declares, tokens, i); ok {
				seen[t.Text] = true
				needs = append(needs, n)
			}
		}
	}
	return needs
}

// need returns what the token i needs, if it is a use.
func (u use) need(declares func(name string) bool, tokens []parser.Token, i int) (Need, bool) {
	t := &tokens[i]
	if u.phrase != nil {
		what := u.phrase.find(tokens, i)
		return Need{u.phrase.version, u.phrase.section, what, t.Pos}, what != ""
	}
	follows := func(text string) bool { return i+1 < len(tokens) && tokens[i+1].Is(text) }
	if declares(t.Text) || i > 0 && ownName(&tokens[i-1], follows(";") || follows("=")) {
		return Need{}, false
	}
	if u.follow != "" && !slices.ContainsFunc(strings.Fields(u.follow), follows) {
		return Need{}, false
	}
	return Need{u.version, u.section, t.Text, t.Pos}, true
}

// ownName reports whether the token after another names a member, or a variable that is
// declared there: `x.os_log`, `int os_log;`.
func ownName(before *parser.Token, ends bool) bool {
	return before.Is(".") || before.Is("->") ||
		ends && (before.Kind == parser.Ident || before.Is("*") || before.Is("&") || before.Is(">"))
}

// Newest returns the need of the newest version, the first of several, or the zero Need for none.
func Newest(needs []Need) Need {
	if len(needs) == 0 {
		return Need{}
	}
	return slices.MaxFunc(needs, func(a, b Need) int { return cmp.Compare(a.Version, b.Version) })
}
