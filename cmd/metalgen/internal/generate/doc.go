// Package generate joins the stages. A directory of sources comes in; out goes the
// model of its package, the files that templates made of the model, and the plan that
// brings an output directory to them.
//
// Start reading at run.go. load.go finds, parses and analyses sources, output.go plans
// and applies what has to change, and diagnostic.go shows errors with the lines that
// they are about.
package generate
