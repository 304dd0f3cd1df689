package credential

import (
	_ "embed"
	"strings"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// minPassword and maxPassword are the length of a new password in characters.
const (
	minPassword = 8
	maxPassword = 128
)

// The rules for passwords. A new password must have a minimum length and not be
// among those that attackers try first; there are no rules about kinds of
// characters, which make passwords worse (NIST SP 800-63B). A known password may
// have been chosen under earlier rules, and only has to be worth hashing.
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

// possiblePassword reports whether the text can be a password under any rules.
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

// isCommon reports whether the password is a common one. It ignores case, as
// attackers' guesses vary it too.
func isCommon(password string) bool { return common[strings.ToLower(password)] }
