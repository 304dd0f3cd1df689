package credential_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

func TestMasterKeyIsCreatedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "master.key")
	first, err := credential.OpenMasterKey(path, "", repeatable.Reader(t))
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("got mode %v, %v, want 0600", info.Mode(), err)
	}
	for _, known := range []string{"", first.Fingerprint()} {
		again, err := credential.OpenMasterKey(path, known, repeatable.Reader(t, "again"))
		if err != nil || again != first || !credential.IsMadeByService(path) {
			t.Errorf("with fingerprint %q: got %v, want the key that was created", known, err)
		}
	}
}

func TestMasterKeyIsNeverReplaced(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "master.key")
	known := strings.Repeat("ab", 16)
	_, err := credential.OpenMasterKey(path, known, repeatable.Reader(t))
	if !errors.Is(err, credential.ErrMasterKeyMissing) || !strings.Contains(err.Error(), path) {
		t.Errorf("missing file: got %v, want %v with the path", err, credential.ErrMasterKeyMissing)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("missing file of a known key: got %v, want no new file", left)
	}
	if _, err := credential.OpenMasterKey(path, "", repeatable.Reader(t)); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	_, err = credential.OpenMasterKey(path, known, repeatable.Reader(t, "again"))
	if !errors.Is(err, credential.ErrMasterKeyOther) || !strings.Contains(err.Error(), path) {
		t.Errorf("another key: got %v, want %v with the path", err, credential.ErrMasterKeyOther)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Errorf("got file %q, want it unchanged, %q", after, before)
	}
}

func TestMasterKeyFileFormats(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{0xfb, 0xff, 0x01, 0x7e}, 8)
	for name, c := range map[string]struct {
		text string
		mode os.FileMode
		want error
	}{
		"base64":          {base64.StdEncoding.EncodeToString(secret), 0o600, nil},
		"base64 raw":      {base64.RawStdEncoding.EncodeToString(secret), 0o600, nil},
		"base64 for URLs": {base64.RawURLEncoding.EncodeToString(secret) + "\r\n", 0o400, nil},
		"hexadecimal":     {"  " + hex.EncodeToString(secret) + "\n", 0o600, nil},
		"with a comment":  {"# from the vault\n" + hex.EncodeToString(secret) + "\n# keep it\n", 0o600, nil},
		"only a comment":  {"# from the vault\n", 0o600, credential.ErrMasterKeyNotValid},
		"empty":           {"", 0o600, credential.ErrMasterKeyNotValid},
		"too short":       {base64.StdEncoding.EncodeToString(secret[1:]), 0o600, credential.ErrMasterKeyNotValid},
		"too long":        {hex.EncodeToString(secret) + "00", 0o600, credential.ErrMasterKeyNotValid},
		"raw bytes":       {string(secret), 0o600, credential.ErrMasterKeyNotValid},
		"group may read":  {hex.EncodeToString(secret), 0o640, nil},
		"all may read":    {hex.EncodeToString(secret), 0o604, credential.ErrMasterKeyExposed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "master.key")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, c.mode); err != nil {
				t.Fatal(err)
			}
			_, err := credential.OpenMasterKey(path, "", repeatable.Reader(t))
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if credential.IsMadeByService(path) {
				t.Error("got a key made by the service, want one of the operator")
			}
			if err != nil && (!strings.Contains(err.Error(), path) || c.text != "" && strings.Contains(err.Error(), c.text)) {
				t.Errorf("got %v, want an error with the path and without the content", err)
			}
		})
	}
}

func TestMasterKeyCannotBeCreated(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := credential.OpenMasterKey(filepath.Join(folder, "none", "master.key"), "",
		repeatable.Reader(t)); err == nil {
		t.Error("in a folder that does not exist: got no error")
	}
	if _, err := credential.OpenMasterKey(filepath.Join(folder, "master.key"), "",
		strings.NewReader("short")); err == nil {
		t.Error("with 5 random bytes: got no error")
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("got files %v, want none left", left)
	}
}

func TestDerivedKeys(t *testing.T) {
	t.Parallel()
	key := openKey(t)
	quotes, sessions := key.Derive("quotes"), key.Derive("sessions")
	if len(quotes) != 32 || bytes.Equal(quotes, sessions) || !bytes.Equal(quotes, key.Derive("quotes")) {
		t.Errorf("got %x for quotes and %x for sessions, want two keys of 32 bytes, the same each time", quotes, sessions)
	}
	if other := openKey(t, "other").Derive("quotes"); bytes.Equal(quotes, other) {
		t.Errorf("another master key: got %x too, want another key", other)
	}
	for _, shown := range []string{fmt.Sprint(key), fmt.Sprintf("%+v %#v %s %x", key, key, key, key)} {
		if strings.Contains(shown, key.Fingerprint()) || len(shown) > 120 {
			t.Errorf("printed: got %s, want nothing of the key", shown)
		}
	}
}

// openKey returns a new key. Keys of one test differ by their names.
func openKey(t *testing.T, names ...string) credential.MasterKeys {
	t.Helper()
	key, err := credential.OpenMasterKey(filepath.Join(t.TempDir(), "master.key"), "", repeatable.Reader(t, names...))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSealer(t *testing.T) {
	t.Parallel()
	key := openKey(t)
	sealer, err := credential.NewSealer(key.Derive("api keys"))
	if err != nil {
		t.Fatal(err)
	}
	sealed := sealer.Seal([]byte("sk_secret"), "key_1")
	if bytes.Contains(sealed, []byte("secret")) || bytes.Equal(sealed, sealer.Seal([]byte("sk_secret"), "key_1")) {
		t.Errorf("got %x, want a text that hides the secret and differs each time", sealed)
	}
	opened, err := sealer.Open(sealed, "key_1")
	if err != nil || string(opened) != "sk_secret" {
		t.Fatalf("Open: got %q, %v, want sk_secret", opened, err)
	}
	if _, err := sealer.Open(sealed, "key_2"); !errors.Is(err, credential.ErrUnsealed) {
		t.Errorf("for another owner: got %v, want %v", err, credential.ErrUnsealed)
	}
	other, _ := credential.NewSealer(key.Derive("webhook secrets"))
	if _, err := other.Open(sealed, "key_1"); !errors.Is(err, credential.ErrUnsealed) {
		t.Errorf("under another key: got %v, want %v", err, credential.ErrUnsealed)
	}
	for i := range sealed {
		damaged := bytes.Clone(sealed)
		damaged[i] ^= 1
		if _, err := sealer.Open(damaged, "key_1"); !errors.Is(err, credential.ErrUnsealed) {
			t.Errorf("byte %d damaged: got %v, want %v", i, err, credential.ErrUnsealed)
		}
		if _, err := sealer.Open(sealed[:i], "key_1"); !errors.Is(err, credential.ErrUnsealed) {
			t.Errorf("cut to %d bytes: got %v, want %v", i, err, credential.ErrUnsealed)
		}
	}
	if _, err := credential.NewSealer([]byte("short")); err == nil {
		t.Error("with a key of 5 bytes: got no error")
	}
}
