package delivery

import "strings"

// phoneSpace is what people write between the digits of a phone number.
var phoneSpace = strings.NewReplacer(" ", "", "\u00a0", "", "-", "", ".", "", "(", "", ")", "")

// InternationalPhone adds the country code to a Canadian phone number that was typed without it, and removes
// what people write between the digits. It is not ok for a text that is not a phone number.
func InternationalPhone(text string) (digits string, ok bool) {
	digits = phoneSpace.Replace(text)
	switch {
	case strings.HasPrefix(digits, "+"):
	case len(digits) == 10:
		digits = "+1" + digits
	case len(digits) == 11 && digits[0] == '1':
		digits = "+" + digits
	}
	return digits, PhoneRule.Allows(digits)
}
