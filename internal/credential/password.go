package credential

import (
	_ "embed"
	"strings"
	"unicode/utf8"
)

// The bounds of a new password, in characters.
const (
	minPassword = 8
	maxPassword = 128
)

// PasswordForm tells what GoodPassword asks for.
const PasswordForm = "a password of 8 to 128 characters that is not among the most common"

// GoodPassword tells whether somebody may choose the password: its length, and
// that it is not one that everybody tries first. There are no rules about kinds
// of characters; they make passwords worse (NIST SP 800-63B).
func GoodPassword(password string) bool {
	return PossiblePassword(password) && utf8.RuneCountInString(password) >= minPassword && !isCommon(password)
}

// PossiblePassword tells whether the text could be anybody's password, whatever
// the rules were when it was chosen. Nothing else is worth hashing.
func PossiblePassword(text string) bool {
	return text != "" && len(text) <= utf8.UTFMax*maxPassword && utf8.RuneCountInString(text) <= maxPassword
}

//go:embed common_passwords.txt
var commonFile string

// common holds the most common passwords of at least minPassword characters,
// in lower case.
var common = readCommon(commonFile)

func readCommon(file string) map[string]bool {
	passwords := map[string]bool{}
	for _, password := range strings.Fields(file) {
		passwords[password] = true
	}
	return passwords
}

// isCommon ignores case, which guessing does too.
func isCommon(password string) bool { return common[strings.ToLower(password)] }
