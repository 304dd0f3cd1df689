package credential

import (
	"io"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"
)

// CodeRule allows what can be a code of an authenticator app, or a recovery code.
var CodeRule = form.TextRule{
	Rule:   form.Define("sign_in_code", "the 6 digits that the authenticator app shows, or a recovery code"),
	Allows: form.AnyLength(1, 64).Allows,
}

// totpPeriod is how long an authenticator app shows a code, in seconds.
const totpPeriod = 30

// NewTOTP returns a secret for time-based codes (RFC 6238), in base32, and the same
// as a URI, which authenticator apps read from a QR code. The codes have 6 digits,
// change every 30 s and are made with SHA-1, because some apps know nothing else.
func NewTOTP(random io.Reader, issuer, account string) (secret, uri string, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: issuer, AccountName: account, Rand: random})
	if err != nil {
		return "", "", err
	}
	return key.Secret(), key.URL(), nil
}

// TOTPStep returns the step of time that a code is for, if that is the current one or
// a neighbour, and comes after the step of the last code that was accepted. Thus each
// code is accepted once. It reports false for any other code.
func TOTPStep(secret, code string, now time.Time, last int64) (step int64, ok bool) {
	current := now.Unix() / totpPeriod
	for step := max(current-1, last+1); step <= current+1; step++ {
		if right, err := hotp.ValidateCustom(code, uint64(step), secret, hotp.ValidateOpts{Digits: 6}); err == nil && right {
			return step, true
		}
	}
	return 0, false
}

// recoveryCodes is how many recovery codes a person gets.
const recoveryCodes = 10

// NewRecoveryCodes returns codes that stand in for those of a lost authenticator app,
// each once, and what to store of them. A fast hash is enough for 80 random bits.
func NewRecoveryCodes(random io.Reader) (codes []string, hashes [][]byte, err error) {
	for range recoveryCodes {
		code, err := identifier.Draw(random, "", 10)
		if err != nil {
			return nil, nil, err
		}
		code = strings.Join([]string{code[:4], code[4:8], code[8:12], code[12:]}, "-")
		codes, hashes = append(codes, code), append(hashes, HashRecoveryCode(code))
	}
	return codes, hashes, nil
}

// HashRecoveryCode returns what is stored of a recovery code. Case, spaces and
// hyphens do not matter.
func HashRecoveryCode(code string) []byte {
	return HashToken(strings.ToLower(strings.NewReplacer("-", "", " ", "").Replace(code)))
}
