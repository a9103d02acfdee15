package resolve

import "github.com/metalgen/metalgen/parser"

// Scope holds the names that a block of a body declares, or the rest of a block.
type Scope struct {
	Outer *Scope
	Names map[string]*Symbol
	used  map[string]parser.Path // of using-declarations that name functions
	Rest  bool                   // of the block that outer begins
	Class *parser.Struct         // whose members these are, of a class that is checked by itself
	Head  *parser.Template       // of that class
}

// Find returns the innermost declaration of a name; path is joined with ::.
func (s *Scope) Find(path string) *Symbol {
	for ; s != nil; s = s.Outer {
		if sym, ok := s.Names[path]; ok {
			return sym
		}
	}
	return nil
}

// Use enters what a using-declaration names: a symbol, or where there is none functions.
func (s *Scope) Use(path parser.Path, named *Symbol) {
	name := path[len(path)-1]
	if named != nil {
		s.Names[name] = named
		return
	}
	if s.used == nil {
		s.used = map[string]parser.Path{}
	}
	s.used[name] = path
}

// Functions returns the name from which a using-declaration brings functions of a
// plain name, or the name itself.
func (s *Scope) Functions(path parser.Path) parser.Path {
	for ; s != nil; s = s.Outer {
		if used := s.used[path[0]]; used != nil {
			return used
		}
	}
	return path
}

// InBlock finds a declaration of the innermost block.
func (s *Scope) InBlock(name string) *Symbol {
	for s.Names[name] == nil && s.Rest {
		s = s.Outer
	}
	return s.Names[name]
}
