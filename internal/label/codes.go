package label

import (
	"cmp"
	"image/color"
	"strings"

	"github.com/boombuler/barcode/code128"
	"github.com/dropyard/dropyard/internal/delivery"
	"rsc.io/qr"
)

// Code128 returns the text of the Code 128 of a parcel, whose place in its order
// counts from 1: its barcode, or its parcel_id if it has none. If that cannot be encoded in
// the width of a label it is the parcel's number, which Scan reads: a parcel_id is unique
// within its order only, so it does not stand in for a barcode. The text is empty if the
// order's id is not one of this service.
//
// Bars of two dots (10 mil) are the narrowest that thermal printers print and
// hand scanners read reliably. Between the quiet zones, which may overlap the
// margins, there is room for 31 letters or 62 digits. A text is not encoded if it
// has characters other than printable ASCII, or spaces at its ends, which scanners
// drop. A text is never shortened: a part of it would find nothing, or another
// parcel.
func Code128(o *delivery.Order, place int) string {
	parcel := o.Parcels[place-1]
	if own := cmp.Or(parcel.Barcode, parcel.ParcelID); printsAsBars(own) {
		return own
	}
	return parcelNumber(o.OrderID, place)
}

// printsAsBars reports whether a text can be a Code 128 on a label as it is. Each new order
// asks, and the length decides for nearly all.
func printsAsBars(text string) bool {
	switch {
	case !encodable(text), len(text) > 2*maxSymbols: // a symbol has two digits at most
		return false
	case len(text) <= maxSymbols:
		return true
	}
	return moduleWidth(text, bits128(text)) > 0
}

const (
	symbolModules = 11
	frameModules  = 2*symbolModules + 13 // the start, the checksum and the stop
	// maxSymbols is how many symbols have room on a label in modules of the least width.
	maxSymbols = (width/minModule - 2*quietBars - frameModules) / symbolModules

	minModule = 2 // the least width of a module, in dots
	maxModule = 4
	quietBars = 10  // the quiet zone on either side of a Code 128, in modules
	quietQR   = 4   // the quiet zone around a QR code, in modules
	qrSide    = 236 // of the QR code with its quiet zones, in dots
)

// moduleWidth returns the greatest width, in dots, of the modules of a text in
// Code 128. It is 0 if the text cannot be encoded, so that bits is empty, or does
// not fit.
func moduleWidth(text string, bits []bool) int {
	modules := len(bits)
	if modules == 0 {
		return 0
	}
	// A printer encodes a text with ">" letter by letter (see writeBars).
	if strings.Contains(text, ">") {
		modules = symbolModules*len(text) + frameModules
	}
	widest := width / (modules + 2*quietBars)
	if widest < minModule {
		return 0
	}
	return min(widest, maxModule)
}

// bits128 returns the modules of a text in Code 128, true for black. It is nil if
// the text cannot be encoded.
func bits128(text string) []bool {
	if !encodable(text) {
		return nil
	}
	code, err := code128.Encode(text)
	if err != nil {
		return nil
	}
	bits := make([]bool, code.Bounds().Dx())
	for x := range bits {
		bits[x] = code.At(x, 0) == color.Black
	}
	return bits
}

// encodable reports whether a text can be a Code 128 if it is short enough: it has no
// characters other than printable ASCII, and no spaces at its ends.
func encodable(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return text != "" && text[0] != ' ' && text[len(text)-1] != ' '
}

// bitsQR returns the modules of a text as a QR code with error correction M, row
// by row, true for black. It is nil if the text is empty or too long.
func bitsQR(text string) [][]bool {
	code, err := qr.Encode(text, qr.M)
	if text == "" || err != nil {
		return nil
	}
	rows := make([][]bool, code.Size)
	for y := range rows {
		rows[y] = make([]bool, code.Size)
		for x := range rows[y] {
			rows[y][x] = code.Black(x, y)
		}
	}
	return rows
}

// runs calls fn for every run of black modules.
func runs(bits []bool, fn func(start, length int)) {
	for x := 0; x < len(bits); x++ {
		start := x
		for x < len(bits) && bits[x] {
			x++
		}
		if x > start {
			fn(start, x-start)
		}
	}
}
