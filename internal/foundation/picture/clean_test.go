package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// planted is text in files that no cleaned picture may hold.
const planted = "GPS 45.5088N 73.5878W 2026-11-21 <script>alert(1)</script>"

func TestCleanRemovesMetadata(t *testing.T) {
	t.Parallel()
	secret := append([]byte("PK\x03\x04%PDF-1.7 "), planted...)
	jpeg, png := encodeJPEG(t, photo(60, 40)), encodePNG(t, signature(60, 40))
	pixels := string(lossless(60, 40, color.NRGBA{9, 8, 7, 255}))
	for name, data := range map[string][]byte{
		"JPEG": append(after(2, jpeg,
			segment(0xe1, exif(binary.LittleEndian, 6)), segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+planted),
			segment(0xe2, "ICC_PROFILE\x00\x01\x01"+planted), segment(0xed, "Photoshop 3.0\x00"+planted), segment(0xfe, planted),
		), secret...),
		"PNG": append(after(33, png,
			chunk("tEXt", "Comment\x00"+planted), chunk("iTXt", "XML:com.adobe.xmp\x00\x00\x00\x00\x00"+planted),
			chunk("eXIf", exif(binary.BigEndian, 6)[6:]), chunk("prVt", planted), chunk("iCCP", "icc\x00\x00"+planted),
		), secret...),
		"WebP": append(riff(
			riffChunk("VP8X", "\x2c\x00\x00\x00\x3b\x00\x00\x27\x00\x00"), riffChunk("ICCP", planted), []byte(pixels),
			riffChunk("EXIF", exif(binary.BigEndian, 6)), riffChunk("XMP ", planted),
		), secret...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if !bytes.Contains(data, []byte(planted)) {
				t.Fatal("the file does not hold the planted text")
			}
			cleaned, _ := mustClean(t, data)
			for _, trace := range []string{
				"GPS", "script", "Exif", "ICC", "adobe", "Adobe", "PK\x03", "%PDF", "2026", "tEXt", "iTXt", "eXIf", "prVt", "iCCP",
				"\xff\xe1", "\xff\xfe",
			} {
				if bytes.Contains(cleaned.Data, []byte(trace)) {
					t.Errorf("got a picture with %q in it", trace)
				}
			}
			if end := cleaned.Data[len(cleaned.Data)-8:]; !bytes.HasSuffix(end, []byte("\xff\xd9")) &&
				!bytes.HasSuffix(end, []byte("IEND\xaeB`\x82")) {
				t.Errorf("got %q at the end, want the end of a picture", end)
			}
		})
	}
}

// TestTransparentPixelsLoseTheirColour, because it could hide a text.
func TestTransparentPixelsLoseTheirColour(t *testing.T) {
	t.Parallel()
	drawing := signature(64, 32)
	drawing.SetNRGBA(3, 3, color.NRGBA{0xde, 0xad, 0xbe, 0})
	cleaned, decoded := mustClean(t, encodePNG(t, drawing))
	if hidden := color.NRGBAModel.Convert(decoded.At(3, 3)); cleaned.Format != picture.PNG || hidden != (color.NRGBA{}) {
		t.Errorf("got %s with %v, want png without colour", cleaned.Format, hidden)
	}
	if ink := color.NRGBAModel.Convert(decoded.At(0, 16)); ink != (color.NRGBA{0, 0, 60, 255}) {
		t.Errorf("got a stroke of %v, want it unchanged", ink)
	}
}

// TestPhotosAreUpright in all 8 orientations. The words name the corner of the scene
// that each corner of the file shows (top left, top right, bottom left, bottom
// right), as the EXIF standard does.
func TestPhotosAreUpright(t *testing.T) {
	t.Parallel()
	scene := map[string]color.RGBA{
		"TL": {255, 0, 0, 255}, "TR": {0, 255, 0, 255}, "BL": {0, 0, 255, 255}, "BR": {255, 255, 255, 255},
	}
	for i, corners := range []string{
		"TL TR BL BR", "TR TL BR BL", "BR BL TR TL", "BL BR TL TR", "TL BL TR BR", "TR BR TL BL", "BR TR BL TL",
		"BL TL BR TR",
	} {
		number := uint16(i + 1)
		size := image.Rect(0, 0, 96, 64)
		if number >= 5 {
			size = image.Rect(0, 0, 64, 96)
		}
		file := image.NewRGBA(size)
		for y := range size.Dy() {
			for x := range size.Dx() {
				at := x/(size.Dx()/2) + 2*(y/(size.Dy()/2))
				file.SetRGBA(x, y, scene[strings.Fields(corners)[at]])
			}
		}
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			_, got := mustClean(t, after(2, encodeJPEG(t, file), segment(0xe1, exif(order, number))))
			if got.Bounds() != image.Rect(0, 0, 96, 64) {
				t.Errorf("orientation %d: got %v, want 96 by 64", number, got.Bounds())
				continue
			}
			for corner, at := range map[string]image.Point{"TL": {8, 8}, "TR": {88, 8}, "BL": {8, 56}, "BR": {88, 56}} {
				if !near(got.At(at.X, at.Y), scene[corner], 30) {
					t.Errorf("orientation %d, %s: got %v at %s, want %v", number, order, got.At(at.X, at.Y), corner, scene[corner])
				}
			}
		}
	}
}

// near reports whether two colours differ by at most tolerance in each channel.
func near(a, b color.Color, tolerance int) bool {
	x, y := color.RGBAModel.Convert(a).(color.RGBA), color.RGBAModel.Convert(b).(color.RGBA)
	off := func(p, q uint8) bool { return int(p)-int(q) > tolerance || int(q)-int(p) > tolerance }
	return !off(x.R, y.R) && !off(x.G, y.G) && !off(x.B, y.B) && !off(x.A, y.A)
}

// TestPhotosOfOtherFormatsAreUpright: PNG and WebP hold EXIF too, WebP after the
// pixels, and with or without the magic of JPEG.
func TestPhotosOfOtherFormatsAreUpright(t *testing.T) {
	t.Parallel()
	block := exif(binary.BigEndian, 6)
	bare := strings.TrimPrefix(block, "Exif\x00\x00")
	vp8x := riffChunk("VP8X", "\x08\x00\x00\x00"+"\x1f\x00\x00"+"\x0f\x00\x00") // 32 by 16, with EXIF
	pixels := lossless(32, 16, color.NRGBA{9, 8, 7, 255})
	for name, file := range map[string][]byte{
		"PNG":                     after(33, encodePNG(t, photo(32, 16)), chunk("eXIf", bare)),
		"WebP":                    riff(vp8x, pixels, riffChunk("EXIF", bare)),
		"WebP, with JPEG's magic": riff(vp8x, pixels, riffChunk("EXIF", block)),
		"WebP, EXIF first":        riff(vp8x, riffChunk("EXIF", bare), pixels),
	} {
		if _, got := mustClean(t, file); got.Bounds() != image.Rect(0, 0, 16, 32) {
			t.Errorf("%s: got %v, want 16 by 32", name, got.Bounds())
		}
	}
	// A picture with truncated EXIF is not refused.
	for name, file := range map[string][]byte{
		"PNG":  after(33, encodePNG(t, photo(32, 16)), chunk("eXIf", bare[:20])),
		"WebP": riff(vp8x, pixels, riffChunk("EXIF", bare)[:20]),
	} {
		if _, got := mustClean(t, file); got.Bounds() != image.Rect(0, 0, 32, 16) {
			t.Errorf("%s with truncated EXIF: got %v, want 32 by 16", name, got.Bounds())
		}
	}
}

func TestInvalidOrientations(t *testing.T) {
	t.Parallel()
	whole := exif(binary.LittleEndian, 6)
	far := []byte(whole)
	binary.LittleEndian.PutUint32(far[10:], 1<<32-1)
	many := []byte(whole)
	binary.LittleEndian.PutUint16(many[14:], 65535)
	binary.LittleEndian.PutUint16(many[28:], 0x0113)
	for name, block := range map[string]string{
		"0": exif(binary.LittleEndian, 0), "9": exif(binary.BigEndian, 9), "truncated": whole[:20], "empty": whole[:6],
		"not TIFF": "Exif\x00\x00XX" + whole[8:], "far directory": string(far), "endless directory": string(many),
	} {
		if _, got := mustClean(t,
			after(2, encodeJPEG(t, photo(32, 16)), segment(0xe1, block))); got.Bounds() != image.Rect(0, 0, 32, 16) {
			t.Errorf("%s: got %v, want 32 by 16", name, got.Bounds())
		}
	}
}

func TestFormatsAndSizes(t *testing.T) {
	t.Parallel()
	grey16 := image.NewNRGBA64(image.Rect(0, 0, 30, 20))
	noise := photo(1500, 1000)
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 7)
	}
	for name, c := range map[string]struct {
		data          []byte
		format        picture.Format
		width, height int
	}{
		"photo":            {encodeJPEG(t, photo(320, 240)), picture.JPEG, 320, 240},
		"large photo":      {encodeJPEG(t, photo(3000, 1000)), picture.JPEG, 2000, 667},
		"tall photo":       {encodeJPEG(t, photo(30, 6000)), picture.JPEG, 10, 2000},
		"line":             {encodeJPEG(t, photo(8000, 1)), picture.JPEG, 2000, 1},
		"grey JPEG":        {encodeJPEG(t, image.NewGray(image.Rect(0, 0, 50, 20))), picture.JPEG, 50, 20},
		"progressive JPEG": {progressive(100, 70, 1), picture.JPEG, 100, 70},
		"photo in PNG":     {encodePNG(t, photo(320, 240)), picture.JPEG, 320, 240},
		"noise in PNG":     {encodePNG(t, noise), picture.JPEG, 1500, 1000},
		"signature":        {encodePNG(t, signature(320, 240)), picture.PNG, 320, 240},
		"large signature":  {encodePNG(t, signature(4000, 1000)), picture.PNG, 2000, 500},
		"16-bit PNG":       {encodePNG(t, grey16), picture.PNG, 30, 20},
		"black and white": {encodePNG(t,
			image.NewPaletted(image.Rect(0, 0, 9, 9), color.Palette{color.Black, color.White})), picture.PNG, 9, 9},
		"lossless WebP":    {riff(lossless(300, 200, color.NRGBA{1, 2, 3, 255})), picture.PNG, 300, 200},
		"transparent WebP": {riff(lossless(30, 20, color.NRGBA{1, 2, 3, 40})), picture.PNG, 30, 20},
		"lossy WebP":       {fromBase64(t, lossyWebP), picture.PNG, 1, 1},
		"JPEG with fill bytes": {after(2, encodeJPEG(t, photo(32, 16)), []byte{0xff, 0xff, 0xff},
			segment(0xfe, "c")), picture.JPEG, 32, 16},
		"JPEG with garbage": {after(2, encodeJPEG(t, photo(32, 16)),
			[]byte{0xff, 0xfe, 0, 3, 'x', 'g', 'a', 'r', 'b', 'a', 'g', 'e'}), picture.JPEG, 32, 16},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cleaned, decoded := mustClean(t, c.data)
			if cleaned.Format != c.format || decoded.Bounds() != image.Rect(0, 0, c.width, c.height) {
				t.Errorf("got %s of %v, want %s of %d by %d", cleaned.Format, decoded.Bounds(), c.format, c.width, c.height)
			}
		})
	}
}

func TestHostileFiles(t *testing.T) {
	t.Parallel()
	jpeg, png := encodeJPEG(t, photo(64, 64)), encodePNG(t, photo(64, 64))
	webp := riff(lossless(64, 64, color.NRGBA{G: 1, A: 255}))
	cmyk := segment(0xc0, "\x08\x00\x40\x00\x40\x04\x01\x11\x00\x02\x11\x00\x03\x11\x00\x04\x11\x00")
	for name, data := range map[string][]byte{
		"empty":                nil,
		"text":                 []byte("a signature"),
		"SVG":                  []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>`),
		"GIF":                  []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"),
		"HEIC":                 []byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"),
		"PDF in front":         append([]byte("%PDF-1.7\n"), jpeg...),
		"only magic, JPEG":     []byte("\xff\xd8\xff"),
		"only magic, PNG":      []byte("\x89PNG\r\n\x1a\n"),
		"only magic, WebP":     []byte("RIFF\x04\x00\x00\x00WEBP"),
		"animation":            fromBase64(t, animatedWebP),
		"CMYK":                 after(2, jpeg, cmyk),
		"12-bit JPEG":          after(2, jpeg, segment(0xc1, "\x0c\x00\x40\x00\x40\x01\x01\x11\x00")),
		"arithmetic JPEG":      after(2, jpeg, segment(0xc9, "\x08\x00\x40\x00\x40\x01\x01\x11\x00")),
		"two frames":           after(2, jpeg, segment(0xc0, "\x08\x00\x40\x00\x40\x01\x01\x11\x00")),
		"scans without end":    progressive(64, 64, 65),
		"large progressive":    progressive(6000, 4000, 1)[:200],
		"JPEG, 65535 a side":   after(2, jpeg, segment(0xc0, "\x08\xff\xff\xff\xff\x01\x01\x11\x00")),
		"JPEG without pixels":  after(2, jpeg, segment(0xc0, "\x08\x00\x00\x00\x00\x01\x01\x11\x00")),
		"PNG, 2^31 a side":     header("\x7f\xff\xff\xff\x7f\xff\xff\xff\x08\x02\x00\x00\x00"),
		"PNG, 2^32 a side":     header("\xff\xff\xff\xff\xff\xff\xff\xff\x08\x02\x00\x00\x00"),
		"PNG, too many pixels": header("\x00\x00\x13\x88\x00\x00\x13\x89\x08\x02\x00\x00\x00"),
		"PNG, 16 bits, large":  header("\x00\x00\x13\x00\x00\x00\x0f\xa0\x10\x06\x00\x00\x00"),
		"PNG, interlaced":      header("\x00\x00\x13\x00\x00\x00\x0f\xa0\x08\x06\x00\x00\x01"),
		"PNG without pixels":   header("\x00\x00\x00\x00\x00\x00\x00\x01\x08\x02\x00\x00\x00"),
		"WebP, 16384 a side":   riff(lossless(16384, 16384, color.NRGBA{})),
		"WebP, large":          riff(lossless(2001, 2000, color.NRGBA{})),
		"WebP, small outside": riff(riffChunk("VP8X", "\x00\x00\x00\x00\x01\x00\x00\x01\x00\x00"),
			lossless(2000, 2000, color.NRGBA{})),
		"PNG, wrong sum": append(append([]byte{}, png[:len(png)-20]...), make([]byte, 20)...),
		"cut JPEG":       jpeg[:len(jpeg)*2/3],
		"cut PNG":        png[:len(png)*2/3],
		"cut WebP":       webp[:len(webp)-4],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cleaned, err := picture.Clean(context.Background(), data, asProof)
			if !refusal.HasCode(err, refusal.CodeValidation) || !strings.Contains(err.Error(), "proof: expected ") {
				t.Errorf("got %q, %v, want a validation error at proof", cleaned.Format, err)
			}
		})
	}
}

// header returns a PNG with this body of its header, and without pixels.
func header(body string) []byte {
	return append([]byte("\x89PNG\r\n\x1a\n"), append(chunk("IHDR", body), chunk("IDAT", "")...)...)
}

func TestTooLarge(t *testing.T) {
	t.Parallel()
	padded := encodePNG(t, signature(20, 20))
	padded = append(padded, make([]byte, picture.MaxBytes-len(padded))...)
	mustClean(t, padded)
	if _, err := picture.Clean(context.Background(), append(padded, 0),
		asProof); !refusal.HasCode(err, refusal.CodePayloadTooLarge) {
		t.Errorf("a file of MaxBytes + 1: got %v, want payload_too_large", err)
	}
}

// TestTruncatedFiles: a file that is truncated anywhere is refused.
func TestTruncatedFiles(t *testing.T) {
	t.Parallel()
	for _, whole := range [][]byte{encodeJPEG(t,
		photo(24, 24)), encodePNG(t, signature(24, 24)), riff(lossless(24, 24, color.NRGBA{A: 9}))} {
		for length := range len(whole) - 2 {
			if _, err := picture.Clean(context.Background(), whole[:length],
				asProof); !refusal.HasCode(err, refusal.CodeValidation) {
				t.Errorf("%.4q, %d of %d bytes: got %v, want a validation error", whole, length, len(whole), err)
			}
		}
	}
}

func TestCleanCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := picture.Clean(ctx, encodeJPEG(t, photo(300, 300)), asProof); err == nil ||
		refusal.HasCode(err, refusal.CodeValidation) {
		t.Errorf("got %v, want the error of the context", err)
	}
}

// TestPicturesFitIntoTheirBytes cleans a transparent picture of noise, which cannot be
// compressed, with fewer and fewer bytes to fit into.
func TestPicturesFitIntoTheirBytes(t *testing.T) {
	t.Parallel()
	noise := image.NewNRGBA(image.Rect(0, 0, 600, 300))
	random := uint32(1)
	for i := range noise.Pix {
		random = random*1664525 + 1013904223
		noise.Pix[i] = byte(random >> 24)
	}
	data := encodePNG(t, noise)
	for bytes, side := range map[int]int{0: 512, 2 << 20: 512, 256 << 10: 256, 32 << 10: 128} {
		cleaned, err := picture.Clean(t.Context(), data, picture.Wanted{Field: "logo", Side: 512, Bytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		_, decoded := mustClean(t, cleaned.Data)
		if got := decoded.Bounds().Dx(); got != side || bytes > 0 && len(cleaned.Data) > bytes {
			t.Errorf("at most %d bytes: got %d, and %d pixels, want %d pixels", bytes, len(cleaned.Data), got, side)
		}
	}
}
