package metal

import (
	"fmt"

	"github.com/metalgen/metalgen/runtime/internal/driver"
	"github.com/metalgen/metalgen/runtime/internal/objc"
)

// mathMode is what a driver.MathMode is to Metal.
type mathMode struct {
	mode      uintptr // MTLMathMode: 0 safe, 1 relaxed, 2 fast
	functions uintptr // MTLMathFloatingPointFunctions: 0 fast, 1 precise
	fast      uintptr // before macOS 15 and iOS 18 there was fast and not fast
}

// mathModes are those that a program may ask for. Safe arithmetic with fast
// functions would not be: the old switch had both or none.
// Apple: MTLMathMode and MTLMathFloatingPointFunctions in MTLLibrary.h.
var mathModes = map[driver.MathMode]mathMode{
	driver.MathSafe:    {mode: 0, functions: 1, fast: 0},
	driver.MathRelaxed: {mode: 1, functions: 0, fast: 0},
	driver.MathFast:    {mode: 2, functions: 0, fast: 1},
}

// compileOptions makes MTLCompileOptions, with the version of the language set. Callers are within a pool, and release
// the result.
func compileOptions(o *driver.Options) (objc.ID, error) {
	options, err := objc.New("MTLCompileOptions")
	if err != nil {
		return 0, err
	}
	if len(o.Macros) > 0 {
		macros, err := objc.NewDictionary(o.Macros)
		if err != nil {
			options.Release()
			return 0, fmt.Errorf("macros: %w", err)
		}
		options.Send(selSetMacros, uintptr(macros))
		macros.Release()
	}
	if math, ok := mathModes[o.Math]; ok {
		setMath(options, math)
	}
	options.Send(selSetLanguageVersion, uintptr(o.Language))
	return options, nil
}

func setMath(options objc.ID, math mathMode) {
	if !options.Responds(selSetMathMode) {
		options.Send(selSetFastMath, math.fast)
		return
	}
	options.Send(selSetMathMode, math.mode)
	options.Send(selSetMathFunctions, math.functions)
}
