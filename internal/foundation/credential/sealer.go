package credential

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
)

// Sealer encrypts secrets that have to be read again, such as that of an API key,
// by AES-256-GCM with a random nonce. One key is good for 2^32 seals. A Sealer may
// be used by many goroutines.
type Sealer struct{ aeads []cipher.AEAD }

// sealFormat is the first byte of everything sealed, so that another cipher can be
// introduced later.
const sealFormat = 1

// ErrUnsealed means that sealed bytes are damaged, or were sealed under another key
// or for another owner.
var ErrUnsealed = errors.New("the sealed secret is damaged or belongs to another key")

// NewSealer returns a sealer with a key of 32 bytes, as MasterKey.Derive returns. It
// also opens what was sealed under the other keys.
func NewSealer(key []byte, others ...[]byte) (*Sealer, error) {
	sealer := &Sealer{}
	for _, key := range append([][]byte{key}, others...) {
		aead, err := newAEAD(key)
		if err != nil {
			return nil, err
		}
		sealer.aeads = append(sealer.aeads, aead)
	}
	return sealer, nil
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	if len(key) != keyBytes {
		return nil, fmt.Errorf("the sealing key has %d bytes, want %d", len(key), keyBytes)
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal encrypts a secret for an owner, such as the id of the row that holds it.
// Open needs the same owner, so that a sealed secret cannot be moved to another row.
func (s *Sealer) Seal(secret []byte, owner string) []byte {
	return s.aeads[0].Seal([]byte{sealFormat}, nil, secret, []byte(owner))
}

// Open decrypts a secret that was sealed for the owner. Its only error is
// ErrUnsealed.
func (s *Sealer) Open(sealed []byte, owner string) ([]byte, error) {
	if len(sealed) == 0 || sealed[0] != sealFormat {
		return nil, ErrUnsealed
	}
	for _, aead := range s.aeads {
		if secret, err := aead.Open(nil, nil, sealed[1:], []byte(owner)); err == nil {
			return secret, nil
		}
	}
	return nil, ErrUnsealed
}
