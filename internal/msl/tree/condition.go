package tree

// ConditionOp is what a Condition computes.
type ConditionOp uint8

// The operations of conditions.
const (
	IfAlways  ConditionOp = iota // true
	IfNever                      // false
	IfTrue                       // Constant is true
	IfDefined                    // Constant has a value
	IfOrElse                     // Constant, or where it has no value what X says: X is IfAlways or IfNever
	IfNot                        // !X
	IfAnd                        // X && Y
	IfOr                         // X || Y
)

// Condition says when an argument with [[function_constant]] exists, in terms
// of the constants that come with the pipeline.
type Condition struct {
	Op       ConditionOp
	Constant *FunctionConstant
	X, Y     *Condition
}
