package main

import (
	"context"
	"image"
	"image/draw"
	"math"

	"github.com/metalgen/metalgen/examples/image/gen"
	mtl "github.com/metalgen/metalgen/runtime"
)

// options say what is done to an image, in this order.
type options struct {
	width int     // of the result in pixels; 0 leaves the size as it is
	sigma float64 // standard deviation of a blur in pixels, at most mostSigma; 0 for no blur
	edges bool
}

// filter does what o says to an image.
func filter(ctx context.Context, dev *mtl.Device, img image.Image, o options) (image.Image, error) {
	// Transparent pixels must not count, so colors are multiplied by alpha: an image.RGBA has them so.
	in := image.NewRGBA(img.Bounds())
	draw.Draw(in, in.Rect, img, in.Rect.Min, draw.Src)
	texture, err := mtl.UploadImage(dev, in)
	if err != nil {
		return nil, err
	}

	// The calls are recorded here, and nothing runs yet. The batch knows which texture each of them reads and writes,
	// and has it wait for what it needs.
	c := chain{dev: dev, batch: dev.NewBatch(), last: texture}
	width, height := texture.Width(), texture.Height()
	if o.width > 0 {
		height = max(1, height*o.width/width)
		width = o.width
		c.draw(width, height, func(src, dst mtl.Texture2D) {
			linear := mtl.Sampler{Min: mtl.Linear, Mag: mtl.Linear}
			gen.Resize(c.batch, gen.ResizeArgs{Src: src, Dst: dst, S: linear})
		})
	}
	if o.sigma > 0 {
		for _, step := range [][2]int32{{1, 0}, {0, 1}} {
			c.draw(width, height, func(src, dst mtl.Texture2D) {
				gen.Blur(c.batch, gen.BlurArgs{Src: src, Dst: dst, Weights: gaussian(o.sigma), Step: step})
			})
		}
	}
	if o.edges {
		c.draw(width, height, func(src, dst mtl.Texture2D) {
			gen.Edges(c.batch, gen.EdgesArgs{Src: src, Dst: dst})
		})
	}
	if c.err != nil {
		return nil, c.err
	}
	if err := c.batch.Run(ctx); err != nil {
		return nil, err
	}

	out, err := c.last.Image()
	if err != nil {
		return nil, err
	}
	// The texture does not know that its colors are multiplied by alpha.
	pixels := out.(*image.NRGBA)
	return &image.RGBA{Pix: pixels.Pix, Stride: pixels.Stride, Rect: pixels.Rect}, nil
}

// chain is a sequence of filters, each of which reads what the one before has drawn.
type chain struct {
	dev   *mtl.Device
	batch *mtl.Batch
	last  mtl.Texture2D
	err   error
}

// draw records a filter that draws an image of width times height pixels.
func (c *chain) draw(width, height int, filter func(src, dst mtl.Texture2D)) {
	if c.err != nil {
		return
	}
	var dst mtl.Texture2D
	dst, c.err = mtl.NewTexture2D(c.dev, width, height, c.last.Format(), mtl.TextureOptions{})
	if c.err == nil {
		filter(c.last, dst)
		c.last = dst
	}
}

// mostSigma is the standard deviation up to which the nine weights of the kernel have nearly all of a Gaussian.
const mostSigma = 2.0

// gaussian returns the weights of a blur, which add up to 1.
func gaussian(sigma float64) (weights [9]float32) {
	sum := 0.0
	for i := range weights {
		sum += density(i, sigma)
	}
	for i := range weights {
		weights[i] = float32(density(i, sigma) / sum)
	}
	return weights
}

func density(i int, sigma float64) float64 {
	x := float64(i-4) / sigma
	return math.Exp(-x * x / 2)
}
