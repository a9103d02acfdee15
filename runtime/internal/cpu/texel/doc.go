// Package texel is how vcode reads and writes the texels of common formats: which words a texel has, and what is done
// to have its components of them, or them of its components. Results are those of package pixel, to the last bit.
//
// It is for packages that make code: texelcode and native.
package texel
