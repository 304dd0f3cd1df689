package label

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// ZPL returns the labels of an order in ZPL II for a print head of the resolution, one format
// (^XA to ^XZ) for each parcel. Lines are broken here and not by the printer, which
// prints what is too long for a field over what is there already. They are measured
// in a font that is wider than the printer's. Lines in letters that printers may lack are
// pictures.
//
// clock is the time zone of the dropoff.
func ZPL(o *delivery.Order, resolution Resolution, clock *time.Location) []byte {
	var b, shared bytes.Buffer
	common, parcels := layout(o, clock)
	writePage(&shared, resolution.convert(common))
	for _, p := range parcels {
		fmt.Fprintf(&b, "^XA\n^CI28\n^PW%d\n^LL%d\n^LH0,0\n", resolution.round(width), resolution.round(height))
		b.Write(shared.Bytes())
		writePage(&b, resolution.convert(p))
		b.WriteString("^PQ1\n^XZ\n")
		runtime.Gosched()
	}
	return b.Bytes()
}

func writePage(b *bytes.Buffer, p *page) {
	for _, box := range p.boxes {
		fmt.Fprintf(b, "^FO%d,%d^GB%d,%d,%d^FS\n", box.x, box.y, box.width, box.height, min(box.width, box.height))
	}
	for _, t := range p.texts {
		if t.font.family == extendedFamily {
			writePicture(b, t)
			continue
		}
		reverse := ""
		if t.inverse {
			reverse = "^FR"
		}
		fmt.Fprintf(b, "^FO%d,%d^A0N,%d,%d%s%s\n", t.x, t.y, t.size, t.size, reverse, field(t.text))
	}
	if p.bars != nil {
		writeBars(b, p.bars)
	}
	if s := p.qr; s != nil {
		// Printers draw a QR code 10 dots below the field's origin.
		const shift = 10
		fmt.Fprintf(b, "^FO%d,%d^BQN,2,%d%s\n", s.x, s.y-shift, s.module, field("MA,"+s.text))
	}
}

// writePicture writes a line as a picture: rows of bits in hexadecimal. A comma stands for
// zeros up to the end of a row, and a colon for a row like the last.
func writePicture(b *bytes.Buffer, t line) {
	picture := t.font.load().picture(t.text, t.size)
	bounds := picture.Bounds()
	if bounds.Empty() {
		return
	}
	perRow := (bounds.Dx() + 7) / 8
	x, y := t.x+bounds.Min.X, t.y+t.size*baseline/100+bounds.Min.Y
	fmt.Fprintf(b, "^FO%d,%d^GFA,%d,%d,%d,", max(0, x), max(0, y), perRow*bounds.Dy(), perRow*bounds.Dy(), perRow)
	last := ""
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		row := make([]byte, perRow)
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if black(picture, x, y) {
				row[(x-bounds.Min.X)/8] |= 0x80 >> ((x - bounds.Min.X) % 8)
			}
		}
		written := fmt.Sprintf("%X", row)
		if short := strings.TrimRight(written, "0"); short != written {
			written = short + ","
		}
		if written == last {
			b.WriteByte(':')
			continue
		}
		b.WriteString(written)
		last = written
	}
	b.WriteString("^FS\n")
}

// writeBars writes the text of a Code 128. In mode A a printer packs digits itself.
// It takes ">" for the start of a command, so a text with ">" is written letter by
// letter, in subset B.
func writeBars(b *bytes.Buffer, bars *bars) {
	mode, text := "A", bars.text
	if strings.Contains(text, ">") {
		mode, text = "N", ">:"+strings.ReplaceAll(text, ">", ">0")
	}
	fmt.Fprintf(b, "^FO%d,%d^BY%d^BCN,%d,N,N,N,%s%s\n", bars.x, bars.y, bars.module, bars.height, mode, field(text))
}

// field returns a text as field data. Characters that a printer could take for a
// command are written in hexadecimal (^FH), so that a name cannot print a label.
func field(text string) string {
	var b strings.Builder
	for _, letter := range []byte(text) {
		if letter < ' ' || letter == 0x7f || strings.IndexByte(`^~\_`, letter) >= 0 {
			fmt.Fprintf(&b, "_%02X", letter)
			continue
		}
		b.WriteByte(letter)
	}
	return "^FH^FD" + b.String() + "^FS"
}
