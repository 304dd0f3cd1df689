// Package credential makes, stores and compares secrets: passwords, random tokens,
// the master key, and what is sealed under it. It does not know accounts; packages
// that have accounts use it.
package credential

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
)

// tokenBytes is the size of a token: 256 random bits.
const tokenBytes = 32

// Token returns a random secret of 256 bits: the prefix ("sk_", or none) and 43
// characters of base64url. It fails only if random does.
func Token(random io.Reader, prefix string) (string, error) {
	token := make([]byte, tokenBytes)
	if _, err := io.ReadFull(random, token); err != nil {
		return "", fmt.Errorf("read random bytes for a token: %w", err)
	}
	return prefix + base64.RawURLEncoding.EncodeToString(token), nil
}

// HashToken returns what to store of a token that only has to be recognised. A
// fast hash is enough, because 256 random bits cannot be guessed however fast each
// try is.
func HashToken(token string) []byte {
	hash := sha256.Sum256([]byte(token))
	return hash[:]
}
