package credential

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// The least length of a new password in characters, by kind of account.
const (
	MinUserPassword     = 8 // of partners' people
	MinOperatorPassword = 12
)

// maxPassword is the greatest length of a password in characters.
const maxPassword = 128

// product is a word that people choose as their password for this service, with up to
// maxTail digits and signs behind it.
const (
	product = "dropyard"
	maxTail = 8
)

// KnownPasswordRule allows what can be a password under any rules. A known password
// may have been chosen under earlier rules, and only has to be worth hashing.
var KnownPasswordRule = form.TextRule{Rule: knownPassword, Allows: possiblePassword}

var (
	knownPassword = form.Define("known_password", fmt.Sprintf("a password of 1 to %d characters", maxPassword))
	newPassword   = form.Define("new_password", fmt.Sprintf("a password of {least} to %d characters "+
		"that is neither among the most common nor the name or address of the account", maxPassword))
)

// NewPasswordRule returns the rule for a new password of an account with the given
// names and addresses. The password must have a minimum length. It must not be one
// that attackers try first: a common one, the product's name, or one of the account's
// own. Only the whole password is compared, without regard to case, because a rule
// about parts of it refuses good passwords (ASVS 5.0). There are no rules about kinds
// of characters, which make passwords worse (NIST SP 800-63B).
func NewPasswordRule(least int, own ...string) form.TextRule {
	return form.TextRule{
		Rule: newPassword.With("least", least),
		Allows: func(password string) bool {
			return possiblePassword(password) && utf8.RuneCountInString(password) >= least && !isGuess(password, own)
		},
	}
}

// possiblePassword reports whether the text can be a password under any rules.
func possiblePassword(text string) bool {
	return text != "" && len(text) <= utf8.UTFMax*maxPassword && utf8.RuneCountInString(text) <= maxPassword
}

//go:embed common_passwords.txt
var commonFile string

// common returns the most common passwords of at least MinUserPassword characters, in
// lower case. Where they are from is in THIRD_PARTY_NOTICES.md.
var common = sync.OnceValue(func() map[string]bool {
	passwords := map[string]bool{}
	for password := range strings.Lines(commonFile) {
		passwords[strings.TrimSuffix(password, "\n")] = true
	}
	return passwords
})

// isGuess reports whether the password is one that attackers try first. It ignores
// case, as their guesses vary it too.
func isGuess(password string, own []string) bool {
	is := func(text string) bool { return strings.EqualFold(password, text) }
	return common()[strings.ToLower(password)] || isProduct(password) || slices.ContainsFunc(own, is)
}

// isProduct reports whether the password is the product's name, or that and a short tail
// without letters, such as a year.
func isProduct(password string) bool {
	tail, found := strings.CutPrefix(strings.ToLower(password), product)
	return found && len(tail) <= maxTail && !strings.ContainsFunc(tail, unicode.IsLetter)
}
