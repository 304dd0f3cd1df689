package credential_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestMasterKeysThroughARotation writes each stage and reads it back.
func TestMasterKeysThroughARotation(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "master.key")
	random := repeatable.Reader(t)
	first, err := credential.OpenMasterKey(path, "", random)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := first.Prepare(random)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []credential.MasterKeys{prepared, prepared.Replace(), prepared.Replace().Settle()} {
		if err := credential.WriteMasterKeys(path, want); err != nil {
			t.Fatal(err)
		}
		got, err := credential.OpenMasterKey(path, want.Fingerprint(), nil)
		if err != nil || got != want || !credential.IsMadeByService(path) {
			t.Errorf("stage %q: got stage %q, %v, want what was written, and its comment", want.Stage, got.Stage, err)
		}
		wantKeys := 2
		if want.Stage == credential.Settled {
			wantKeys = 1
		}
		if n := len(got.DeriveAll("quotes")); n != wantKeys {
			t.Errorf("stage %q: got %d derived keys, want %d", want.Stage, n, wantKeys)
		}
	}
	_, err = credential.OpenMasterKey(path, first.Fingerprint(), nil)
	if !errors.Is(err, credential.ErrMasterKeyOther) {
		t.Errorf("the first key after the rotation: got %v, want %v", err, credential.ErrMasterKeyOther)
	}
}

func TestFilesOfTwoMasterKeys(t *testing.T) {
	t.Parallel()
	one, two := hex.EncodeToString(bytes.Repeat([]byte{1}, 32)), hex.EncodeToString(bytes.Repeat([]byte{2}, 32))
	for text, want := range map[string]error{
		one + "\nnext: " + two + "\n":                   nil,
		"old: " + two + "\r\n# kept\n" + one:            nil,
		one + "\n" + two + "\n":                         credential.ErrMasterKeyNotValid,
		one + "\nnext: " + one + "\n":                   credential.ErrMasterKeyNotValid,
		one + "\nnext: " + two + "\nold: " + two + "\n": credential.ErrMasterKeyNotValid,
		one + "\nnewer: " + two + "\n":                  credential.ErrMasterKeyNotValid,
		one + "\nnext: " + two[1:] + "\n":               credential.ErrMasterKeyNotValid,
		"next: " + two + "\n":                           credential.ErrMasterKeyNotValid,
	} {
		path := filepath.Join(t.TempDir(), "master.key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := credential.OpenMasterKey(path, "", nil); !errors.Is(err, want) {
			t.Errorf("%q: got %v, want %v", text, err, want)
		}
	}
}

func TestSealerWithTwoKeys(t *testing.T) {
	t.Parallel()
	one, two := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	sealerOf := func(key []byte, others ...[]byte) *credential.Sealer {
		sealer, err := credential.NewSealer(key, others...)
		if err != nil {
			t.Fatal(err)
		}
		return sealer
	}
	both := sealerOf(two, one)
	if got, err := both.Open(sealerOf(one).Seal([]byte("before"), "key_1"), "key_1"); err != nil ||
		string(got) != "before" {
		t.Errorf("sealed under the other key: got %q, %v, want before", got, err)
	}
	after := both.Seal([]byte("after"), "key_1")
	if got, err := sealerOf(two).Open(after, "key_1"); err != nil || string(got) != "after" {
		t.Errorf("under the first key: got %q, %v, want after", got, err)
	}
	if _, err := sealerOf(one).Open(after, "key_1"); !errors.Is(err, credential.ErrUnsealed) {
		t.Errorf("under the other key: got %v, want %v", err, credential.ErrUnsealed)
	}
}
