package browser_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestVendoredFiles compares the files of others with the list of what they are.
func TestVendoredFiles(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("testdata/vendored.json")
	if err != nil {
		t.Fatal(err)
	}
	var vendored map[string]struct {
		Package, Version, License string
		LicenseFile               string `json:"license_file"`
		SHA256                    string
	}
	if err := json.Unmarshal(list, &vendored); err != nil {
		t.Fatal(err)
	}
	scripts, err := filepath.Glob("testdata/*.js")
	if err != nil || len(scripts) != len(vendored) {
		t.Errorf("got the scripts %q, %v, want the %d of the list", scripts, err, len(vendored))
	}
	for name, file := range vendored {
		content, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != file.SHA256 {
			t.Errorf("%s: got SHA-256 %x, want %s", name, sum, file.SHA256)
		}
		if _, err := os.Stat(filepath.Join("testdata", file.LicenseFile)); err != nil || file.License == "" || file.Version == "" {
			t.Errorf("%s: got %+v, %v, want its licence and version", name, file, err)
		}
	}
}
