package picture_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/color"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/picture"
)

// resized returns a JPEG whose header says that it has other sides.
func resized(t *testing.T, file []byte, width, height uint16) []byte {
	t.Helper()
	file = bytes.Clone(file)
	at := bytes.Index(file, []byte("\xff\xc0"))
	if at < 0 {
		t.Fatal("got a JPEG without a frame")
	}
	binary.BigEndian.PutUint16(file[at+5:], height)
	binary.BigEndian.PutUint16(file[at+7:], width)
	return file
}

// TestPicturesOfPhones: a current phone takes 24.5 megapixels by default. That is accepted, and
// what is above 25 is not.
func TestPicturesOfPhones(t *testing.T) {
	t.Parallel()
	plain := image.NewPaletted(image.Rect(0, 0, 5712, 4284), color.Palette{color.White, color.Black})
	if _, err := picture.Clean(context.Background(), encodePNG(t, plain), asProof); err != nil {
		t.Errorf("24.5 megapixels: got %v, want a picture", err)
	}
	small := encodeJPEG(t, photo(64, 64))
	for want, file := range map[string][]byte{
		"picture_complete": resized(t, small, 5000, 5000), // it has fewer pixels than its header says
		"picture_pixels":   resized(t, small, 5000, 5001),
	} {
		_, err := picture.Clean(context.Background(), file, asProof)
		if got := form.ProblemsOf(err); len(got) != 1 || got[0].Rule.Code() != want {
			t.Errorf("got %v, want the fault %s", err, want)
		}
	}
}

// TestHEICIsRefusedWithTheSetting: phones write HEIC by default, and the refusal names the
// settings of phones that change that.
func TestHEICIsRefusedWithTheSetting(t *testing.T) {
	t.Parallel()
	for brand, want := range map[string]string{
		"heic": "picture_heic", "heix": "picture_heic", "mif1": "picture_heic", "avif": "picture_format",
		"isom": "picture_format",
	} {
		_, err := picture.Clean(context.Background(), []byte("\x00\x00\x00\x18ftyp"+brand+"\x00\x00\x00\x00mif1heic"),
			asProof)
		got := form.ProblemsOf(err)
		if len(got) != 1 || got[0].Rule.Code() != want ||
			want == "picture_heic" && !strings.Contains(got[0].Expected, "iPhone: Settings, Camera, Formats, Most Compatible") {
			t.Errorf("%s: got %v, want the fault %s", brand, err, want)
		}
	}
}
