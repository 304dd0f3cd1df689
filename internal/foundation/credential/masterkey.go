package credential

import (
	"bytes"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/dropyard/dropyard/internal/foundation/durable"
)

const keyBytes = 32

// MasterKey is the one secret of an installation that is stored outside of the
// database. All others are sealed under it or derived from it. Printing a master
// key does not show it.
type MasterKey struct{ secret [keyBytes]byte }

// String hides the key.
func (MasterKey) String() string { return "[master key]" }

// GoString hides the key from %#v too.
func (MasterKey) GoString() string { return "[master key]" }

// Fingerprint identifies the key without revealing it: 32 hexadecimal digits.
func (k MasterKey) Fingerprint() string {
	mac := hmac.New(sha256.New, k.secret[:])
	mac.Write([]byte("dropyard master key fingerprint"))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Derive returns a key of 32 bytes for one purpose, independent of the keys for
// other purposes. The same purpose always gives the same key.
func (k MasterKey) Derive(purpose string) []byte {
	key, err := hkdf.Key(sha256.New, k.secret[:], nil, "dropyard "+purpose, keyBytes)
	if err != nil { // happens only for keys of more than 8160 bytes
		panic(err)
	}
	return key
}

// The reasons why OpenMasterKey fails. The error also says what the operator of
// the service can do.
var (
	ErrMasterKeyMissing  = errors.New("the master key is missing")
	ErrMasterKeyOther    = errors.New("the master key is not the right one")
	ErrMasterKeyExposed  = errors.New("the master key can be read by others")
	ErrMasterKeyNotValid = errors.New("the master key cannot be read")
)

// OpenMasterKey reads the master key from its file. known is the fingerprint that
// the database holds of the key, empty for a new database; only then is a file that
// does not exist created, with a key read from random. A missing or different key
// is an error, and never replaced: without the right one, the API keys and webhook
// secrets in the database are lost.
//
// The file holds 32 bytes in base64 or hexadecimal, and may have lines that begin
// with #. While the key is being rotated, it also holds another key, on a line that
// begins with "next:" or "old:". Only its owner and the service's own group may have access
// to it.
func OpenMasterKey(path, known string, random io.Reader) (MasterKeys, error) {
	keys, err := readMasterKeys(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && known == "":
		return createMasterKey(path, random)
	case errors.Is(err, fs.ErrNotExist):
		return MasterKeys{}, fmt.Errorf(
			"%w: %s does not exist, but the database was set up with a key; put your copy of the file there, or that of another node",
			ErrMasterKeyMissing, path,
		)
	case err != nil:
		return MasterKeys{}, err
	case known != "" && !keys.Holds(known):
		return MasterKeys{}, fmt.Errorf(
			"%w: %s is not the key that the database was set up with (fingerprint %s, want %s): move it away, and put your copy of that key there, or the file of another node",
			ErrMasterKeyOther, path, keys.Fingerprint(), known)
	}
	return keys, nil
}

func readMasterKeys(path string) (MasterKeys, error) {
	info, err := os.Stat(path)
	if err != nil {
		return MasterKeys{}, fmt.Errorf("read the master key: %w", err)
	}
	if durable.Exposed(info) != 0 {
		return MasterKeys{},
			fmt.Errorf("%w: %s has mode %04o; run chmod 600 on it", ErrMasterKeyExposed, path, info.Mode().Perm())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return MasterKeys{}, fmt.Errorf("read the master key: %w", err)
	}
	keys, ok := parseMasterKeys(text)
	if !ok {
		return MasterKeys{}, fmt.Errorf(
			"%w: %s does not hold 32 bytes in base64 or hexadecimal; put your copy of the key there", ErrMasterKeyNotValid, path)
	}
	return keys, nil
}

func parseMasterKey(text []byte) (key MasterKey, ok bool) {
	trimmed := string(bytes.TrimSpace(text))
	for _, decode := range []func(string) ([]byte, error){
		hex.DecodeString,
		base64.StdEncoding.DecodeString,
		base64.RawStdEncoding.DecodeString,
		base64.URLEncoding.DecodeString,
		base64.RawURLEncoding.DecodeString,
	} {
		if secret, err := decode(trimmed); err == nil && len(secret) == keyBytes {
			return MasterKey{[keyBytes]byte(secret)}, true
		}
	}
	return MasterKey{}, false
}

// madeHere is the line that marks a key that the service has made itself.
const madeHere = "# made by dropyard at its first start; it belongs to one database"

// IsMadeByService reports whether the file of a master key says that the service has
// made the key itself. It does so only when there is a database, so a key that it has
// made means that there was one. It is false for a file that cannot be read.
func IsMadeByService(path string) bool {
	text, err := os.ReadFile(path)
	return err == nil && bytes.Contains(text, []byte(madeHere))
}

// createMasterKey creates a key and waits until the disk has it, before anything
// can be sealed under it.
func createMasterKey(path string, random io.Reader) (MasterKeys, error) {
	key, err := newMasterKey(random)
	if err != nil {
		return MasterKeys{}, err
	}
	err = durable.WriteNew(path, []byte(key.text()+madeHere+"\n"))
	if errors.Is(err, fs.ErrExist) { // another process has created one meanwhile
		return readMasterKeys(path)
	}
	if err != nil {
		return MasterKeys{}, fmt.Errorf("create the master key: %w", err)
	}
	return MasterKeys{MasterKey: key}, nil
}

func newMasterKey(random io.Reader) (key MasterKey, err error) {
	if _, err := io.ReadFull(random, key.secret[:]); err != nil {
		return MasterKey{}, fmt.Errorf("read random bytes for the master key: %w", err)
	}
	return key, nil
}

// text returns the line of the key in its file.
func (k MasterKey) text() string { return base64.StdEncoding.EncodeToString(k.secret[:]) + "\n" }
