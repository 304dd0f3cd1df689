package credential

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

// Sealer encrypts what has to be read again, such as the secret of an API key:
// AES-256-GCM with a random nonce. One key is good for 2^32 seals. It may be
// used by many goroutines.
type Sealer struct{ aead cipher.AEAD }

// sealFormat is the first byte of all that is sealed, so that another cipher
// can take over one day.
const sealFormat = 1

// ErrUnsealed tells that sealed bytes were damaged, or were sealed under
// another key or for another owner.
var ErrUnsealed = errors.New("the sealed secret is damaged or belongs to another key")

// NewSealer makes a sealer with a key of 32 bytes, as MasterKey.Derive gives.
func NewSealer(key []byte) (*Sealer, error) {
	if len(key) != keyBytes {
		return nil, fmt.Errorf("a sealing key has %d bytes, want %d", len(key), keyBytes)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	return &Sealer{aead}, nil
}

// Seal encrypts a secret for an owner, such as the id of the row that keeps it:
// only the same owner opens it, and so it cannot be moved to another row.
func (s *Sealer) Seal(secret []byte, owner string) []byte {
	return s.aead.Seal([]byte{sealFormat}, nil, secret, []byte(owner))
}

// Open decrypts what was sealed for the owner. Any failure is ErrUnsealed.
func (s *Sealer) Open(sealed []byte, owner string) ([]byte, error) {
	if len(sealed) == 0 || sealed[0] != sealFormat {
		return nil, ErrUnsealed
	}
	secret, err := s.aead.Open(nil, nil, sealed[1:], []byte(owner))
	if err != nil {
		return nil, ErrUnsealed
	}
	return secret, nil
}
