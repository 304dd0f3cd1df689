package credential

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// The bounds of a new password, in characters.
const (
	minPassword = 8
	maxPassword = 128
)

// The rules for passwords. A new one must have a fair length and not be one that
// everybody tries first; there are no rules about kinds of characters, which
// make passwords worse (NIST SP 800-63B). One that was chosen before may be
// whatever the rules were then.
var (
	NewPasswordRule = form.TextRule{
		Expected: "a password of 8 to 128 characters that is not among the most common",
		Allows:   goodPassword,
	}
	KnownPasswordRule = form.TextRule{Expected: "a password of 1 to 128 characters", Allows: possiblePassword}
)

func goodPassword(password string) bool {
	return possiblePassword(password) && utf8.RuneCountInString(password) >= minPassword && !isCommon(password)
}

// possiblePassword tells whether the text could be anybody's password. Nothing
// else is worth hashing.
func possiblePassword(text string) bool {
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
