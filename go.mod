module github.com/metalgen/metalgen

go 1.26

require (
	github.com/alecthomas/assert/v2 v2.11.0
	github.com/alecthomas/participle/v2 v2.1.4
	github.com/alecthomas/repr v0.4.0
	github.com/dave/jennifer v1.7.1
	github.com/ebitengine/purego v0.11.3
	github.com/fsnotify/fsnotify v1.10.1
	github.com/google/go-cmp v0.7.0
	github.com/rogpeppe/go-internal v1.16.0
	github.com/x448/float16 v0.8.4
	golang.org/x/mod v0.23.0
	golang.org/x/sys v0.26.0
	golang.org/x/term v0.25.0
)

require (
	github.com/hexops/gotextdiff v1.0.3 // indirect
	golang.org/x/tools v0.26.0 // indirect
)
