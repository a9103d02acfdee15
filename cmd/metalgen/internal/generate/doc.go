// Package generate joins the stages: it finds sources, has them parsed,
// analysed and modelled, and brings an output directory to what the templates
// made of the model.
package generate
