// Package label draws the labels of parcels: 4 by 6 inches, one for each parcel of
// an order, as PDF or in ZPL, the language of label printers.
//
// Both show the same page (layout.go). It is laid out in dots of 203 per inch, the
// coarsest print head in use, so that every bar of a code is a whole number of
// dots wide. A page has two codes: a QR code of the order's tracking URL, and a
// Code 128 of the parcel (see Code128). Scan resolves the codes that name an order;
// any other text that a scanner reads is to be searched for.
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
	"github.com/dropyard/dropyard/internal/foundation/barcode"
)

const (
	orderPrefix = "ord_"
	// An order's id has 160 bits, which take 49 digits. Three more are the parcel's
	// place.
	orderDigits  = 49
	parcelDigits = 3
)

// idLetters encodes the letters of an order's id.
var idLetters = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

// Number returns the short number of an order, which a courier can read aloud: the
// last six letters of its id, in capitals. They are random, and none of them is I, L,
// O or U. A search on the board finds the order by them.
func Number(orderID string) string {
	const letters = 6
	return strings.ToUpper(orderID[max(0, len(orderID)-letters):])
}

// parcelNumber returns the order's id and the parcel's place, from 1, in digits,
// because Code 128 packs two digits into the space of one letter. It is empty if
// the id is not one of this service.
func parcelNumber(orderID string, place int) string {
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
	pathForm   = regexp.MustCompile(`(?i)/track/(ord_[0-9a-z]{32})(?:/html)?/?$`)
)

// Scan resolves a text that was read from a label or typed. A tracking URL, of any
// host because a service may move, and an order's id name an order; then place is
// 0. A parcel's number also gives the place of the parcel in the order, from 1. All
// readings of the text are tried (barcode.Readings), and ids in capitals are read.
//
// Any other text is not ok: it may be a barcode or a parcel_id, and the caller is
// to search for it. So is a number whose order does not exist, which is a
// partner's own barcode.
func Scan(text string) (orderID string, place int, ok bool) {
	for _, reading := range barcode.Readings(text) {
		if orderID, place, ok = resolve(reading); ok {
			return orderID, place, true
		}
	}
	return "", 0, false
}

// Meant returns the id of the order if a text that was typed into a search is its code, or the
// text as it is.
func Meant(text string) string {
	if orderID, _, ok := Scan(text); ok {
		return orderID
	}
	return text
}

func resolve(text string) (orderID string, place int, ok bool) {
	if id := strings.ToLower(text); isOrderID(id) {
		return id, 0, true
	}
	if numberForm.MatchString(text) {
		return parseNumber(text)
	}
	target, err := url.Parse(text)
	if err != nil || target.Host == "" {
		return "", 0, false
	}
	found := pathForm.FindStringSubmatch(target.Path)
	if found == nil {
		return "", 0, false
	}
	orderID = strings.ToLower(found[1])
	return orderID, 0, isOrderID(orderID)
}

func isOrderID(text string) bool {
	_, ok := delivery.PartnerOfOrder(text)
	return ok
}

func parseNumber(digits string) (orderID string, place int, ok bool) {
	value, _ := new(big.Int).SetString(digits[:orderDigits], 10)
	place, _ = strconv.Atoi(digits[orderDigits:])
	var bits [20]byte
	if value.BitLen() > 8*len(bits) || place < 1 || place > delivery.MaxParcels {
		return "", 0, false
	}
	return orderPrefix + idLetters.EncodeToString(value.FillBytes(bits[:])), place, true
}
