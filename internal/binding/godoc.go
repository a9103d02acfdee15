package binding

import (
	"regexp"
	"slices"
	"strings"
)

// writeDocs makes Go's doc comments of what a source says of its kernels and types: they begin with the name, and refer
// to other functions of the package by their Go names.
func writeDocs(pkg *Package) {
	everywhere := make(map[string]string)
	for _, s := range pkg.Sources {
		for _, k := range s.Kernels {
			if _, ok := everywhere[k.Name]; ok {
				everywhere[k.Name] = "" // which one is meant?
				continue
			}
			everywhere[k.Name] = k.Go
		}
	}
	for _, s := range pkg.Sources {
		here := make(map[string]string)
		for _, k := range s.Kernels {
			here[k.Name] = k.Go
		}
		kernel := func(name string) string {
			if k := here[name]; k != "" {
				return k
			}
			return everywhere[name]
		}
		for _, k := range s.Kernels {
			k.Doc = withLinks(funcDoc(k.Go, []string{k.Go, k.own, k.Name}, k.Doc), kernel)
		}
		for _, st := range s.Structs {
			st.Doc = withLinks(typeDoc(st.Go, []string{st.Go, st.own, st.Name}, st.Doc), kernel)
		}
		for _, n := range s.Named {
			n.Doc = withLinks([]string{n.Doc}, kernel)[0]
		}
		for _, e := range s.Enums {
			e.Doc = withLinks(typeDoc(e.Go, []string{e.Go, e.own, e.Name}, e.Doc), kernel)
		}
	}
}

var (
	// verb is a first word such as Adds, Computes or RMS-normalises.
	verb = regexp.MustCompile(`^(Has|([A-Z]|[A-Z]{2,}-)[a-z]+[a-rt-z]s)[,.]?$`)

	// plural is how a comment begins that says "Parameters of a kernel", and not "Bias of a layer".
	plural = regexp.MustCompile(`^[A-Z][a-z]+[b-hj-rtv-z]s of `)

	// singular is how one begins that says "A star", and not "A == 1".
	singular = regexp.MustCompile(`^An? [a-z]`)

	// self is how one begins that says "This kernel adds".
	self = regexp.MustCompile(`^This (kernel|function|struct|enum) `)

	// link is a name in brackets that is no index.
	link = regexp.MustCompile(`(^|[ (])\[([A-Za-z_]\w*)\]`)
)

// noVerbBefore are second words that only follow a plural, not a verb.
var noVerbBefore = map[string]bool{
	"of": true, "are": true, "and": true, "for": true, "from": true, "in": true, "is": true, "or": true, "that": true,
	"to": true, "were": true, "with": true, "must": true,
}

// typeDoc returns the doc comment of a type. What begins with a noun says what the type is: "A star." becomes "Star is
// a star."
func typeDoc(name string, own, doc []string) []string {
	switch {
	case len(doc) == 0:
		return doc
	case singular.MatchString(doc[0]):
		return withFirst(doc, name+" is a"+doc[0][1:])
	case plural.MatchString(doc[0]):
		return withFirst(doc, name+" are the "+strings.ToLower(doc[0][:1])+doc[0][1:])
	}
	return funcDoc(name, own, doc)
}

// funcDoc returns the doc comment of a function, which begins with its name. The source may begin with a name of its
// own for it, or with a verb: "Adds the input." becomes "FusedAdd adds the input." Anything else follows a colon.
func funcDoc(name string, own, doc []string) []string {
	if len(doc) == 0 {
		return doc
	}
	word, rest, _ := strings.Cut(doc[0], " ")
	next, _, _ := strings.Cut(rest, " ")
	isName := slices.Contains(own, strings.Trim(word, "`:,()"))
	switch {
	case isName && rest == "": // a heading
		return funcDoc(name, own, withoutBlank(doc[1:]))
	case isName && strings.HasSuffix(word, ":"):
		return withFirst(doc, name+": "+rest)
	case isName:
		return withFirst(doc, name+" "+rest)
	case self.MatchString(doc[0]):
		return withFirst(doc, self.ReplaceAllLiteralString(doc[0], name+" "))
	case verb.MatchString(word) && word != "This" && !noVerbBefore[next]:
		if !strings.Contains(word, "-") {
			word = strings.ToLower(word)
		}
		return withFirst(doc, name+" "+word+" "+rest)
	}
	return withFirst(doc, name+": "+doc[0])
}

// withFirst returns lines with another first one.
func withFirst(lines []string, first string) []string {
	return append([]string{strings.TrimRight(first, " ")}, lines[1:]...)
}

// withoutBlank returns lines without the blank ones at their beginning.
func withoutBlank(lines []string) []string {
	for len(lines) > 0 && lines[0] == "" {
		lines = lines[1:]
	}
	return lines
}

// withLinks returns lines in which a kernel in brackets goes by its Go name, to which documentation links.
func withLinks(lines []string, kernel func(name string) string) []string {
	for i, l := range lines {
		if strings.HasPrefix(l, "\t") {
			continue // preformatted
		}
		lines[i] = link.ReplaceAllStringFunc(l, func(s string) string {
			before, name, _ := strings.Cut(strings.TrimSuffix(s, "]"), "[")
			if k := kernel(name); k != "" {
				return before + "[" + k + "]"
			}
			return s
		})
	}
	return lines
}
