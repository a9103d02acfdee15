package skim

import (
	"github.com/metalgen/metalgen/internal/msl/resolve"
	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/internal/msl/types"
	"github.com/metalgen/metalgen/parser"
)

// Access says what a kernel may do with a buffer or a texture.
type Access struct{ Read, Write bool }

// AccessOf reads the access to a parameter off the tokens of the body: a
// buffer is only written when every use of it, and of every pointer made from
// it, is the left side of a plain assignment to an element, or where
// simdgroup_store stores to. What is not recognised counts as both reading and
// writing. The type of a texture says its access.
func AccessOf(r *resolve.Resolver, k *tree.Kernel, param *tree.Param) Access {
	if t := types.Bare(param.Type); t.Kind == tree.Texture {
		return Access{Read: t.Texture.Access.Reads(), Write: t.Texture.Access.Writes()}
	}
	if param.Const {
		return Access{Read: true}
	}
	if param.Global {
		return Access{Read: true, Write: true} // functions use it too
	}
	u := &uses{tokens: r.Source.Tokens, end: k.Decl.Close, own: len(r.Names[simdgroupStore]) > 0}
	if u.onlyStored(param.Name, k.Decl.Open+1, 0) && u.stores > 0 {
		return Access{Write: true}
	}
	return Access{Read: true, Write: true}
}

// uses looks at the uses of a pointer in a body.
type uses struct {
	tokens []parser.Token
	end    int
	stores int
	own    bool // simdgroup_store is a function of the source
}

const maxAliases = 4

// onlyStored reports whether the uses of name from token i on only store.
func (u *uses) onlyStored(name string, i, aliases int) bool {
	for ; i < u.end; i++ {
		if !u.tokens[i].Is(name) {
			continue
		}
		if prev := &u.tokens[i-1]; prev.Is(".") || prev.Is("->") {
			continue
		}
		switch {
		case u.takesStore(i):
			u.stores++
			continue
		case u.tokens[i+1].Is("["):
			if !u.storesAt(i) {
				return false
			}
			u.stores++
			continue
		}
		alias := u.pointerInit(i)
		if alias < 0 || aliases == maxAliases || !u.onlyStored(u.tokens[alias].Text, i+1, aliases+1) {
			return false
		}
	}
	return true
}

// storesAt reports whether `name[...] =` stands at token i, where nothing takes
// the address of what it assigns.
func (u *uses) storesAt(i int) bool {
	switch prev := &u.tokens[i-1]; {
	case prev.Kind == parser.Punct:
		switch prev.Text {
		case ";", "{", "}", ")", ":", "=":
		default:
			return false
		}
	case !prev.Is("else") && !prev.Is("do"):
		return false
	}
	last := parser.Closing(u.tokens, i+1, u.end)
	return last >= 0 && u.tokens[last+1].Is("=")
}

const simdgroupStore = "simdgroup_store"

// takesStore reports whether `simdgroup_store(x, name + ...` or `simdgroup_store(x, &name[...]`
// has its name at token i.
func (u *uses) takesStore(i int) bool {
	comma, after := i-1, i+1
	if u.tokens[comma].Is("&") && u.tokens[after].Is("[") {
		comma, after = comma-1, parser.Closing(u.tokens, after, u.end)+1
	} else if u.tokens[after].Is("+") {
		after = 0
	}
	if after > 0 && !u.tokens[after].Is(",") && !u.tokens[after].Is(")") || !u.tokens[comma].Is(",") || u.own {
		return false
	}
	open := u.opening(comma - 1)
	return open > 0 && u.tokens[open-1].Is(simdgroupStore)
}

// opening returns the index of the bracket within which the first item ends at i, or 0.
func (u *uses) opening(i int) int {
	depth := 0
	for ; i > 0; i-- {
		switch t := &u.tokens[i]; {
		case t.Is(")"), t.Is("]"), t.Is("}"):
			depth++
		case t.Is("("), t.Is("["), t.Is("{"):
			if depth == 0 {
				return i
			}
			depth--
		case depth == 0 && (t.Is(",") || t.Is(";")):
			return 0
		}
	}
	return 0
}

// pointerInit returns the index of p in `device T* p = name + ...;` with name at
// i, or -1.
func (u *uses) pointerInit(i int) int {
	if next := &u.tokens[i+1]; !next.Is("+") && !next.Is(";") {
		return -1
	}
	if i < 5 || !u.tokens[i-1].Is("=") || u.tokens[i-2].Kind != parser.Ident || !u.tokens[i-3].Is("*") {
		return -1
	}
	// only a declaration: `*p = name` stores the pointer somewhere
	for j := i - 4; j > 0 && (u.tokens[j].Kind == parser.Ident || u.tokens[j].Is("::")); j-- {
		if u.tokens[j].Is("device") {
			return i - 2
		}
	}
	return -1
}
