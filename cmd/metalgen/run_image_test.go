package main

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// scriptPNG writes an image.
func scriptPNG(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: png FILE TYPE[H,W] NUMBER...")
	}
	f, err := os.Create(ts.MkAbs(args[0]))
	ts.Check(err)
	img, _ := scriptImage(ts, args[1], args[2:])
	ts.Check(png.Encode(f, img))
	ts.Check(f.Close())
}

// scriptIsPNG compares the pixels of an image, and their type.
func scriptIsPNG(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: ispng FILE TYPE[H,W] NUMBER...")
	}
	f, err := os.Open(ts.MkAbs(args[0]))
	ts.Check(err)
	defer f.Close()
	got, err := png.Decode(f)
	ts.Check(err)
	want, pix := scriptImage(ts, args[1], args[2:])
	if got.Bounds() != want.Bounds() {
		ts.Fatalf("%s is %v, want %v", args[0], got.Bounds(), want.Bounds())
	}
	have := pixelsOf(got)
	if !bytes.Equal(have, pix) {
		ts.Fatalf("%s is a %T of %v, want %v", args[0], got, have, pix)
	}
}

// pixelsOf returns the bytes of an image. A .png without transparent pixels is read as an image.RGBA or image.RGBA64.
func pixelsOf(img image.Image) []byte {
	switch img := img.(type) {
	case *image.Gray:
		return img.Pix
	case *image.Gray16:
		return img.Pix
	case *image.RGBA:
		return img.Pix
	case *image.NRGBA:
		return img.Pix
	case *image.RGBA64:
		return img.Pix
	case *image.NRGBA64:
		return img.Pix
	}
	return nil
}

// scriptImage makes an image of a type such as rgba[2,3], and returns its bytes, too.
func scriptImage(ts *testscript.TestScript, typ string, words []string) (image.Image, []byte) {
	name, dims, _ := strings.Cut(strings.TrimSuffix(typ, "]"), "[")
	h, w, _ := strings.Cut(dims, ",")
	height, err := strconv.Atoi(h)
	ts.Check(err)
	width, err := strconv.Atoi(w)
	ts.Check(err)
	r := image.Rect(0, 0, width, height)
	var img image.Image
	var pix []byte
	size := 1
	switch name {
	case "gray":
		i := image.NewGray(r)
		img, pix = i, i.Pix
	case "gray16":
		i := image.NewGray16(r)
		img, pix, size = i, i.Pix, 2
	case "rgba":
		i := image.NewNRGBA(r)
		img, pix = i, i.Pix
	case "rgba64":
		i := image.NewNRGBA64(r)
		img, pix, size = i, i.Pix, 2
	default:
		ts.Fatalf("%s is no type of images", name)
	}
	if len(words)*size != len(pix) {
		ts.Fatalf("%s has %d numbers, not %d", typ, len(pix)/size, len(words))
	}
	for i, word := range words {
		n, err := strconv.ParseUint(word, 0, 8*size)
		ts.Check(err)
		if size == 2 {
			pix[2*i], pix[2*i+1] = byte(n>>8), byte(n)
		} else {
			pix[i] = byte(n)
		}
	}
	return img, pix
}
