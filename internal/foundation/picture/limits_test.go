package picture_test

import (
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"runtime"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestMemory is not parallel, because it measures what the whole process allocates. The
// largest pictures take seconds, so they are tried at full length only.
func TestMemory(t *testing.T) {
	type file struct {
		data    []byte
		refused bool
		most    uint64 // MiB
	}
	files := map[string]file{
		"refused by its header":   {header("\x00\x00\x1f\x40\x00\x00\x1f\x40\x08\x06\x00\x00\x00"), true, 1},
		"WebP of 268 megapixels":  {riff(lossless(16384, 16384, color.NRGBA{})), true, 1},
		"PNG of 2 megapixels":     {encodePNG(t, image.NewRGBA(image.Rect(0, 0, 2000, 1000))), false, 30},
		"WebP of 4 megapixels":    {riff(lossless(2000, 2000, color.NRGBA{A: 255})), false, 80},
		"photo of 3 megapixels":   {encodeJPEG(t, photo(2000, 1500)), false, 32},
		"scans, progressive, all": {progressive(3000, 2000, 64), false, 80},
	}
	if testkit.Long() {
		files["PNG of 24 megapixels"] = file{encodePNG(t, image.NewRGBA(image.Rect(0, 0, 6000, 4000))), false, 140}
		files["photo of 12 megapixels"] = file{encodeJPEG(t, photo(4000, 3000)), false, 60}
	}
	for name, c := range files {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := picture.Clean(context.Background(), c.data, asProof)
		runtime.ReadMemStats(&after)
		took := (after.TotalAlloc - before.TotalAlloc) >> 20
		t.Logf("%s: %d MiB for a file of %d kB", name, took, len(c.data)>>10)
		if (err != nil) != c.refused || took > c.most {
			t.Errorf("%s: got %d MiB, %v, want at most %d MiB, refused = %t", name, took, err, c.most, c.refused)
		}
	}
}

func FuzzClean(f *testing.F) {
	f.Add(after(2, encodeJPEG(f, photo(24, 24)), segment(0xe1, exif(binary.BigEndian, 8))))
	f.Add(encodePNG(f, signature(24, 24)))
	f.Add(riff(riffChunk("VP8X", "\x10\x00\x00\x00\x17\x00\x00\x17\x00\x00"), lossless(24, 24, color.NRGBA{A: 9})))
	f.Add(fromBase64(f, lossyWebP))
	f.Add(fromBase64(f, animatedWebP))
	f.Add(progressive(16, 16, 3))
	f.Fuzz(func(t *testing.T, data []byte) {
		cleaned, err := picture.Clean(context.Background(), data, asProof)
		if err != nil {
			if !refusal.HasCode(err, refusal.CodeValidation) && !refusal.HasCode(err, refusal.CodePayloadTooLarge) {
				t.Fatalf("got %v, want a refusal", err)
			}
			return
		}
		again, decoded := mustClean(t, cleaned.Data)
		if size := decoded.Bounds(); again.Format != cleaned.Format || size.Dx() > 2000 || size.Dy() > 2000 {
			t.Errorf("cleaned again: got %s of %v, want %s of at most 2000 by 2000", again.Format, size, cleaned.Format)
		}
	})
}

func BenchmarkPhotoOf12Megapixels(b *testing.B) {
	data := encodeJPEG(b, photo(4000, 3000))
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := picture.Clean(context.Background(), data, asProof); err != nil {
			b.Fatal(err)
		}
	}
}
