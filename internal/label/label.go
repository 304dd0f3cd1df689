// Package label draws the labels that go onto parcels: 4 by 6 inches, one for
// each parcel of an order, as PDF or in ZPL, the language of label printers.
//
// Both show the same page (layout.go), laid out in dots of 203 per inch, the
// coarsest print head in use, so that every bar of a code is a whole number of
// dots. A page carries two codes: a QR code of the order's tracking URL, and a
// Code 128 of the parcel (see Code128). Scan reads what only this service can
// resolve; everything else that a scanner reads is text to search for.
//
// It is pure: the same order gives the same bytes.
package label

import (
	"encoding/base32"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
)

const (
	orderPrefix = "ord_"
	// An order's id has 160 bits: 49 digits. Three more count the parcel.
	orderDigits  = 49
	parcelDigits = 3
)

// idLetters are those of an order's id.
var idLetters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// number names a parcel in digits, because Code 128 packs two of them into the
// space of one letter: the order's id and the parcel's place, from 1. It is empty
// for an id that this service does not give out.
func number(orderID string, place int) string {
	if _, ok := delivery.PartnerOfOrder(orderID); !ok {
		return ""
	}
	bits, err := idLetters.DecodeString(strings.TrimPrefix(orderID, orderPrefix))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%0*s%0*d", orderDigits, new(big.Int).SetBytes(bits), parcelDigits, place)
}

var (
	numberForm = regexp.MustCompile(`^[0-9]{52}$`)
	pathForm   = regexp.MustCompile(`/track/(ord_[0-9a-z]{32})(?:/html)?/?$`)
)

// Scan resolves what a scanner read from a label, or what somebody typed in its
// place: a tracking URL (of any host: a service may move) or an order's id gives
// the order, a parcel's number also the place of the parcel in it, from 1; 0 is
// all of them. Any other text is not ok: it is a barcode or a parcel_id, and is
// to be searched for. So is a number whose order does not exist, which can only
// be a partner's own barcode.
func Scan(text string) (orderID string, place int, ok bool) {
	text = strings.TrimSpace(text)
	if _, ok := delivery.PartnerOfOrder(text); ok {
		return text, 0, true
	}
	if numberForm.MatchString(text) {
		return readNumber(text)
	}
	target, err := url.Parse(text)
	if err != nil || target.Host == "" {
		return "", 0, false
	}
	found := pathForm.FindStringSubmatch(target.Path)
	if found == nil {
		return "", 0, false
	}
	_, ok = delivery.PartnerOfOrder(found[1])
	return found[1], 0, ok
}

func readNumber(digits string) (orderID string, place int, ok bool) {
	value, _ := new(big.Int).SetString(digits[:orderDigits], 10)
	place, _ = strconv.Atoi(digits[orderDigits:])
	var bits [20]byte
	if value.BitLen() > 8*len(bits) || place < 1 || place > delivery.MaxParcels {
		return "", 0, false
	}
	return orderPrefix + idLetters.EncodeToString(value.FillBytes(bits[:])), place, true
}
