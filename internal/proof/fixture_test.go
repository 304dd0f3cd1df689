package proof_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"
)

// signature returns a stroke on a transparent ground.
func signature(width, height int) *image.NRGBA {
	drawing := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		drawing.SetNRGBA(x, height/2, color.NRGBA{0, 0, 60, 255})
	}
	return drawing
}

func encodePNG(t testing.TB, drawing image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, drawing); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}
