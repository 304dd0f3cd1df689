package picture_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/picture"
)

// photo returns a picture with many colours.
func photo(width, height int) *image.RGBA {
	made := image.NewRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			made.SetRGBA(x, y, color.RGBA{uint8(x * 255 / width), uint8(y * 255 / height), uint8((x ^ y) & 0x3f), 255})
		}
	}
	return made
}

// signature returns a stroke on a transparent ground.
func signature(width, height int) *image.NRGBA {
	made := image.NewNRGBA(image.Rect(0, 0, width, height))
	for x := range width {
		y := height/2 + x%7
		made.SetNRGBA(x, y, color.NRGBA{0, 0, 60, 255})
		made.SetNRGBA(x, y+1, color.NRGBA{0, 0, 60, 90})
	}
	return made
}

func encodeJPEG(t testing.TB, from image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := jpeg.Encode(&file, from, &jpeg.Options{Quality: 90}); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func encodePNG(t testing.TB, from image.Image) []byte {
	t.Helper()
	var file bytes.Buffer
	if err := png.Encode(&file, from); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// after returns data with more inserted after the first n bytes.
func after(n int, data []byte, more ...[]byte) []byte {
	return bytes.Join([][]byte{data[:n], bytes.Join(more, nil), data[n:]}, nil)
}

// segment returns a segment of a JPEG.
func segment(marker byte, body string) []byte {
	return append(binary.BigEndian.AppendUint16([]byte{0xff, marker}, uint16(len(body)+2)), body...)
}

// chunk returns a chunk of a PNG.
func chunk(id, body string) []byte {
	all := append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), id+body...)
	return binary.BigEndian.AppendUint32(all, crc32.ChecksumIEEE(all[4:]))
}

// riff returns a WebP with these chunks.
func riff(chunks ...[]byte) []byte {
	body := append([]byte("WEBP"), bytes.Join(chunks, nil)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

func riffChunk(id, body string) []byte {
	all := append(binary.LittleEndian.AppendUint32([]byte(id), uint32(len(body))), body...)
	return append(all, make([]byte, len(body)%2)...)
}

// exif returns EXIF data with an orientation, followed by the planted text.
func exif(order binary.AppendByteOrder, orientation uint16) string {
	all := []byte("II*\x00")
	if order.String() == "BigEndian" {
		all = []byte("MM\x00*")
	}
	all = order.AppendUint32(all, 8)
	all = order.AppendUint16(all, 2)
	for _, entry := range []struct{ tag, value uint16 }{{0x0100, 7}, {0x0112, orientation}} {
		all = order.AppendUint16(all, entry.tag)
		all = order.AppendUint16(all, 3)
		all = order.AppendUint32(all, 1)
		all = order.AppendUint16(all, entry.value)
		all = order.AppendUint16(all, 0)
	}
	return "Exif\x00\x00" + string(all) + planted
}

// bits writes bits in the order of VP8L: the lowest first.
type bits struct {
	done []byte
	used int
}

func (b *bits) write(value, count int) {
	for i := range count {
		if b.used%8 == 0 {
			b.done = append(b.done, 0)
		}
		b.done[len(b.done)-1] |= byte(value>>i&1) << (b.used % 8)
		b.used++
	}
}

// lossless returns the VP8L of a picture of one colour. Every code has one symbol,
// so that the pixels take no bits.
func lossless(width, height int, shown color.NRGBA) []byte {
	b := &bits{}
	b.write(0x2f, 8)
	b.write(width-1, 14)
	b.write(height-1, 14)
	b.write(1, 4) // transparency is used; version 0
	b.write(0, 3) // no transform, no cache, no groups
	for _, symbol := range []uint8{shown.G, shown.R, shown.B, shown.A, 0} {
		b.write(1+0<<1+1<<2, 3) // simple, one symbol, of 8 bits
		b.write(int(symbol), 8)
	}
	return riffChunk("VP8L", string(b.done))
}

// progressive returns a grey JPEG with a number of scans, each of which describes
// a picture in mid-grey.
func progressive(width, height, scans int) []byte {
	blocks := (width + 7) / 8 * ((height + 7) / 8)
	file := append([]byte{0xff, 0xd8}, segment(0xdb, "\x00"+string(bytes.Repeat([]byte{1}, 64)))...)
	frame := binary.BigEndian.AppendUint16([]byte{8}, uint16(height))
	frame = append(binary.BigEndian.AppendUint16(frame, uint16(width)), 1, 1, 0x11, 0)
	file = append(file, segment(0xc2, string(frame))...)
	file = append(file, segment(0xc4, "\x00\x01"+string(make([]byte, 15))+"\x00")...)
	for range scans {
		file = append(file, segment(0xda, "\x01\x01\x00\x00\x00\x00")...)
		file = append(file, make([]byte, (blocks+7)/8)...)
	}
	return append(file, 0xff, 0xd9)
}

func fromBase64(t testing.TB, text string) []byte {
	t.Helper()
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Two pictures of one pixel that Go's libraries cannot encode.
const (
	lossyWebP    = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"
	animatedWebP = "UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYAAAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA"
)

// asProof is what proofs of delivery want of a picture.
var asProof = picture.Wanted{Field: "proof", Side: 2000}

// mustClean cleans a file and decodes the picture.
func mustClean(t testing.TB, data []byte) (picture.Picture, image.Image) {
	t.Helper()
	cleaned, err := picture.Clean(context.Background(), data, asProof)
	if err != nil {
		t.Fatal(err)
	}
	decoded, format, err := image.Decode(bytes.NewReader(cleaned.Data))
	if err != nil || "image/"+format != cleaned.Format.ContentType() {
		t.Fatalf("got a picture of format %s that decodes as %q, %v", cleaned.Format, format, err)
	}
	return cleaned, decoded
}
