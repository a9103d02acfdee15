// Package text writes PTX line by line: registers, labels, instructions, and what all threads compute before all else.
//
// It knows no kernel. Start reading at writer.go; template.go fills in templates.
package text
