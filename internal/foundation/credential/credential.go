// Package credential is how secrets are made, kept and compared: passwords,
// random tokens, the master key and what is sealed under it. It knows nobody's
// account; whoever has accounts uses it.
package credential

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
)

// tokenBytes is the size of a token: 256 random bits.
const tokenBytes = 32

// Token draws a random secret of 256 bits: the prefix ("sk_", or none) and 43
// characters of base64url. It fails only if random does.
func Token(random io.Reader, prefix string) (string, error) {
	token := make([]byte, tokenBytes)
	if _, err := io.ReadFull(random, token); err != nil {
		return "", fmt.Errorf("draw a token: %w", err)
	}
	return prefix + base64.RawURLEncoding.EncodeToString(token), nil
}

// HashToken is what is kept of a token that only has to be recognised. A plain
// hash will do: nobody can guess 256 random bits, fast as each try may be.
func HashToken(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}
