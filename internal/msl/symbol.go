package msl

import (
	"strings"

	"github.com/metalgen/metalgen/internal/msl/tree"
	"github.com/metalgen/metalgen/parser"
)

// symbolState says how far a symbol has been resolved.
type symbolState uint8

const (
	unresolved symbolState = iota
	resolving
	resolved
	broken // an error about it has been reported
)

// symbol is a name that a declaration introduces.
type symbol struct {
	name      string // qualified
	namespace []string
	decl      *parser.Decl
	pos       parser.Pos
	state     symbolState

	// What declares it: one of these.
	structure *parser.Struct
	enum      *parser.Enum
	aliased   *alias
	variable  *parser.Init
	varType   *parser.Type
	member    *symbol // an enumerator's enum

	constants   []string  // of an enum: the scope of its enumerators
	enumerators []*symbol // of an enum

	instance *instance // of a class template, or nil
	template *template // of a parameter that is a class template
	target   *nameArg  // of a parameter that is a function
	object   *tree.Var // of a parameter that is an object
	param    bool      // of a template
	pack     []*symbol // the elements of a pack
	isPack   bool

	local bool              // of a body
	v     *tree.Var         // of a body's variable
	errs  *parser.ErrorList // of a body's type: those of the function, where its own go

	typ *tree.Type // once resolved, of a type
	err error      // once broken
	// noConstant says why a variable's value is no constant expression. A body
	// may still have the variable, so that does not break the symbol.
	noConstant error
	value      tree.Value // once resolved, of a constant
}

// alias is the target of a typedef or using.
type alias struct {
	typ        *parser.Type
	pointers   []*parser.Pointer
	dims       []*parser.Dim
	params     *parser.ParamList // of a function, or of a pointer to one
	attributes []string
}

// names reports whether the alias is nothing but another type's own name.
func (a *alias) names(name string) bool {
	return len(a.pointers) == 0 && len(a.dims) == 0 && a.typ.Args == nil && len(a.typ.Member) == 0 &&
		len(a.typ.Path) > 0 &&
		(name == strings.Join(a.typ.Path, "::") || strings.HasSuffix(name, "::"+strings.Join(a.typ.Path, "::")))
}
