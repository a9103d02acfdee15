package preprocess

// File is one source text that takes part in a unit.
type File struct {
	// Name is how positions and generated code call the file: relative to
	// the directory of sources, or as the #include spelled it.
	Name string
	// Path is where the file was read from.
	Path string
	Text string
	// Comments are the comments of the regions that #if left in, in order.
	Comments []Comment
}

// Macro is one #define, with the tokens of the unit for which it held.
type Macro struct {
	Name     string
	Function bool // takes arguments
	Params   []string
	Variadic bool
	Body     []Token
	Pos      Pos
	// From and To bound the indexes into Unit.Tokens for which the
	// definition held; To is -1 where no #undef or redefinition ended it.
	From, To int
}

// Unit is a preprocessed source with everything it includes: one Metal
// library.
type Unit struct {
	// Files holds the source itself first, then what it includes, each once.
	Files []*File
	// Tokens are the tokens that survive preprocessing, without an EOF.
	Tokens []Token
	// Versioned bounds the tokens under conditions that depend on the version of the
	// language. Forks is set where other tokens may depend on it too, because macros do.
	Versioned [][2]int
	Forks     bool
	// Macros are all definitions of the unit in order.
	Macros []*Macro
	// Flat is the source with its local includes flattened in and #line
	// markers around them: what Metal compiles at run time, below Defines.
	Flat string
	// Defines are the macros of -D as #define lines, in the same order.
	Defines string
	// Library is set where the unit includes a header of Metal's library.
	Library bool

	packs []packed
}
