package main

// The tests that start a new module run `go mod tidy` and `go doc` there, without a network. Both ask for these modules
// too, because participle's tests import them. Imported here, they are downloaded with all else that `go test`
// compiles.
import (
	_ "github.com/alecthomas/assert/v2"
	_ "github.com/alecthomas/repr"
)
