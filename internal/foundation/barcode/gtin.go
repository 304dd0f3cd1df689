// Package barcode knows what scanners read from products and parcels, and what they type of it.
package barcode

import "strings"

// GTIN returns the digits of a Global Trade Item Number without leading zeros. It is not ok for
// a text that is not one: 8, 12, 13 or 14 digits, of which the last one is the check digit. The
// same number may be written in several lengths, so numbers without zeros are compared.
func GTIN(text string) (digits string, ok bool) {
	switch len(text) {
	case 8, 12, 13, 14:
		if !IsDigits(text) || text[len(text)-1] != checkDigit(text[:len(text)-1]) {
			return "", false
		}
		digits = strings.TrimLeft(text, "0")
		return digits, digits != ""
	default:
		return "", false
	}
}

// checkDigit returns the check digit of GS1 for some digits: from the last to the first, they
// count three times and once in turns.
func checkDigit(digits string) byte {
	sum, weight := 0, 3
	for i := len(digits) - 1; i >= 0; i-- {
		sum += weight * int(digits[i]-'0')
		weight = 4 - weight
	}
	return '0' + byte((10-sum%10)%10)
}

// IsDigits reports whether a text consists of digits.
func IsDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// Same reports whether two codes are equal, or the same GTIN.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	number, ok := GTIN(a)
	other, known := GTIN(b)
	return ok && known && number == other
}

// Lengths returns a GTIN in all its lengths; nothing for other texts.
func Lengths(text string) (all []string) {
	digits, ok := GTIN(text)
	if !ok {
		return nil
	}
	for _, length := range []int{8, 12, 13, 14} {
		if len(digits) <= length {
			all = append(all, strings.Repeat("0", length-len(digits))+digits)
		}
	}
	return all
}
