package credential_test

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
)

// What an installation has stored: its master key, the fingerprint of that key in
// the database, and secrets that were sealed under keys derived from it.
const (
	storedMasterKey   = "pVz61A1MFlZSsJyh+IPtDG86FMNvVwyAJdOOGq4HnrQ=\n"
	storedFingerprint = "a2bc841af1b8d5c0567c3ea709d5f0c5"
	storedSealed      = "01822831537f8836d901419bdd0217c687d3579faa6066c8e8f270dea4ee88fbc1b59053e1594132638cf0fbfb988f88a2e7f59c0d7baecde0abfe"
)

// TestStoredSecretsStayReadable: no release may change how the master key is read,
// how keys are derived from it, or how secrets are sealed. There are databases that
// hold such secrets.
func TestStoredSecretsStayReadable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "master.key")
	if err := os.WriteFile(path, []byte(storedMasterKey), 0o600); err != nil {
		t.Fatal(err)
	}
	key, err := credential.OpenMasterKey(path, storedFingerprint, nil)
	if err != nil {
		t.Fatal(err)
	}
	sealer, err := credential.NewSealer(key.Derive("secrets"))
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := hex.DecodeString(storedSealed)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := sealer.Open(sealed, "key_1")
	if err != nil || string(opened) != "sk_stored by the first release" {
		t.Errorf("got %q, %v, want the secret", opened, err)
	}
}
