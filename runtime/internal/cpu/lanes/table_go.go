//go:build !amd64 || purego

package lanes

// tables returns those that this processor can use, the best one last.
func tables() []named { return []named{{"go", inGo()}} }
