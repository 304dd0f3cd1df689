package picture

import (
	"bytes"
	"cmp"
	"context"
	"errors"
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

// The limits of a picture.
const (
	// MaxBytes is the greatest size of a file that is accepted.
	MaxBytes  = 5 << 20
	maxSide   = 8_000      // pixels
	maxPixels = 25_000_000 // the default of current phone cameras is 24.5 megapixels
	// maxRaster is the greatest memory for the pixels while they are decoded, in
	// bytes. maxPixels does not bound it enough: 16-bit and progressive pictures
	// need more for each pixel.
	maxRaster = 96 << 20
	// maxLossless is the greatest number of pixels that a WebP may hold without
	// loss, including its opacity. Their decoder may build Huffman tables of 150 MB
	// in addition. Lossless pictures are drawings, which need fewer pixels.
	maxLossless = 4_000_000
	// maxScans is the greatest number of scans of a progressive JPEG. Encoders
	// write about ten; thousands fit into a few kilobytes and take minutes.
	maxScans = 64
	// collectAbove is the raster above which garbage is collected immediately. The
	// service lets its heap grow fivefold before it collects, which with so much
	// memory in use would be half a gigabyte.
	collectAbove = 32 << 20
)

// unfit means that a file cannot be accepted; the rule is what is expected.
type unfit struct{ rule form.Rule }

func (u unfit) Error() string { return "expected " + u.rule.Expected() }

// The rules for pictures.
var (
	formatRule   = form.Define("picture_format", "a PNG, JPEG or WebP picture")
	completeRule = form.Define("picture_complete", "a complete picture; this one is damaged or truncated")
	pixelsRule   = form.Define("picture_pixels", "at most {side} pixels a side and {megapixels} megapixels")
	losslessRule = form.Define("picture_lossless",
		"at most {megapixels} megapixels in a WebP that is lossless or transparent")
	rasterRule = form.Define("picture_raster",
		"fewer pixels, or a simpler form of them (8 bits per channel, not progressive)")
	stillRule    = form.Define("picture_still", "a still picture, not an animation")
	scansRule    = form.Define("picture_scans", "a JPEG of at most {most} scans")
	fewerScans   = form.Define("picture_fewer_scans", "a JPEG with fewer scans")
	baselineRule = form.Define("picture_baseline", "a baseline or progressive JPEG")
	channelsRule = form.Define("picture_channels", "a JPEG of 8 bits per channel")
	coloursRule  = form.Define("picture_colours", "a JPEG in grey, YCbCr or RGB, not CMYK")
	timeRule     = form.Define("picture_time", "a picture that can be decoded in {seconds}s")
)

// decoder reads files of one format.
type decoder struct {
	magic func(data []byte) bool
	// plan reads the header, without decoding pixels. The data may be hostile.
	plan   func(data []byte) (plan, error)
	config func(io.Reader) (image.Config, error)
	decode func(io.Reader) (image.Image, error)
	photo  bool // the format is not used for drawings
}

// plan is what the header of a file says of its pixels.
type plan struct {
	width, height int
	raster        int  // bytes of memory to decode them
	scans         int  // of a progressive JPEG, each of which covers all pixels
	lossless      bool // they need WebP's lossless decoder
	orientation   orientation
}

var decoders = []decoder{
	{magic: startsWith("\xff\xd8\xff"), plan: planJPEG, config: jpeg.DecodeConfig, decode: jpeg.Decode, photo: true},
	{magic: startsWith("\x89PNG\r\n\x1a\n"), plan: planPNG, config: png.DecodeConfig, decode: png.Decode},
	{magic: isWebP, plan: planWebP, config: webp.DecodeConfig, decode: webp.Decode},
}

func startsWith(magic string) func([]byte) bool {
	return func(data []byte) bool { return bytes.HasPrefix(data, []byte(magic)) }
}

// Wanted describes what is wanted of a cleaned picture.
type Wanted struct {
	Field string // the name of the picture in validation errors
	Side  int    // the greatest longer side, in pixels
	// Bytes is the greatest size of the encoded picture; 0 means no limit. A picture
	// that is larger gets fewer pixels.
	Bytes int
	// Accepted bounds the files. Members that are 0 are those of the package.
	Accepted Limits
	// Yields makes the picture wait in a Cleaner until none waits that does not yield,
	// and for all others that yield.
	Yields bool
}

// Limits bounds what decoding a file costs, before anything of it is decoded.
type Limits struct {
	Bytes  int // of the file
	Side   int // pixels
	Pixels int
	Scans  int // of a progressive JPEG
}

// limits returns what files are accepted.
func (w Wanted) limits() Limits {
	return Limits{
		Bytes: cmp.Or(w.Accepted.Bytes, MaxBytes), Side: cmp.Or(w.Accepted.Side, maxSide),
		Pixels: cmp.Or(w.Accepted.Pixels, maxPixels), Scans: cmp.Or(w.Accepted.Scans, maxScans),
	}
}

// Clean decodes a file, which must be a PNG, JPEG or WebP, and encodes a new
// picture from its pixels alone, upright. The error is a validation error if the file
// cannot be accepted. A hostile file may need up to 200 MB; Cleaner limits how many
// are cleaned at the same time.
func Clean(ctx context.Context, data []byte, wanted Wanted) (Picture, error) {
	checked, err := inspect(data, wanted)
	if err != nil {
		return Picture{}, err
	}
	return checked.clean(ctx)
}

// file is a file whose header has been read and is within the limits.
type file struct {
	decoder
	plan   plan
	data   []byte
	wanted Wanted
}

// inspect reads the header of a file, without decoding pixels. It refuses what Clean
// does not accept by its header.
func inspect(data []byte, wanted Wanted) (file, error) {
	limits := wanted.limits()
	if len(data) > limits.Bytes {
		return file{}, errTooLarge(len(data), limits.Bytes)
	}
	for _, d := range decoders {
		if d.magic(data) {
			plan, err := d.inspect(data, limits)
			if err != nil {
				return file{}, wanted.explain(err)
			}
			return file{d, plan, data, wanted}, nil
		}
	}
	if isHEIC(data) {
		return file{}, wanted.explain(unfit{HEICRule})
	}
	return file{}, wanted.explain(unfit{formatRule})
}

func (d decoder) inspect(data []byte, limits Limits) (plan, error) {
	plan, err := d.plan(data)
	if err != nil {
		return plan, err
	}
	if err := plan.check(limits); err != nil {
		return plan, err
	}
	// The limits hold only if the library reads the same header as plan.
	config, err := d.config(bytes.NewReader(data))
	if err != nil || config.Width != plan.width || config.Height != plan.height {
		return plan, errUnreadable
	}
	return plan, nil
}

// explain turns unfit into a validation error, and returns any other error as it is.
func (w Wanted) explain(err error) error {
	var refused unfit
	if errors.As(err, &refused) {
		return form.Fault(w.Field, nil, refused.rule)
	}
	return err
}

// CheckSize refuses a file of more than MaxBytes with payload_too_large.
func CheckSize(data []byte) error {
	if len(data) > MaxBytes {
		return errTooLarge(len(data), MaxBytes)
	}
	return nil
}

func errTooLarge(size, most int) error {
	return refusal.New(refusal.CodePayloadTooLarge,
		fmt.Sprintf("the picture is too large: %d bytes, at most %d", size, most))
}

// clean decodes the file and encodes what is wanted of it.
func (f file) clean(ctx context.Context) (Picture, error) {
	cleaned, err := f.decodeAndEncode(ctx)
	return cleaned, f.wanted.explain(err)
}

func (f file) decodeAndEncode(ctx context.Context) (Picture, error) {
	plan, wanted := f.plan, f.wanted
	if plan.raster > collectAbove {
		defer runtime.GC()
	}
	decoded, err := f.decode(cancellable(ctx, f.data))
	if ctx.Err() != nil {
		return Picture{}, fmt.Errorf("clean a picture: %w", ctx.Err())
	}
	if err != nil || decoded.Bounds().Dx() != plan.width || decoded.Bounds().Dy() != plan.height {
		return Picture{}, errUnreadable
	}
	for side := wanted.Side; ; side /= 2 {
		small, err := plan.orientation.shrink(ctx, decoded, side)
		if err != nil {
			return Picture{}, err
		}
		cleaned, err := encode(small, f.photo)
		if err != nil || wanted.Bytes == 0 || len(cleaned.Data) <= wanted.Bytes || side < 2 {
			return cleaned, err
		}
	}
}

var errUnreadable = unfit{completeRule}

func (p plan) check(most Limits) error {
	pixels := p.width * p.height
	switch {
	case p.width < 1 || p.height < 1:
		return errUnreadable
	case p.width > most.Side || p.height > most.Side || pixels > most.Pixels:
		return unfit{pixelsRule.With("side", most.Side, "megapixels", most.Pixels/1_000_000)}
	case p.scans > most.Scans:
		return unfit{scansRule.With("most", most.Scans)}
	case p.lossless && pixels > maxLossless:
		return unfit{losslessRule.With("megapixels", maxLossless/1_000_000)}
	case p.raster > maxRaster:
		return unfit{rasterRule}
	}
	return nil
}

// piece is how many bytes are read between two checks of the context.
const piece = 1 << 10

// cancellable returns a reader that fails once the context has ended. That is how a
// decoder, which takes no context, is stopped.
func cancellable(ctx context.Context, data []byte) io.Reader {
	return readerFunc(func(into []byte) (int, error) {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		if len(data) == 0 {
			return 0, io.EOF
		}
		n := copy(into, data[:min(piece, len(data))])
		data = data[n:]
		return n, nil
	})
}

// readerFunc is a reader that is a function.
type readerFunc func(into []byte) (int, error)

func (f readerFunc) Read(into []byte) (int, error) { return f(into) }
