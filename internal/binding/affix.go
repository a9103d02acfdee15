package binding

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An affix is what a source calls its kernels for being kernels: kernel_add, add_kernel, addKernel. Where all kernels
// of a source have it, it says nothing, and the Go names do without it.

// affix is Kernel before or after the rest of a Go name.
type affix uint8

const (
	noAffix affix = iota
	prefix
	suffix
)

const kernelWord = "Kernel"

// of returns a Go name without the affix, or "" if it does not have it.
func (a affix) of(name string) string {
	rest, ok := name, false
	switch a {
	case prefix:
		rest, ok = strings.CutPrefix(name, kernelWord)
	case suffix:
		rest, ok = strings.CutSuffix(name, kernelWord)
	}
	first, _ := utf8.DecodeRuneInString(rest)
	if !ok || !unicode.IsUpper(first) { // Kernels is another word, and 3d no name
		return ""
	}
	return rest
}

// without returns a Go name without the affix, if it has it.
func (a affix) without(name string) string {
	if rest := a.of(name); rest != "" {
		return rest
	}
	return name
}

// rule says what a kernel of a source has no affix for.
func (a affix) rule(source string) string {
	end := "begin"
	if a == suffix {
		end = "end"
	}
	return "without " + kernelWord + ", which all kernels of " + source + " " + end + " with"
}

// affix returns what the Go names of all kernels of a source have, those aside to which annotations give a name.
func (s *Source) affix() affix {
	var names []string
	for _, k := range s.Kernels {
		switch {
		case k.IsFamily():
			for _, v := range k.Variants {
				names = append(names, goName(v.Name))
			}
		case !k.named:
			names = append(names, k.own)
		}
	}
	for _, a := range []affix{prefix, suffix} {
		if len(names) > 0 && allOf(names, func(name string) bool { return a.of(name) != "" }) {
			return a
		}
	}
	return noAffix
}

// dropAffixes shortens the names of kernels where all in a source have an affix. A kernel keeps it where a type or
// another kernel has the shorter name, or would have it.
func dropAffixes(pkg *Package) {
	taken := map[string]int{PreloadName: 1}
	take := func(k *Kernel, name string) {
		for _, derived := range k.declares(name) {
			taken[derived]++
		}
	}
	type shorter struct {
		source *Source
		kernel *Kernel
		name   string
	}
	var wanted []shorter
	for _, s := range pkg.Sources {
		for _, st := range s.types.structList {
			taken[st.Go]++
		}
		for _, e := range s.types.enumList {
			taken[e.Go]++
		}
		s.dropped = s.affix()
		for _, k := range s.Kernels {
			take(k, k.own)
			if name := s.dropped.of(k.own); name != "" && !k.named {
				wanted = append(wanted, shorter{s, k, name})
				take(k, name)
			}
		}
	}
	for _, w := range wanted {
		alone := func(name string) bool { return taken[name] == 1 }
		if allOf(w.kernel.declares(w.name), alone) {
			w.kernel.own, w.kernel.Dropped = w.name, w.source.dropped.rule(w.source.File)
		}
	}
}

// declares returns what is declared at the top of the package for a kernel of a Go name, variants aside.
func (k *Kernel) declares(name string) []string {
	list := []string{name, name + "Args"}
	if k.Geometry != nil {
		list = append(list, name+"Grid")
	}
	if k.IsFamily() {
		list = append(list, name+"Variant")
	}
	return list
}
