// Package facts finds what is known of a kernel before it runs: where pointers lead, how great numbers may be, what is
// the same in all lanes, and which lanes have the elements of a matrix. It writes nothing.
package facts
