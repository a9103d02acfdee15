package runtimetest

// Constant returns the function constant at index as a T. It reports false when
// there is none, or one of another size.
func Constant[T any](d Dispatch, index int) (T, bool) { return find[T](d.Constants, index) }
