package main

import (
	"cmp"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"slices"
	"strconv"
)

// side is the width and height of a drawing in pixels.
const side = 400

// colors are those of the labels. People who see colors differently can tell them apart.
var colors = [arms]color.NRGBA{{0, 114, 178, 255}, {230, 159, 0, 255}, {0, 158, 115, 255}}

var (
	white = color.NRGBA{255, 255, 255, 255}
	gray  = color.NRGBA{224, 224, 224, 255}
	black = color.NRGBA{32, 32, 32, 255}
)

// picture returns two drawings side by side: the losses of all steps, and what the network makes of the plane.
func picture(ctx context.Context, t *trainer, losses []float32, d dataset) (image.Image, error) {
	const margin, title, numbers = 16, 32, 56 // the last one for those of an axis
	img := image.NewNRGBA(image.Rect(0, 0, numbers+margin+side+margin+side+margin, title+side+title))
	draw.Draw(img, img.Rect, image.NewUniform(white), image.Point{}, draw.Src)
	place := func(x int, text string) canvas {
		writeText(img, text, image.Pt(x, title/3), black)
		return canvas{img, image.Rect(x, title, x+side, title+side)}
	}
	place(numbers, "LOSS OF EACH STEP").losses(losses)
	return img, place(numbers+side+2*margin, "WHAT THE NETWORK MAKES OF THE PLANE").plane(ctx, t, d)
}

// canvas is a square of an image that is drawn on, from (0, 0) in its lower left corner to (1, 1) in the upper right
// one.
type canvas struct {
	*image.NRGBA
	square image.Rectangle
}

// dot draws a disc with a radius in pixels.
func (c canvas) dot(x, y, radius float64, paint color.NRGBA) {
	x = float64(c.square.Min.X) + x*side
	y = float64(c.square.Max.Y) - y*side
	for v := int(y - radius); v <= int(y+radius)+1; v++ {
		for u := int(x - radius); u <= int(x+radius)+1; u++ {
			if !image.Pt(u, v).In(c.square) {
				continue
			}
			covered := radius + 0.5 - math.Hypot(float64(u)+0.5-x, float64(v)+0.5-y)
			c.SetNRGBA(u, v, mix(c.NRGBAAt(u, v), paint, min(max(covered, 0), 1)))
		}
	}
}

// text writes some pixels beside a point.
func (c canvas) text(text string, x, y float64, right, down int) {
	at := image.Pt(c.square.Min.X+int(x*side)+right, c.square.Max.Y-int(y*side)+down)
	writeText(c.NRGBA, text, at, black)
}

// mix returns a color between two.
func mix(from, to color.NRGBA, share float64) color.NRGBA {
	between := func(a, b uint8) uint8 { return uint8(math.Round(float64(a) + share*(float64(b)-float64(a)))) }
	return color.NRGBA{between(from.R, to.R), between(from.G, to.G), between(from.B, to.B), 255}
}

// losses draws the loss of each step on a logarithmic scale, with a line for each power of ten, and numbers on both
// axes.
func (c canvas) losses(losses []float32) {
	// A scale has no place for 0 and infinity.
	log := func(l float32) float64 { return math.Log10(min(max(float64(l), 1e-9), 1e9)) }
	low, high := math.Floor(log(slices.Min(losses))), math.Ceil(log(slices.Max(losses)))
	high = max(high, low+1)
	for power := low; power <= high; power++ {
		y := (power - low) / (high - low)
		for x := range side {
			c.dot(float64(x)/side, y, 0.5, gray)
		}
		text := strconv.FormatFloat(math.Pow(10, power), 'f', -1, 64)
		width, height := textSize(text)
		c.text(text, 0, y, -width-8, -height/2)
	}
	for _, part := range []float64{0, 0.5, 1} {
		text := strconv.Itoa(int(math.Round(part * float64(len(losses)))))
		width, _ := textSize(text)
		c.text(text, part, 0, -int(part*float64(width)), 10)
	}
	from := 0.0
	for i, l := range losses {
		to := (log(l) - low) / (high - low)
		if i == 0 {
			from = to
		}
		// Dots near enough to each other are a line.
		n := 1 + int(side*math.Abs(to-from))
		for j := range n {
			share := float64(j+1) / float64(n)
			c.dot((float64(i)+share)/float64(len(losses)), from+share*(to-from), 1, colors[0])
		}
		from = to
	}
}

// reach is how far the plane is drawn in each direction.
const reach = 1.15

// plane draws the labels that a network has for points of the plane, lighter where it is in doubt, and points on them.
func (c canvas) plane(ctx context.Context, t *trainer, d dataset) error {
	var points []float32
	for v := range side {
		for u := range side {
			points = append(points, float32(reach*(2*float64(u)+1-side)/side), float32(-reach*(2*float64(v)+1-side)/side))
		}
	}
	probabilities, err := t.probabilities(ctx, points)
	if err != nil {
		return err
	}
	for i := range side * side {
		pixel := white
		for label, p := range probabilities[i*arms:][:arms] {
			pixel = mix(pixel, colors[label], 0.6*max(0, 2*p-1))
		}
		c.SetNRGBA(c.square.Min.X+i%side, c.square.Min.Y+i/side, pixel)
	}
	for i, label := range d.labels {
		x, y := float64(d.points[2*i]), float64(d.points[2*i+1])
		c.dot((x/reach+1)/2, (y/reach+1)/2, 3.5, black)
		c.dot((x/reach+1)/2, (y/reach+1)/2, 2.5, colors[label])
	}
	return nil
}

func write(name string, img image.Image) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return cmp.Or(png.Encode(f, img), f.Close())
}
