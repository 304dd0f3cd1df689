package proof

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"runtime"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"golang.org/x/image/webp"
)

// What a picture may be at most.
const (
	// MaxBytes is how large a picture may come in.
	MaxBytes  = 5 << 20
	maxSide   = 8_000      // pixels
	maxPixels = 24_000_000 // as the larger of today's phones make by default
	// maxRaster bounds the memory of the pixels while they are decoded, in
	// bytes. Pixels alone do not tell: 16-bit and progressive ones need more.
	maxRaster = 96 << 20
	// maxLossless bounds the pixels that WebP keeps without loss, opacity
	// included. Their decoder may build Huffman tables of 150 MB besides, and
	// who sends them sends drawings.
	maxLossless = 4_000_000
	// maxScans bounds how often a progressive JPEG may go over all its pixels.
	// Encoders make about ten; thousands fit into a few kilobytes and take
	// minutes.
	maxScans = 64
	// keptSide is the longer side of a photo as it is kept.
	keptSide = 2_000
	// collectAbove is from which raster on the memory is given back at once. The
	// service lets its heap grow fivefold before it collects, and with this much
	// alive that would be half a gigabyte.
	collectAbove = 32 << 20
)

// field is what a refusal names.
const field = "proof"

func fault(expected string) error { return form.Fault(field, nil, expected) }

// format is one kind of file that is taken.
type format struct {
	magic func(data []byte) bool
	// plan reads the header. It decodes nothing and trusts nothing.
	plan   func(data []byte) (plan, error)
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	photo  bool // whether it is never a drawing
}

// plan is what a header tells of the pixels behind it.
type plan struct {
	width, height int
	raster        int  // bytes of memory to decode them
	lossless      bool // whether WebP's lossless decoder is needed
	orientation   orientation
}

var formats = []format{
	{magic: startsWith("\xff\xd8\xff"), plan: planJPEG, config: jpeg.DecodeConfig, decode: jpeg.Decode, photo: true},
	{magic: startsWith("\x89PNG\r\n\x1a\n"), plan: planPNG, config: png.DecodeConfig, decode: png.Decode},
	{magic: isWebP, plan: planWebP, config: webp.DecodeConfig, decode: webp.Decode},
}

func startsWith(magic string) func([]byte) bool {
	return func(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }
}

// Clean makes a picture of its own out of what somebody sent: a PNG, JPEG or
// WebP, told by its content. Of the file only the pixels are left, upright, and
// at most keptSide of them on the longer side. It may need up to 200 MB for a
// hostile file; Service bounds how many run at once.
func Clean(ctx context.Context, data []byte) (Picture, error) {
	if err := checkSize(data); err != nil {
		return Picture{}, err
	}
	for _, f := range formats {
		if f.magic(data) {
			return f.clean(ctx, data)
		}
	}
	return Picture{}, fault("a PNG, JPEG or WebP picture")
}

func checkSize(data []byte) error {
	if len(data) > MaxBytes {
		return refusal.New(refusal.CodePayloadTooLarge, fmt.Sprintf("a proof may have at most %d bytes", MaxBytes))
	}
	return nil
}

func (f format) clean(ctx context.Context, data []byte) (Picture, error) {
	plan, err := f.plan(data)
	if err != nil {
		return Picture{}, err
	}
	if err := plan.check(); err != nil {
		return Picture{}, err
	}
	// The decoder must see the same header as we do: memory is at stake.
	config, err := f.config(bytes.NewReader(data))
	if err != nil || config.Width != plan.width || config.Height != plan.height {
		return Picture{}, errUnreadable
	}
	if plan.raster > collectAbove {
		defer runtime.GC()
	}
	decoded, err := f.decode(&patient{ctx: ctx, data: data})
	if ctx.Err() != nil {
		return Picture{}, fmt.Errorf("clean a picture: %w", ctx.Err())
	}
	if err != nil || decoded.Bounds().Dx() != plan.width || decoded.Bounds().Dy() != plan.height {
		return Picture{}, errUnreadable
	}
	small, err := shrink(ctx, decoded, keptSide)
	if err != nil {
		return Picture{}, err
	}
	return encode(plan.orientation.upright(small), f.photo)
}

var errUnreadable = fault("a whole picture, which this one is not: it is damaged or cut off")

func (p plan) check() error {
	pixels := p.width * p.height
	switch {
	case p.width < 1 || p.height < 1:
		return errUnreadable
	case p.width > maxSide || p.height > maxSide || pixels > maxPixels:
		return fault(fmt.Sprintf("at most %d pixels a side and %d megapixels", maxSide, maxPixels/1_000_000))
	case p.lossless && pixels > maxLossless:
		return fault(fmt.Sprintf("at most %d megapixels in a WebP that is lossless or transparent", maxLossless/1_000_000))
	case p.raster > maxRaster:
		return fault("fewer pixels, or a simpler form of them (8 bits per channel, not progressive)")
	}
	return nil
}

// patient reads data in small pieces, and looks at each whether anybody still
// waits: that is how a decoder, which takes no context, is stopped.
type patient struct {
	ctx  context.Context
	data []byte
}

// piece is how much is decoded between two looks, in bytes.
const piece = 1 << 10

func (p *patient) Read(into []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(into, p.data[:min(piece, len(p.data))])
	p.data = p.data[n:]
	return n, nil
}
