module github.com/metalgen/metalgen/gen_test/peers

go 1.26.0

require (
	github.com/disintegration/imaging v1.6.2
	github.com/metalgen/metalgen v0.0.0
	golang.org/x/image v0.47.0
)

require (
	github.com/alecthomas/participle/v2 v2.1.4 // indirect
	github.com/ebitengine/purego v0.11.3 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/metalgen/metalgen => ../..
