package label

import (
	"image/color"
	"strings"

	"github.com/boombuler/barcode"
	"github.com/boombuler/barcode/code128"
	"github.com/boombuler/barcode/qr"
	"github.com/dropyard/dropyard/internal/delivery"
)

// Code128 is the text of the Code 128 of a parcel, at its place from 1: its
// barcode; without one its parcel_id; and where neither can be coded in the width
// of a label, its number, which Scan reads.
//
// Bars of two dots (10 mil) are the narrowest that thermal printers print and
// hand scanners read reliably. Between quiet zones, which may take the margins,
// that leaves room for 31 letters, or 62 digits. A text of other than printable ASCII, or with spaces around it, which
// scanners drop, is not coded. Nor is a part of a text ever: it would find
// nothing, or another parcel.
func Code128(o *delivery.Order, place int) string {
	parcel := o.Parcels[place-1]
	for _, text := range []string{parcel.Barcode, parcel.ParcelID} {
		if module(text) > 0 {
			return text
		}
	}
	return number(o.OrderID, place)
}

const (
	quietBars  = 10 // modules on either side of Code 128
	thinnest   = 2  // dots of a module
	thickest   = 4
	squareSide = 236 // of the QR code with its quiet zones
	quietQR    = 4   // modules around a QR code
)

// module is how many dots wide the modules of a text in Code 128 can be; 0 if it
// cannot be coded, or does not fit.
func module(text string) int {
	modules := len(bits128(text))
	if modules == 0 {
		return 0
	}
	// A printer codes a text with ">" letter by letter (see writeBars).
	if strings.Contains(text, ">") {
		modules = 11*len(text) + 35
	}
	widest := width / (modules + 2*quietBars)
	if widest < thinnest {
		return 0
	}
	return min(widest, thickest)
}

// bits128 is a text in Code 128, true where it is black; nil if it cannot be
// coded.
func bits128(text string) []bool {
	for _, letter := range []byte(text) {
		if letter < ' ' || letter > '~' {
			return nil
		}
	}
	if text == "" || strings.TrimSpace(text) != text {
		return nil
	}
	code, err := code128.Encode(text)
	if err != nil {
		return nil
	}
	return row(code, 0)
}

// bitsQR is a text as a QR code with error correction M, row by row; nil if it is
// too long for any.
func bitsQR(text string) [][]bool {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if text == "" || err != nil {
		return nil
	}
	rows := make([][]bool, code.Bounds().Dy())
	for y := range rows {
		rows[y] = row(code, y)
	}
	return rows
}

func row(code barcode.Barcode, y int) []bool {
	bits := make([]bool, code.Bounds().Dx())
	for x := range bits {
		bits[x] = code.At(x, y) == color.Black
	}
	return bits
}

// runs calls fn for every run of black.
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
