package courier_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestLibraries compares the libraries that only the app uses with the list of what they
// are.
func TestLibraries(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("vendored/vendored.json")
	if err != nil {
		t.Fatal(err)
	}
	var vendored map[string]struct {
		Package, Version, File, License string
		LicenseFile                     string `json:"license_file"`
		SHA256                          string
	}
	if err := json.Unmarshal(list, &vendored); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("vendored/*.[jw]*s*") // .js and .wasm, and the list itself
	if err != nil || len(files) != len(vendored)+1 {
		t.Errorf("got the files %q, %v, want the %d of the list", files, err, len(vendored))
	}
	for name, file := range vendored {
		content, err := os.ReadFile(filepath.Join("vendored", name))
		if err != nil {
			t.Fatal(err)
		}
		if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != file.SHA256 {
			t.Errorf("%s: got SHA-256 %x, want %s", name, sum, file.SHA256)
		}
		if _, err := os.Stat(filepath.Join("vendored", file.LicenseFile)); err != nil || file.License == "" || file.Version == "" || filepath.Base(file.File) != name {
			t.Errorf("%s: got %+v, %v, want its licence, version and file", name, file, err)
		}
	}
}
