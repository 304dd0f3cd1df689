package credential_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
)

func TestMasterKeyIsCreatedOnceAndKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "master.key")
	first, err := credential.OpenMasterKey(path, "", rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file has mode %v, %v", info.Mode(), err)
	}
	for _, known := range []string{"", first.Fingerprint()} {
		again, err := credential.OpenMasterKey(path, known, rand.Reader)
		if err != nil || again != first {
			t.Errorf("opened with fingerprint %q: another key, or %v", known, err)
		}
	}
}

func TestMasterKeyIsNeverReplaced(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "master.key")
	known := strings.Repeat("ab", 16)
	_, err := credential.OpenMasterKey(path, known, rand.Reader)
	if !errors.Is(err, credential.ErrMasterKeyMissing) || !strings.Contains(err.Error(), path) {
		t.Errorf("a missing file: %v", err)
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("a key was created for a database that has another: %v", left)
	}
	if _, err := credential.OpenMasterKey(path, "", rand.Reader); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	_, err = credential.OpenMasterKey(path, known, rand.Reader)
	if !errors.Is(err, credential.ErrMasterKeyOther) || !strings.Contains(err.Error(), path) {
		t.Errorf("another key: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was written again")
	}
}

func TestMasterKeyFileForms(t *testing.T) {
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
		"empty":           {"", 0o600, credential.ErrMasterKeyNotValid},
		"too short":       {base64.StdEncoding.EncodeToString(secret[1:]), 0o600, credential.ErrMasterKeyNotValid},
		"too long":        {hex.EncodeToString(secret) + "00", 0o600, credential.ErrMasterKeyNotValid},
		"raw bytes":       {string(secret), 0o600, credential.ErrMasterKeyNotValid},
		"group may read":  {hex.EncodeToString(secret), 0o640, credential.ErrMasterKeyExposed},
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
			_, err := credential.OpenMasterKey(path, "", rand.Reader)
			if !errors.Is(err, c.want) {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if err != nil && (!strings.Contains(err.Error(), path) || c.text != "" && strings.Contains(err.Error(), c.text)) {
				t.Errorf("the error should name the file and not its content: %v", err)
			}
		})
	}
}

func TestMasterKeyThatCannotBeKept(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	if _, err := credential.OpenMasterKey(filepath.Join(folder, "none", "master.key"), "", rand.Reader); err == nil {
		t.Error("created in a folder that does not exist")
	}
	if _, err := credential.OpenMasterKey(filepath.Join(folder, "master.key"), "", strings.NewReader("short")); err == nil {
		t.Error("created of too little randomness")
	}
	if left, _ := os.ReadDir(folder); len(left) != 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestDerivedKeys(t *testing.T) {
	t.Parallel()
	key := openKey(t)
	quotes, sessions := key.Derive("quotes"), key.Derive("sessions")
	if len(quotes) != 32 || bytes.Equal(quotes, sessions) || !bytes.Equal(quotes, key.Derive("quotes")) {
		t.Error("keys must differ by purpose, and by nothing else")
	}
	if bytes.Equal(quotes, openKey(t).Derive("quotes")) {
		t.Error("two master keys derive the same")
	}
	for _, shown := range []string{fmt.Sprint(key), fmt.Sprintf("%+v %#v %s %x", key, key, key, key)} {
		if strings.Contains(shown, key.Fingerprint()) || len(shown) > 120 {
			t.Errorf("printing tells %s", shown)
		}
	}
}

func openKey(t *testing.T) credential.MasterKey {
	t.Helper()
	key, err := credential.OpenMasterKey(filepath.Join(t.TempDir(), "master.key"), "", rand.Reader)
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
		t.Error("sealing must hide, and never twice alike")
	}
	opened, err := sealer.Open(sealed, "key_1")
	if err != nil || string(opened) != "sk_secret" {
		t.Fatalf("opened %q, %v", opened, err)
	}
	if _, err := sealer.Open(sealed, "key_2"); !errors.Is(err, credential.ErrUnsealed) {
		t.Errorf("for another owner: %v", err)
	}
	other, _ := credential.NewSealer(key.Derive("webhook secrets"))
	if _, err := other.Open(sealed, "key_1"); !errors.Is(err, credential.ErrUnsealed) {
		t.Errorf("under another key: %v", err)
	}
	for i := range sealed {
		damaged := bytes.Clone(sealed)
		damaged[i] ^= 1
		if _, err := sealer.Open(damaged, "key_1"); !errors.Is(err, credential.ErrUnsealed) {
			t.Errorf("byte %d damaged: %v", i, err)
		}
		if _, err := sealer.Open(sealed[:i], "key_1"); !errors.Is(err, credential.ErrUnsealed) {
			t.Errorf("cut to %d bytes: %v", i, err)
		}
	}
	if _, err := credential.NewSealer([]byte("short")); err == nil {
		t.Error("took a short key")
	}
}
