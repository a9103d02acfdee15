// Package frontend is the front end of all devices: the text of a Metal source in, checked kernels out.
//
// source.go reads a text, library.go keeps what has been read of one and checks kernels when they are asked for, each
// until nobody waits for it any more. quote.go finds the lines that errors are about.
package frontend
