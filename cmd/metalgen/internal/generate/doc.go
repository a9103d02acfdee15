// Package generate joins the stages. For a directory of sources it makes the model of their package, the files that
// templates make of the model, and a plan that brings an output directory up to date with them.
//
// Start reading at run.go. load.go finds, parses and analyses sources, output.go plans
// and applies what has to change, and diagnostic.go shows errors with the lines that
// they are about.
package generate
