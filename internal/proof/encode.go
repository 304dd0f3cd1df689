package proof

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
)

const (
	// quality is that of the JPEGs: nothing is seen of it, and text on a parcel
	// stays readable.
	quality = 82
	// maxDrawing is how large a drawing may become as PNG, in bytes. Beyond that
	// it is a photo that somebody saved as PNG.
	maxDrawing = 1 << 20
	// maxColours is how many colours a palette has.
	maxColours = 256
)

// encode writes a picture: a drawing, which has few colours or is transparent,
// as PNG, so that its strokes stay sharp, and a photo as JPEG.
func encode(picture *image.RGBA, photo bool) (Picture, error) {
	if !photo {
		if drawing := asDrawing(picture); drawing != nil {
			var file bytes.Buffer
			if err := png.Encode(&file, drawing); err != nil {
				return Picture{}, fmt.Errorf("write a PNG: %w", err)
			}
			if file.Len() <= maxDrawing {
				return Picture{PNG, file.Bytes()}, nil
			}
		}
		picture = onPaper(picture)
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, picture, &jpeg.Options{Quality: quality}); err != nil {
		return Picture{}, fmt.Errorf("write a JPEG: %w", err)
	}
	return Picture{JPEG, file.Bytes()}, nil
}

// asDrawing gives a picture with a palette if that can be, the picture itself if
// it is transparent anywhere, and nil if it is none of both. What is wholly
// transparent has no colour any more, so nothing can be hidden in it.
func asDrawing(picture *image.RGBA) image.Image {
	indexes := map[[4]byte]uint8{}
	var palette color.Palette
	pixels := make([]byte, 0, len(picture.Pix)/4)
	for at := 0; at < len(picture.Pix); at += 4 {
		pixel := [4]byte(picture.Pix[at:])
		index, known := indexes[pixel]
		if !known {
			if len(palette) == maxColours {
				return withoutPalette(picture)
			}
			index = uint8(len(palette))
			indexes[pixel] = index
			shown := color.RGBA{R: pixel[0], G: pixel[1], B: pixel[2], A: pixel[3]}
			palette = append(palette, color.NRGBAModel.Convert(shown))
		}
		pixels = append(pixels, index)
	}
	return &image.Paletted{Pix: pixels, Stride: picture.Rect.Dx(), Rect: picture.Rect, Palette: palette}
}

func withoutPalette(picture *image.RGBA) image.Image {
	if picture.Opaque() {
		return nil
	}
	return picture
}

// onPaper lays a picture on white, because JPEG knows no transparency.
func onPaper(picture *image.RGBA) *image.RGBA {
	if picture.Opaque() {
		return picture
	}
	paper := image.NewRGBA(picture.Rect)
	draw.Draw(paper, paper.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(paper, paper.Rect, picture, picture.Rect.Min, draw.Over)
	return paper
}
