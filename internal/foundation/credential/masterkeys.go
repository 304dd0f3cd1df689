package credential

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/durable"
)

// MasterKeys is what the file of the master key holds: the key, and another one while
// the key is being rotated. Everything is sealed under the key, and what is sealed under
// the other can be opened. The methods of MasterKey are those of the key.
type MasterKeys struct {
	MasterKey
	Other MasterKey
	Stage Stage
}

// Stage says how far a rotation of the master key is, as the file says it.
type Stage string

// The stages of a rotation.
const (
	Settled  Stage = ""     // there is one key
	Prepared Stage = "next" // the other key will replace the key
	Replaced Stage = "old"  // the key has replaced the other one
)

// String hides the keys.
func (MasterKeys) String() string { return "[master keys]" }

// GoString hides the keys from %#v too.
func (MasterKeys) GoString() string { return "[master keys]" }

// Holds reports whether one of the keys has the fingerprint.
func (k MasterKeys) Holds(fingerprint string) bool {
	is := func(key MasterKey) bool {
		return subtle.ConstantTimeCompare([]byte(fingerprint), []byte(key.Fingerprint())) == 1
	}
	return is(k.MasterKey) || k.Stage != Settled && is(k.Other)
}

// DeriveAll returns what Derive does, for the key and then for the other one if there
// is one.
func (k MasterKeys) DeriveAll(purpose string) [][]byte {
	keys := [][]byte{k.Derive(purpose)}
	if k.Stage != Settled {
		keys = append(keys, k.Other.Derive(purpose))
	}
	return keys
}

// Prepare returns the keys with a new one that will replace the key.
func (k MasterKeys) Prepare(random io.Reader) (MasterKeys, error) {
	next, err := newMasterKey(random)
	return MasterKeys{MasterKey: k.MasterKey, Other: next, Stage: Prepared}, err
}

// Replace returns the keys with the prepared one in the place of the key.
func (k MasterKeys) Replace() MasterKeys {
	return MasterKeys{MasterKey: k.Other, Other: k.MasterKey, Stage: Replaced}
}

// Settle returns the key without the other one.
func (k MasterKeys) Settle() MasterKeys { return MasterKeys{MasterKey: k.MasterKey} }

// WriteMasterKeys writes keys into the file of the master key. It keeps the comments,
// and returns when the disk has the file; a crash leaves the old file or the new one.
func WriteMasterKeys(path string, keys MasterKeys) error {
	before, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("read the master key: %w", err)
	}
	text := keys.text()
	if keys.Stage != Settled {
		text += string(keys.Stage) + ": " + keys.Other.text()
	}
	for line := range bytes.Lines(before) {
		if bytes.HasPrefix(line, []byte("#")) {
			text += strings.TrimRight(string(line), "\r\n") + "\n"
		}
	}
	if err := durable.Replace(path, []byte(text)); err != nil {
		return fmt.Errorf("write the master key: %w", err)
	}
	return nil
}

// ErrMasterKeyUnsaved means that a key cannot be saved in a file.
var ErrMasterKeyUnsaved = errors.New("the key cannot be kept there")

// CanSaveMasterKey refuses a file in which SaveMasterKey would not save the key, so that what ends with saving it does
// not begin.
func CanSaveMasterKey(path string, key MasterKey) error {
	switch there, err := readMasterKeys(path); {
	case errors.Is(err, fs.ErrNotExist):
		folder := filepath.Dir(path)
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return fmt.Errorf("%w: %s is not a folder: make it, or name a file elsewhere", ErrMasterKeyUnsaved, folder)
		}
		return nil
	case err != nil || there != MasterKeys{MasterKey: key}:
		return fmt.Errorf("%w: %s exists, and is not a copy of it: name another file", ErrMasterKeyUnsaved, path)
	}
	return nil
}

// SaveMasterKey writes one key into a file of its own, which must not exist unless it
// holds the same key.
func SaveMasterKey(path string, key MasterKey) error {
	err := durable.WriteNew(path, []byte(key.text()))
	if errors.Is(err, fs.ErrExist) {
		there, err := readMasterKeys(path)
		if err == nil && there != (MasterKeys{MasterKey: key}) {
			err = fmt.Errorf("%w: %s exists, and is not a copy of it: name another file", ErrMasterKeyUnsaved, path)
		}
		return err
	}
	return err
}

// parseMasterKeys parses the content of a file of the master key.
func parseMasterKeys(text []byte) (keys MasterKeys, ok bool) {
	var own []byte
	for line := range bytes.Lines(text) {
		stage, other, labelled := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.HasPrefix(line, []byte("#")):
		case !labelled:
			own = append(own, line...)
		case keys.Stage != Settled || Stage(stage) != Prepared && Stage(stage) != Replaced:
			return MasterKeys{}, false
		default:
			if keys.Other, ok = parseMasterKey(other); !ok {
				return MasterKeys{}, false
			}
			keys.Stage = Stage(stage)
		}
	}
	keys.MasterKey, ok = parseMasterKey(own)
	if !ok || keys.Stage != Settled && keys.Other == keys.MasterKey {
		return MasterKeys{}, false
	}
	return keys, true
}
