package picture

import "image"

// orientation says how the stored picture must be turned, by the numbers of EXIF: 2
// is mirrored, 3 upside down, 6 and 8 on one side or the other, the others both.
type orientation uint16

const (
	upright         orientation = 1
	lastOrientation orientation = 8
)

// upright returns a picture as it is to be looked at.
func (o orientation) upright(from *image.RGBA) *image.RGBA {
	if o <= upright || o > lastOrientation {
		return from
	}
	width, height := from.Rect.Dx(), from.Rect.Dy()
	size := image.Rect(0, 0, width, height)
	if o.swapsSides() {
		size = image.Rect(0, 0, height, width)
	}
	to := image.NewRGBA(size)
	for y := range size.Dy() {
		for x := range size.Dx() {
			fromX, fromY := o.source(x, y, width-1, height-1)
			copy(to.Pix[y*to.Stride+4*x:][:4], from.Pix[fromY*from.Stride+4*fromX:][:4])
		}
	}
	return to
}

// swapsSides reports whether width and height are exchanged.
func (o orientation) swapsSides() bool { return o >= 5 }

// source returns the place in the stored picture of a pixel of the upright picture.
// right and bottom are the last column and the last row of the stored picture.
func (o orientation) source(x, y, right, bottom int) (fromX, fromY int) {
	switch o {
	case 2:
		return right - x, y
	case 3:
		return right - x, bottom - y
	case 4:
		return x, bottom - y
	case 5:
		return y, x
	case 6:
		return y, bottom - x
	case 7:
		return right - y, bottom - x
	case 8:
		return right - y, x
	default:
		return x, y
	}
}
