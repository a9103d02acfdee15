package invoke

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/metalgen/metalgen/internal/binding"
	"github.com/metalgen/metalgen/runtime"
	"github.com/metalgen/metalgen/runtime/bind"
)

// samplerArg is a sampler, or an array of them.
type samplerArg struct {
	*common
	elements []samplerElement
}

// samplerElement is a sampler, and the words that it was given as.
type samplerElement struct {
	words   string // "" for one that is left out
	sampler runtime.Sampler
	bad     bool // what was given is wrong, and reported
}

func newSamplerArg(a *binding.Arg) (argument, error) {
	return &samplerArg{&common{Arg: a}, make([]samplerElement, max(a.Count, 1))}, nil
}

func (a *samplerArg) read(_ *preparation, _, path, text string) error {
	i, err := elementAt(a.Arg, path)
	if err != nil {
		return err
	}
	s := &a.elements[i]
	s.words = text
	s.sampler, err = parseSampler(text)
	s.bad = err != nil
	return err
}

func (a *samplerArg) check(p *preparation, _ *numbers) {
	for i, s := range a.elements {
		if name := elementName(a.Arg, i); s.words == "" && !a.mayLack {
			p.fail(name, "it is not set: give -arg %s=linear,clamp_to_edge or the like", name)
		}
	}
}

func (a *samplerArg) pass(c *bind.Call[runtime.Grid]) {
	for i, s := range a.elements {
		c.Sampler(a.Index+i, s.sampler)
	}
}

func (a *samplerArg) text() string {
	var words []string
	for _, s := range a.elements {
		if s.words == "" {
			s.words = "left out"
		}
		words = append(words, s.words)
	}
	return strings.Join(words, "; ")
}

// samplerWord is a word about samplers. Of those about the same thing a sampler has one.
type samplerWord struct {
	about string
	set   func(s *runtime.Sampler)
}

// samplerWords are the words for what MSL has by the same name (section 2.10).
var samplerWords = makeSamplerWords()

func makeSamplerWords() map[string]samplerWord {
	all := map[string]samplerWord{
		"normalized": {"coordinates", func(s *runtime.Sampler) { s.Pixel = false }},
		"pixel":      {"coordinates", func(s *runtime.Sampler) { s.Pixel = true }},
	}
	for name, f := range map[string]runtime.Filter{"nearest": runtime.Nearest, "linear": runtime.Linear} {
		all[name] = samplerWord{"the filter", func(s *runtime.Sampler) { s.Min, s.Mag = f, f }}
	}
	for name, f := range map[string]runtime.MipFilter{
		"mip_none": runtime.MipNone, "mip_nearest": runtime.MipNearest, "mip_linear": runtime.MipLinear,
	} {
		all[name] = samplerWord{"the mip filter", func(s *runtime.Sampler) { s.Mip = f }}
	}
	for name, m := range map[string]runtime.AddressMode{
		"clamp_to_edge": runtime.ClampToEdge, "clamp_to_zero": runtime.ClampToZero,
		"clamp_to_border": runtime.ClampToBorder, "repeat": runtime.Repeat, "mirrored_repeat": runtime.MirrorRepeat,
	} {
		all[name] = samplerWord{"the address mode", func(s *runtime.Sampler) { s.Address = m }}
	}
	for name, f := range map[string]runtime.CompareFunction{
		"never": runtime.CompareNever, "less": runtime.CompareLess, "less_equal": runtime.CompareLessEqual,
		"greater": runtime.CompareGreater, "greater_equal": runtime.CompareGreaterEqual,
		"equal": runtime.CompareEqual, "not_equal": runtime.CompareNotEqual, "always": runtime.CompareAlways,
	} {
		all[name] = samplerWord{"the comparison", func(s *runtime.Sampler) { s.Compare = f }}
	}
	for name, c := range map[string]runtime.BorderColor{
		"transparent_black": runtime.TransparentBlack, "opaque_black": runtime.OpaqueBlack,
		"opaque_white": runtime.OpaqueWhite,
	} {
		all[name] = samplerWord{"the border", func(s *runtime.Sampler) { s.Border = c }}
	}
	return all
}

// samplerCalls are the words that take numbers: so many.
var samplerCalls = map[string]struct {
	numbers int
	set     func(s *runtime.Sampler, n []float32) error
}{
	"lod_clamp": {2, func(s *runtime.Sampler, n []float32) error {
		if !(n[0] >= 0 && n[1] >= n[0]) {
			return errors.New("need the lowest and the highest level, in this order")
		}
		// 0 is no limit to the runtime.
		s.LODMin, s.LODMax = n[0], max(n[1], math.SmallestNonzeroFloat32)
		return nil
	}},
	"max_anisotropy": {1, func(s *runtime.Sampler, n []float32) error {
		if s.MaxAnisotropy = int(n[0]); !(n[0] >= 1 && n[0] <= 16) || float32(s.MaxAnisotropy) != n[0] {
			return errors.New("need a whole number from 1 to 16")
		}
		return nil
	}},
}

// samplerPattern is a word, with numbers where it takes them, and what follows.
var samplerPattern = regexp.MustCompile(`^\s*(\w+)\s*(?:\(([^()]*)\))?\s*(?:,|$)`)

// parseSampler reads words, separated by commas.
func parseSampler(text string) (s runtime.Sampler, err error) {
	said := map[string]string{}
	for text != "" {
		m := samplerPattern.FindStringSubmatch(text)
		if m == nil {
			return s, fmt.Errorf("need words such as linear, repeat or lod_clamp(0, 4), have %.40q", text)
		}
		text = text[len(m[0]):]
		about, err := setSampler(&s, m[1], m[2])
		if err != nil {
			return s, err
		}
		if said[about] != "" {
			return s, fmt.Errorf("%s and %s both say %s", said[about], m[1], about)
		}
		said[about] = m[1]
	}
	return s, nil
}

// setSampler sets what a word says, and returns what that is about.
func setSampler(s *runtime.Sampler, word, numbers string) (about string, err error) {
	if w, ok := samplerWords[word]; ok {
		if numbers != "" {
			return "", fmt.Errorf("%s takes no numbers", word)
		}
		w.set(s)
		return w.about, nil
	}
	call, ok := samplerCalls[word]
	if !ok {
		words := append(slices.Collect(maps.Keys(samplerWords)), slices.Collect(maps.Keys(samplerCalls))...)
		slices.Sort(words)
		return "", fmt.Errorf("there is no word %q for a sampler%s", word, near(word, words))
	}
	var list []float32
	for number := range strings.SplitSeq(numbers, ",") {
		f, err := strconv.ParseFloat(strings.TrimSpace(number), 32)
		if err != nil {
			return "", fmt.Errorf("%s: need a number, have %q", word, number)
		}
		list = append(list, float32(f))
	}
	if len(list) != call.numbers {
		return "", fmt.Errorf("%s: need %d numbers, have %d", word, call.numbers, len(list))
	}
	if err := call.set(s, list); err != nil {
		return "", fmt.Errorf("%s: %w", word, err)
	}
	return word, nil
}
