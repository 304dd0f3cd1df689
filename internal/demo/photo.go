package demo

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"sync"
)

// Photos is how many pictures of parcels at doors there are.
const Photos = 6

// doorColours are those of the doors.
var doorColours = [Photos]color.RGBA{
	{0x2f, 0x5d, 0x50, 0xff}, {0x8c, 0x2f, 0x2b, 0xff}, {0x2d, 0x4a, 0x73, 0xff}, {0xc8, 0x8a, 0x2b, 0xff},
	{0x4b, 0x3f, 0x56, 0xff}, {0x5a, 0x6b, 0x3b, 0xff},
}

// photos has the files of all pictures, which are drawn when the first is asked for.
var photos = sync.OnceValues(func() (files [Photos][]byte, err error) {
	for i := range files {
		if files[i], err = photo(doorColours[i]); err != nil {
			return files, err
		}
	}
	return files, nil
})

// Photo returns the picture with a number from 1 to Photos, as a JPEG: a parcel in front of a door.
func Photo(number int) ([]byte, error) {
	files, err := photos()
	return files[number-1], err
}

// photo draws a parcel in front of a door.
func photo(door color.RGBA) ([]byte, error) {
	const width, height, floor = 360, 480, 400
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	fill := func(x0, y0, x1, y1 int, c color.RGBA) {
		draw.Draw(picture, image.Rect(x0, y0, x1, y1), image.NewUniform(c), image.Point{}, draw.Src)
	}
	dark := color.RGBA{door.R / 2, door.G / 2, door.B / 2, 0xff}
	brick, mortar := color.RGBA{0xa8, 0x6b, 0x57, 0xff}, color.RGBA{0xc9, 0xb8, 0xab, 0xff}
	fill(0, 0, width, floor, mortar)
	for row := range floor / 20 {
		for column := -1; column < width/50+1; column++ {
			x := column*50 + row%2*25
			fill(x+2, row*20+2, x+48, row*20+18, brick)
		}
	}
	fill(88, 40, 272, floor, color.RGBA{0xee, 0xea, 0xe2, 0xff}) // the frame
	fill(98, 50, 262, floor, door)
	for _, panel := range []image.Rectangle{
		image.Rect(114, 140, 174, 240), image.Rect(186, 140, 246, 240), image.Rect(114, 260, 174, 380),
		image.Rect(186, 260, 246, 380),
	} {
		fill(panel.Min.X, panel.Min.Y, panel.Max.X, panel.Max.Y, dark)
		fill(panel.Min.X+3, panel.Min.Y+3, panel.Max.X, panel.Max.Y, door)
	}
	fill(114, 66, 246, 124, color.RGBA{0xb9, 0xd3, 0xdc, 0xff})       // a window
	fill(244, 236, 254, 256, color.RGBA{0xd9, 0xc2, 0x6a, 0xff})      // the knob
	fill(0, floor, width, height, color.RGBA{0x8d, 0x8f, 0x8c, 0xff}) // the step
	fill(60, 424, 300, 452, color.RGBA{0x5f, 0x52, 0x3f, 0xff})       // the mat
	fill(130, 330, 250, 432, color.RGBA{0xc4, 0x9a, 0x62, 0xff})      // the parcel
	fill(182, 330, 198, 432, color.RGBA{0xe3, 0xcf, 0xa6, 0xff})      // its tape
	fill(206, 384, 240, 412, color.RGBA{0xf7, 0xf5, 0xef, 0xff})      // its label
	fill(130, 330, 250, 334, color.RGBA{0xdd, 0xb8, 0x80, 0xff})      // its edge
	fill(212, 390, 232, 393, color.RGBA{0x33, 0x33, 0x33, 0xff})      // its lines
	fill(212, 398, 226, 401, color.RGBA{0x33, 0x33, 0x33, 0xff})
	var file bytes.Buffer
	err := jpeg.Encode(&file, picture, &jpeg.Options{Quality: 80})
	return file.Bytes(), err
}
