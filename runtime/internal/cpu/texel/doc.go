// Package texel writes vcode that reads and writes texels of common formats: where they are, which words they have, and
// how words become components and components words. Results are those of package pixel, to the last bit.
//
// It is for packages that make code: texelcode and native.
package texel
