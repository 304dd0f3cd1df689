package label

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// ZPL returns the labels of an order in ZPL II for a printer of 203 dpi, one format
// (^XA to ^XZ) for each parcel. Lines are broken here and not by the printer, which
// prints what is too long for a field over what is there already. They are measured
// in a font that is wider than the printer's.
//
// clock is the time zone of the dropoff.
func ZPL(o *delivery.Order, clock *time.Location) []byte {
	var b bytes.Buffer
	common, parcels := layout(o, clock)
	for _, p := range parcels {
		fmt.Fprintf(&b, "^XA\n^CI28\n^PW%d\n^LL%d\n^LH0,0\n", width, height)
		writePage(&b, common)
		writePage(&b, p)
		b.WriteString("^PQ1\n^XZ\n")
	}
	return b.Bytes()
}

func writePage(b *bytes.Buffer, p *page) {
	for _, box := range p.boxes {
		fmt.Fprintf(b, "^FO%d,%d^GB%d,%d,%d^FS\n", box.x, box.y, box.width, box.height, min(box.width, box.height))
	}
	for _, t := range p.texts {
		reverse := ""
		if t.inverse {
			reverse = "^FR"
		}
		fmt.Fprintf(b, "^FO%d,%d^A0N,%d,%d%s%s\n", t.x, t.y, t.size, t.size, reverse, field(strings.ReplaceAll(t.text, string(missing), "?")))
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

// writeBars writes the text of a Code 128. In mode A a printer packs digits itself.
// It takes ">" for the start of a command, so a text with ">" is written letter by
// letter, in subset B.
func writeBars(b *bytes.Buffer, bars *bars) {
	mode, text := "A", bars.text
	if strings.Contains(text, ">") {
		mode, text = "N", ">:"+strings.ReplaceAll(text, ">", ">0")
	}
	fmt.Fprintf(b, "^FO%d,%d^BY%d^BCN,%d,N,N,N,%s%s\n", bars.x, barsTop, bars.module, barsHeight, mode, field(text))
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
