package picture

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"math"
)

// shrink returns a picture whose longer side has at most side pixels. Each new
// pixel is the mean of the area that it covers, which preserves thin strokes. It
// converts the old picture row by row, because x/image/draw would need 32 bytes for
// each pixel in between: 190 MB for a photo of 12 megapixels.
func shrink(ctx context.Context, from image.Image, side int) (*image.RGBA, error) {
	size := from.Bounds().Size()
	width, height := size.X, size.Y
	if longer := max(width, height); longer > side {
		width, height = max(1, scaled(width, side, longer)), max(1, scaled(height, side, longer))
	}
	to := image.NewRGBA(image.Rect(0, 0, width, height))
	if width == size.X && height == size.Y {
		draw.Draw(to, to.Rect, from, from.Bounds().Min, draw.Src)
		return to, nil
	}
	s := shrinker{
		from: from, row: image.NewRGBA(image.Rect(0, 0, size.X, 1)),
		columns: areas(size.X, width), narrow: make([]float32, 4*width), at: -1,
	}
	sums := make([]float32, 4*width)
	for y, area := range areas(size.Y, height) {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("shrink a picture: %w", err)
		}
		clear(sums)
		for i, weight := range area.weights {
			for x, value := range s.narrowed(area.first + i) {
				sums[x] += weight * value
			}
		}
		into := to.Pix[y*to.Stride:]
		for x, sum := range sums {
			into[x] = uint8(min(255, sum+0.5))
		}
	}
	return to, nil
}

func scaled(length, side, longer int) int { return (length*side + longer/2) / longer }

// shrinker scales rows of the old picture to the width of the new one.
type shrinker struct {
	from    image.Image
	row     *image.RGBA // a row of from
	columns []area
	narrow  []float32 // the row that was scaled last, with four channels a pixel
	at      int       // the number of that row
}

// narrowed returns a scaled row, which is valid until the next call.
func (s *shrinker) narrowed(y int) []float32 {
	if y == s.at {
		return s.narrow
	}
	s.at = y
	corner := s.from.Bounds().Min
	draw.Draw(s.row, s.row.Rect, s.from, corner.Add(image.Pt(0, y)), draw.Src)
	for x, area := range s.columns {
		var red, green, blue, opacity float32
		pixels := s.row.Pix[4*area.first:][:4*len(area.weights)]
		for i, weight := range area.weights {
			pixel := pixels[4*i:][:4]
			red += weight * float32(pixel[0])
			green += weight * float32(pixel[1])
			blue += weight * float32(pixel[2])
			opacity += weight * float32(pixel[3])
		}
		into := s.narrow[4*x:][:4]
		into[0], into[1], into[2], into[3] = red, green, blue, opacity
	}
	return s.narrow
}

// area holds, for one direction, which old pixels a new pixel covers, and the share
// of each of them in it. The weights add up to 1.
type area struct {
	first   int
	weights []float32
}

// areas returns the area of each of to new pixels over from old ones.
func areas(from, to int) []area {
	all := make([]area, to)
	ratio := float64(from) / float64(to)
	for i := range all {
		low, high := float64(i)*ratio, min(float64(from), float64(i+1)*ratio)
		first, last := int(low), min(from, int(math.Ceil(high)))
		all[i].first = first
		for old := first; old < last; old++ {
			covered := min(high, float64(old+1)) - max(low, float64(old))
			all[i].weights = append(all[i].weights, float32(covered/(high-low)))
		}
	}
	return all
}
