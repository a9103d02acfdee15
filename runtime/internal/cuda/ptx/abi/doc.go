// Package abi has what the text of a kernel and its host agree on, as data: where parameters lie, and what threads
// write that find a mistake or log.
package abi
