// Package peers compares the image kernels of gen with other Go packages: results where they mean the same, and how
// long 4 megapixels take. It is a module of its own, so that nobody who uses metalgen has to download the others.
package peers
