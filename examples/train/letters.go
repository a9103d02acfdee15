package main

import (
	"image"
	"image/color"
	"strings"
)

// letters are those of the titles, and digits, as rows of pixels.
var letters = map[rune]string{
	'0': "### #.# #.# #.# ###", '1': ".#. ##. .#. .#. ###", '2': "### ..# ### #.. ###", '3': "### ..# .## ..# ###",
	'4': "#.# #.# ### ..# ..#", '5': "### #.. ### ..# ###", '6': "### #.. ### #.# ###", '7': "### ..# .#. .#. .#.",
	'8': "### #.# ### #.# ###", '9': "### #.# ### ..# ###", '.': ". . . . #",
	'A': ".#. #.# ### #.# #.#", 'C': "### #.. #.. #.. ###", 'E': "### #.. ##. #.. ###", 'F': "### #.. ##. #.. #..",
	'H': "#.# #.# ### #.# #.#", 'K': "#..# #.#. ##.. #.#. #..#", 'L': "#.. #.. #.. #.. ###",
	'M': "#...# ##.## #.#.# #...# #...#",
	'N': "#..# ##.# #.## #..# #..#", 'O': "### #.# #.# #.# ###", 'P': "### #.# ### #.. #..", 'R': "##. #.# ##. #.# #.#",
	'S': "### #.. ### ..# ###", 'T': "### .#. .#. .#. .#.", 'W': "#...# #...# #.#.# ##.## #...#",
	' ': ".. .. .. .. ..",
}

// dotSize is the width and height of a pixel of a letter.
const dotSize = 2

// textSize returns how many pixels a text takes.
func textSize(text string) (width, height int) {
	for _, letter := range text {
		width += (strings.IndexByte(letters[letter]+" ", ' ') + 1) * dotSize
	}
	return max(0, width-dotSize), 5 * dotSize
}

// writeText writes a text, whose upper left corner is at a point.
func writeText(img *image.NRGBA, text string, at image.Point, paint color.NRGBA) {
	for _, letter := range text {
		rows := strings.Fields(letters[letter])
		for y, row := range rows {
			for x, dot := range row {
				for i := range dotSize * dotSize {
					if dot == '#' {
						img.SetNRGBA(at.X+x*dotSize+i%dotSize, at.Y+y*dotSize+i/dotSize, paint)
					}
				}
			}
		}
		if len(rows) > 0 {
			at.X += (len(rows[0]) + 1) * dotSize
		}
	}
}
