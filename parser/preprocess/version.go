package preprocess

import (
	"fmt"
	"strings"
)

// NewestVersion is the newest version of the language that is known, as __METAL_VERSION__ has it.
const NewestVersion = 400

// alwaysDefined are those of versionMacros that every version has.
var alwaysDefined = map[string]bool{"__METAL_VERSION__": true, "__cplusplus": true}

// versionMacros are the predefined macros that depend on the version of the language
// (sections 1.5, 1.6.2 and 2.1 of the Metal Shading Language Specification, version 4).
func versionMacros(version int) string {
	cplusplus, bfloat, tensor := "201402L", "", ""
	if version >= 400 {
		cplusplus = "201703L"
	}
	if version >= tensorVersion {
		tensor = "__HAVE_TENSOR__ 1\n"
	}
	if version >= 310 {
		bfloat = "__HAVE_BFLOAT__ 1\n"
	}
	return fmt.Sprintf("__METAL_VERSION__ %d\n__cplusplus %s\n%s%s", version, cplusplus, bfloat, tensor)
}

// versions keeps track of conditions that depend on the version of the language.
type versions struct {
	asked bool // a macro that depends on it has been looked at
	open  int  // conditions around here that depend on it
	from  int  // where the outermost of them begins in Unit.Tokens
}

// beginVersioned notes that the condition c, which was just read, depends on the version, if it does.
func (p *preprocessor) beginVersioned(c *conditional) {
	if !p.versions.asked || c.versioned {
		return
	}
	c.versioned = true
	if p.versions.open++; p.versions.open == 1 {
		p.versions.from = p.tokens.count
	}
}

// endVersioned ends what beginVersioned has begun, where the condition ends.
func (p *preprocessor) endVersioned(c *conditional) {
	if !c.versioned {
		return
	}
	if p.versions.open--; p.versions.open == 0 {
		if to := p.tokens.count; to > p.versions.from {
			p.unit.Versioned = append(p.unit.Versioned, [2]int{p.versions.from, to})
		}
	}
}

// changesMacros are the directives that may change what macros there are after them.
var changesMacros = map[string]bool{"define": true, "undef": true, "include": true, "import": true}

// forks notes that a directive changes more than the tokens of a condition that depends on
// the version. Whether the condition holds does not matter. Headers of the system change nothing.
func (p *preprocessor) forks(directive string) {
	if p.versions.open > 0 && changesMacros[directive] &&
		!strings.HasPrefix(strings.TrimLeft(p.in.src[p.in.off:], " \t"), "<") {
		p.unit.Forks = true
	}
}

// Unversioned returns the tokens under no condition that depends on the version of the language:
// they are there in all versions, unless the unit Forks.
func (u *Unit) Unversioned() [][]Token {
	var list [][]Token
	from := 0
	for _, r := range u.Versioned {
		list = append(list, u.Tokens[from:r[0]])
		from = r[1]
	}
	return append(list, u.Tokens[from:])
}
