package picture

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
	// quality is the quality of JPEGs. Artefacts are not visible, and text on a
	// parcel stays legible.
	quality = 82
	// maxDrawing is the greatest size of a drawing as PNG, in bytes. A larger one
	// is probably a photo in a PNG, and becomes a JPEG.
	maxDrawing = 1 << 20
	// maxColours is the greatest number of colours in a palette.
	maxColours = 256
)

// encode writes a drawing, which has few colours or is transparent, as PNG, so that
// its strokes stay sharp, and any other picture as JPEG. photo says that the
// picture is not a drawing.
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

// asDrawing returns a picture with a palette if it has few enough colours, the
// picture itself if a part of it is transparent, and otherwise nil. Fully
// transparent pixels have lost their colour before, so that it cannot hide
// anything.
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

// onPaper returns a picture on white, because JPEG has no transparency.
func onPaper(picture *image.RGBA) *image.RGBA {
	if picture.Opaque() {
		return picture
	}
	paper := image.NewRGBA(picture.Rect)
	draw.Draw(paper, paper.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(paper, paper.Rect, picture, picture.Rect.Min, draw.Over)
	return paper
}
